import Dispatch
import Foundation

/// The queue of the main actor, as synchronous code can tell it. It runs one thing at a time. On Linux, it leaves the
/// main thread once a task has been suspended, so that the thread tells nothing.
package enum MainQueue {
  package static var isCurrent: Bool {
    _ = markQueue
    return DispatchQueue.getSpecific(key: mark) != nil
  }

  /// Whether this code may do what only the main actor may do: it runs on the main queue, or that waits for it.
  package static var isWorking: Bool {
    isCurrent || Thread.current.threadDictionary[threadMark] != nil
  }

  /// Makes this thread one that works for the main queue. It must end before the main queue goes on.
  static func standIn() {
    Thread.current.threadDictionary[threadMark] = true
  }

  private static let mark = DispatchSpecificKey<Bool>()
  private static let markQueue: Void = DispatchQueue.main.setSpecific(key: mark, value: true)
  private static let threadMark = "GlobalData.MainQueue"
}
