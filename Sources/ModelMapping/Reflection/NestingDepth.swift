import CodingSupport
import Foundation

/// How many models are being coded inside each other on a thread. Each level takes a few calls. A JSON text has up to
/// 512 levels, and tasks have 512 KiB of stack: so what is nested more deeply than
/// ``CodingSupport/DeepStack/shallowDepth`` goes on, after each so many levels, on a thread with fresh stack.
enum NestingDepth {
  private static let current = ThreadValue()

  static func nested<Result>(_ body: () throws -> Result) throws -> Result {
    let outer = current.bits
    let depth = outer + 1
    guard depth % DeepStack.shallowDepth == 0 else {
      current.bits = depth
      defer { current.bits = outer }
      return try body()
    }
    do {
      return try DeepStack.run(depth: DeepStack.shallowDepth) {
        current.bits = depth
        return try body()
      }
    } catch let error as StackError {
      throw ModelError(.limitReached, error.description)
    }
  }
}

/// One word for each thread, 0 at first. A task that a model's `init()` starts would inherit a task-local value.
struct ThreadValue: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    // It fails only when a process uses more keys than the system has, which is 128 at least.
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "no thread-specific key is left")
    self.key = key
  }

  var pointer: UnsafeMutableRawPointer? {
    get { pthread_getspecific(key) }
    nonmutating set {
      let status = pthread_setspecific(key, newValue)
      precondition(status == 0, "no memory for thread-specific values")
    }
  }

  /// The word as a number. It is never used as an address.
  var bits: Int {
    get { Int(bitPattern: pointer) }
    nonmutating set { pointer = UnsafeMutableRawPointer(bitPattern: newValue) }
  }
}
