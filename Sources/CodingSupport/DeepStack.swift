import FoundationCore

/// Runs deep recursion on a thread with enough stack.
///
/// Each level of a value is a few calls deep, with the type's own code among them. Tasks and background threads have
/// 512 KiB of stack, which a debug build fills with about two hundred levels. What is nested more deeply than
/// ``shallowDepth`` is therefore coded on a thread made for it, while the caller waits; that costs some 50 µs, for
/// values that hardly occur. The stack is reserved, not used up: untouched pages take no memory.
///
/// The thread is made by the system's own call: `Thread` does not report that it could not start, and the caller would
/// wait forever.
package enum DeepStack {
  /// The nesting that every thread's stack has room for, in a debug build under AddressSanitizer too.
  package static let shallowDepth = 24

  /// The same for values whose levels are migrated, which takes further calls.
  package static let migratingDepth = 16

  /// The nesting that is the most whatever the limits say: its stack is 1 GiB.
  package static let greatestDepth = 16_384

  /// What one level of nesting may need, with a margin for a type's own code.
  private static let bytesPerLevel = 64 << 10

  /// Runs a function on a thread with the stack for a certain nesting, and waits for it. Throws ``StackError`` when
  /// there is no such stack, else what the function throws.
  package static func run<Result>(depth: Int, _ body: () throws -> Result) throws -> Result {
    var outcome: Swift.Result<Result, any Error>?
    if depth <= greatestDepth {
      let isForMainQueue = MainQueue.isWorking
      onThread(stackSize: (max(depth, 0) + 16) * bytesPerLevel) {
        if isForMainQueue { MainQueue.standIn() }
        outcome = Swift.Result(catching: body)
      }
    }
    guard let outcome else { throw StackError(depth: depth) }
    return try outcome.get()
  }

  private final class Call {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Runs a function on another thread and waits for it. Does nothing when the thread cannot be made.
  private static func onThread(stackSize: Int, _ body: () -> Void) {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    guard pthread_attr_init(attributes) == 0 else { return }
    defer { pthread_attr_destroy(attributes) }
    guard pthread_attr_setstacksize(attributes, stackSize) == 0 else { return }
    inheritPriority(attributes)
    // A thread's identity is a pointer in some C libraries and a number in others.
    #if canImport(Darwin) || canImport(Musl)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    withoutActuallyEscaping(body) { body in
      let call = Call(body)
      let context = Unmanaged.passUnretained(call).toOpaque()
      let status = pthread_create(&thread, attributes, { DeepStack.perform($0) }, context)
      guard status == 0 else { return }
      // The closure is not used beyond the end of the thread, and `call` lives until then.
      #if canImport(Darwin) || canImport(Musl)
      if let thread { pthread_join(thread, nil) }
      #else
      pthread_join(thread, nil)
      #endif
      withExtendedLifetime(call) {}
    }
  }

  #if canImport(Darwin)
  /// Gives the thread the caller's quality of service. Else a caller of a higher one, such as the main thread, would
  /// wait for a thread that the system holds back.
  private static func inheritPriority(_ attributes: UnsafeMutablePointer<pthread_attr_t>) {
    // A caller without one, whose thread was made by C, gets an error here, and a thread like its own.
    _ = pthread_attr_set_qos_class_np(attributes, qos_class_self(), 0)
  }
  #else
  /// Nothing: a thread has the priority of the one that made it.
  private static func inheritPriority(_ attributes: UnsafeMutablePointer<pthread_attr_t>) {}
  #endif

  /// What the thread does. Some C libraries say that the context may be absent.
  private static func perform(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<Call>.fromOpaque(context).takeUnretainedValue().body() }
    return nil
  }
}

package struct StackError: Error, CustomStringConvertible {
  package let depth: Int

  package var description: String {
    "There is not enough memory for the stack that \(depth) levels of nesting require."
  }
}
