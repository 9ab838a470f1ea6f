/// A value behind a lock.
///
/// This is what `Synchronization.Mutex` is for; ``SystemLock`` says why it is not used.
///
/// `@unchecked Sendable` is right because `value` is reached in `withLock` only, where the lock is held, and nothing
/// that is not `Sendable` can be taken out but by the function that the lock is held for.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = SystemLock()
  /// The run-time check for conflicting accesses, which costs as much as the lock, is left out. No two accesses can
  /// conflict: each is made with the lock held, and a thread that took it twice would wait for ever before the second
  /// access.
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
