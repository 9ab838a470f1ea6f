import Dispatch
import Foundation

/// Runs deep recursion on a thread with enough stack.
///
/// Each level of a value is a few calls deep, with the type's own code among them. Tasks and background threads have
/// 512 KiB of stack, which a debug build fills with about two hundred levels. What is nested more deeply than
/// ``shallowDepth`` is therefore coded on a thread made for it, while the caller waits; that costs some 50 µs, for values
/// that hardly occur. The stack is reserved, not used up: untouched pages take no memory.
enum DeepStack {
  /// The nesting that every thread's stack has room for, in a debug build under AddressSanitizer too.
  static let shallowDepth = 24

  /// What one level of nesting may need, with a margin for a type's own code.
  private static let bytesPerLevel = 64 << 10

  /// Runs a function on a thread with the stack for a certain nesting, and waits for it.
  static func run<Result, Failure>(
    depth: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withoutActuallyEscaping(body) { body throws(Failure) in
      let call = Call(body)
      let thread = Thread { call.run() }
      thread.stackSize = (depth + 16) * bytesPerLevel
      thread.start()
      return try call.wait()
    }
  }

  /// A function call handed to another thread.
  ///
  /// `@unchecked Sendable` is right because the two threads never touch it at the same time: the caller does nothing
  /// between starting the thread and the signal, which is the last thing that the thread does with it.
  private final class Call<Value, Failure: Error>: @unchecked Sendable {
    private enum State {
      case waiting(() throws(Failure) -> Value)
      case running
      case done(Swift.Result<Value, Failure>)
    }

    private var state: State
    private let isDone = DispatchSemaphore(value: 0)

    init(_ body: @escaping () throws(Failure) -> Value) {
      state = .waiting(body)
    }

    func run() {
      perform()
      isDone.signal()
    }

    /// Runs the function and lets go of it: it must not outlive the caller's wait.
    private func perform() {
      guard case .waiting(let body) = state else { return }
      state = .running
      state = .done(Swift.Result(catching: body))
    }

    func wait() throws(Failure) -> Value {
      isDone.wait()
      guard case .done(let outcome) = state else { preconditionFailure("the signal comes after the outcome") }
      return try outcome.get()
    }
  }
}
