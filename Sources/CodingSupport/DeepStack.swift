import FoundationCore

/// Runs deep recursion on a thread with enough stack.
///
/// Each level of a value takes a few nested calls, including the type's own code. Tasks and background threads have 512
/// KiB of stack, which a debug build fills with about two hundred levels. Values nested more deeply than
/// ``shallowDepth`` are therefore coded on a new thread while the caller waits. This costs about 50 µs, but such values
/// are rare. The stack is only reserved: untouched pages take no memory.
///
/// The thread is created by a direct call to the system. `Thread` does not report a failure to start, and the caller
/// would wait forever.
package enum DeepStack {
  /// The nesting that every thread's stack has room for, even in a debug build under AddressSanitizer.
  package static let shallowDepth = 24

  /// The same limit for values whose levels are migrated, which requires further calls.
  package static let migratingDepth = 16

  /// The greatest nesting that any limit can allow. Its stack takes 1 GiB.
  package static let greatestDepth = 16_384

  /// The stack that one level of nesting may need, with a margin for a type's own code.
  private static let bytesPerLevel = 64 * 1024

  /// Runs a function on a thread with enough stack for a certain nesting, and waits for the function to return. Throws
  /// ``StackError`` if such a stack is not available, and otherwise rethrows the function's error.
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

  /// Runs a function on another thread and waits for it to return. Does nothing if the thread cannot be created.
  private static func onThread(stackSize: Int, _ body: () -> Void) {
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    guard pthread_attr_init(attributes) == 0 else { return }
    defer { pthread_attr_destroy(attributes) }
    guard pthread_attr_setstacksize(attributes, stackSize) == 0 else { return }
    #if canImport(Darwin)
    // Without the caller's quality of service, a caller with a higher class, such as the main thread, would wait for a
    // thread that the system holds back. If C created the caller's thread, it may have no class. The call then fails,
    // and the new thread is like the caller's. Elsewhere, a thread has the priority of its creator.
    _ = pthread_attr_set_qos_class_np(attributes, qos_class_self(), 0)
    #endif
    // A thread's identity is a pointer in some C libraries and a number in others.
    #if canImport(Darwin) || canImport(Musl)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    withoutActuallyEscaping(body) { body in
      withUnsafePointer(to: body) { body in
        let context = UnsafeMutableRawPointer(mutating: body)
        // The thread does not use the closure after its end, and the pointer is valid until then.
        guard pthread_create(&thread, attributes, { DeepStack.perform($0) }, context) == 0 else { return }
        #if canImport(Darwin) || canImport(Musl)
        if let thread { pthread_join(thread, nil) }
        #else
        pthread_join(thread, nil)
        #endif
      }
    }
  }

  /// Runs the closure on the new thread. The context is optional because some C libraries declare it so.
  private static func perform(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    context?.load(as: (() -> Void).self)()
    return nil
  }
}

package struct StackError: Error, CustomStringConvertible {
  package let depth: Int

  package var description: String {
    "There is not enough memory for the stack that \(depth) levels of nesting require."
  }
}
