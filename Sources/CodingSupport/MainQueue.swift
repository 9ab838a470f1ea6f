import Dispatch
import FoundationCore

/// The main actor's queue, as synchronous code can recognize it. The queue runs one thing at a time. On Linux, it
/// leaves the main thread once a task has been suspended, so the thread alone does not identify the queue.
package enum MainQueue {
  package static var isCurrent: Bool {
    _ = markQueue
    return DispatchQueue.getSpecific(key: mark.key) != nil
  }

  /// Whether this code has the rights of the main actor: it runs on the main queue, or the main queue waits for it.
  package static var isWorking: Bool {
    isCurrent || threadMark.value != nil
  }

  /// Makes this thread work for the main queue. This work must end before the main queue continues.
  static func standIn() { threadMark.exchange(UnsafeMutableRawPointer(bitPattern: 1)) }

  /// The key that marks the queue.
  ///
  /// `@unchecked Sendable` is safe because the key has no state: only its identity counts. Dispatch of Swift 6.0 does
  /// not declare this.
  private struct Mark: @unchecked Sendable {
    let key = DispatchSpecificKey<Bool>()
  }

  private static let mark = Mark()
  private static let markQueue: Void = DispatchQueue.main.setSpecific(key: mark.key, value: true)

  /// Not `nil` on a thread that works for the main queue.
  private static let threadMark = ThreadPointer()
}
