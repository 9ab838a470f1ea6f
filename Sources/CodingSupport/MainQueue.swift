import Dispatch
import FoundationCore

/// The queue of the main actor, as synchronous code can tell it. It runs one thing at a time. On Linux, it leaves the
/// main thread once a task has been suspended, so that the thread tells nothing.
package enum MainQueue {
  package static var isCurrent: Bool {
    _ = markQueue
    return DispatchQueue.getSpecific(key: mark) != nil
  }

  /// Whether this code may do what only the main actor may do: it runs on the main queue, or that waits for it.
  package static var isWorking: Bool {
    isCurrent || threadMark.map { pthread_getspecific($0) != nil } ?? false
  }

  /// Makes this thread one that works for the main queue. It must end before the main queue goes on.
  static func standIn() {
    if let threadMark { pthread_setspecific(threadMark, UnsafeRawPointer(bitPattern: 1)) }
  }

  private static let mark = DispatchSpecificKey<Bool>()
  private static let markQueue: Void = DispatchQueue.main.setSpecific(key: mark, value: true)

  /// What marks a thread; `nil` where the process has no more such keys.
  private static let threadMark: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()
}
