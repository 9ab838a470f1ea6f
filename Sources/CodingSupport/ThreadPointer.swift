import FoundationCore

/// A pointer of which each thread has its own. Unlike a task-local value, it is not inherited by tasks that are created
/// while it is set, so it holds only for synchronous code.
package struct ThreadPointer: Sendable {
  /// `nil` if the process has no more such keys.
  private let key: pthread_key_t?

  package init() {
    var key = pthread_key_t()
    self.key = pthread_key_create(&key, nil) == 0 ? key : nil
  }

  /// The pointer of this thread; `nil` at first.
  package var value: UnsafeMutableRawPointer? { key.flatMap { pthread_getspecific($0) } }

  /// Sets the pointer of this thread, and returns the earlier one.
  @inline(never) @discardableResult
  package func exchange(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let earlier = value
    if let key { pthread_setspecific(key, pointer) }
    return earlier
  }
}
