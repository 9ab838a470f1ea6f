import FoundationCore

/// A mark that each thread has or does not have. Unlike a task-local value, it is not inherited by tasks that are
/// created in the meantime, so it holds only for synchronous code.
package struct ThreadMark: Sendable {
  /// `nil` if the process has no more such keys.
  private let key: pthread_key_t?

  package init() {
    var key = pthread_key_t()
    self.key = pthread_key_create(&key, nil) == 0 ? key : nil
  }

  /// Whether this thread has the mark.
  package var isSet: Bool { key.map { pthread_getspecific($0) != nil } ?? false }

  /// Gives this thread the mark, or takes it away.
  @inline(never)
  package func set(_ isSet: Bool) {
    if let key { pthread_setspecific(key, UnsafeRawPointer(bitPattern: isSet ? 1 : 0)) }
  }
}
