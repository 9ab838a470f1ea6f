/// A value protected by a lock.
///
/// This is the purpose of `Synchronization.Mutex`. For the reasons not to use that type, see ``SystemLock``.
///
/// `@unchecked Sendable` is safe because only `withLock` accesses `value`, with the lock held. A value that is not
/// `Sendable` can leave the lock only through the function that runs with the lock held.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  private let lock = SystemLock()
  /// The run-time check for conflicting accesses costs as much as the lock, so it is disabled. No two accesses can
  /// conflict: each access holds the lock, and a thread that took the lock twice would wait forever before the second
  /// access.
  @exclusivity(unchecked) private var value: Value

  package init(_ value: consuming sending Value) { self.value = value }

  /// Calls a function with the value while the lock is held. The function must not wait, and must not use the same
  /// lock.
  package func withLock<Result, Failure>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

/// Hides the value from mirrors, and so from `dump` and from tests that fail. A mirror would read the value without the
/// lock, and traps if the value cannot be copied.
extension Locked: CustomReflectable where Value: ~Copyable {
  package var customMirror: Mirror { Mirror(self, children: []) }
}
