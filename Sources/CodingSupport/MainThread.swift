import Foundation

/// The main thread, and a thread that works for it while it waits.
package enum MainThread {
  private static let mark = "GlobalData.MainThread"

  /// Whether this code may do what only the main actor may do: it runs on the main thread, or the main thread waits for it.
  ///
  /// The main actor's code runs on the main thread, and while other code runs there, the main actor runs none.
  package static var isCurrent: Bool {
    Thread.isMainThread || Thread.current.threadDictionary[mark] != nil
  }

  /// Makes this thread one that works for the main thread. It must end before the main thread goes on.
  static func represent() {
    Thread.current.threadDictionary[mark] = true
  }
}
