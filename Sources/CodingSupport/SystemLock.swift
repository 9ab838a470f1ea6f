import FoundationCore

/// A lock of the operating system.
///
/// `NSLock` is equivalent, but on Linux it would link all of Foundation. `Synchronization.Mutex` is not used because
/// ThreadSanitizer on Linux does not see its lock: the system library that takes the lock is not instrumented, and
/// every correct use is reported as a race (Swift 6.3). ThreadSanitizer follows `pthread_mutex_lock` on every platform,
/// so the tested code is the released code.
///
/// `@unchecked Sendable` is safe because the pointer never changes, and any thread may call these functions with it.
package final class SystemLock: @unchecked Sendable {
  /// The mutex, at a fixed address for the lifetime of this object, as the C library requires.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init() {
    mutex.initialize(to: pthread_mutex_t())
    // The call is outside the precondition because unchecked builds omit preconditions.
    let status = pthread_mutex_init(mutex, nil)
    // Fails only if there is no memory for the mutex. A program in Swift does not survive that either.
    precondition(status == 0)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func lock() { pthread_mutex_lock(mutex) }

  package func unlock() { pthread_mutex_unlock(mutex) }

  package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Acquires the lock if it is free, and returns whether it was.
  package func lockIfFree() -> Bool { pthread_mutex_trylock(mutex) == 0 }
}
