import FoundationCore

/// The system's lock.
///
/// `NSLock` is the same and would bring all of Foundation on Linux. `Synchronization.Mutex` is not used because
/// ThreadSanitizer on Linux does not see its lock: the system's library that locks it is not instrumented, and every
/// correct use is reported as a race (Swift 6.3). It follows `pthread_mutex_lock` on every platform, so that what it
/// checks is what is shipped.
///
/// `@unchecked Sendable` is right because the pointer never changes and any thread may call these functions with it.
package final class SystemLock: @unchecked Sendable {
  /// At an address of its own for as long as this lives, which the C library asks for.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init() {
    mutex.initialize(to: pthread_mutex_t())
    // Not inside of the precondition, which unchecked builds leave out.
    let status = pthread_mutex_init(mutex, nil)
    // Fails only where there is no memory for it, which a program in Swift does not survive either.
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

  /// Takes the lock if it is free, and says whether it was.
  package func lockIfFree() -> Bool { pthread_mutex_trylock(mutex) == 0 }
}
