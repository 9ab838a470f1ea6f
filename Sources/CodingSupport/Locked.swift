import Foundation

/// A value behind a lock.
///
/// This is what `Synchronization.Mutex` is for. It is not used because ThreadSanitizer on Linux does not see its lock:
/// the system's library that locks it is not instrumented, and every correct use is reported as a race (Swift 6.3).
/// `NSLock` locks with `pthread_mutex_lock`, which ThreadSanitizer follows on every platform, so that what it checks is
/// what is shipped.
///
/// `@unchecked Sendable` is right because `value` is reached in `withLock` only, where the lock is held, and nothing
/// that is not `Sendable` can be taken out but by the function that the lock is held for.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  /// The run-time check for conflicting accesses, which costs as much as the lock, is left out. No two accesses can
  /// conflict: each is made with the lock held, and whoever took it twice would wait for ever before the second access.
  @exclusivity(unchecked) private var value: Value

  package init(_ value: sending Value) {
    self.value = value
  }

  /// Calls a function with the value while the lock is held. It must not wait, nor use the same lock again.
  package func withLock<Result, Failure>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
