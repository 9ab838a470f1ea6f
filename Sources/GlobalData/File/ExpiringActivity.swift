import CodingSupport
import Dispatch
import FoundationCore

/// A piece of work during which the system does not suspend this process, though its app is in the background.
///
/// iOS ends a process that is suspended while it holds the lock of a file in a container that apps share (0xdead10cc).
/// So a lock in such a container is held only within an activity. The system may end the activity early, which leaves
/// the work little time.
///
/// End each activity that you begin. Until then, the system keeps a reference to it and holds two threads.
package final class ExpiringActivity: Sendable {
  /// A function that creates activities. It returns once the system has answered; if the answer is no, the activity has
  /// already expired.
  package typealias Source = @Sendable (_ reason: String) -> ExpiringActivity

  private struct State: ~Copyable {
    var isExpired = false
    var isEnded = false
  }

  private let state = Locked(State())
  private let ending = DispatchGroup()

  init() { ending.enter() }

  deinit { end() }

  var isExpired: Bool { state.withLock { $0.isExpired } }

  var isEnded: Bool { state.withLock { $0.isEnded } }

  func expire() { state.withLock { $0.isExpired = true } }

  func end() {
    let isFirst = state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
    if isFirst { ending.leave() }
  }

  func waitForEnd() { ending.wait() }

  // Apple's other systems and Linux do not suspend a process that holds a lock.
  #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
  static let systemSource: Source? = { reason in
    let activity = ExpiringActivity()
    let answer = DispatchSemaphore(value: 0)
    // The system calls this closure once on a thread of its own. When the system ends the activity, it calls the
    // closure again while the first call lasts. Both calls wait: the process runs for as long as either of them does.
    ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
      if isExpired { activity.expire() }
      answer.signal()
      activity.waitForEnd()
    }
    answer.wait()
    return activity
  }
  #else
  static let systemSource: Source? = nil
  #endif
}
