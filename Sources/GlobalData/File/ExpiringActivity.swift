import CodingSupport
import Dispatch
import FoundationCore

/// A piece of work during which the system does not suspend this process, though its app is in the background.
///
/// iOS ends a process that is suspended while it holds the lock of a file in a container that apps share (0xdead10cc).
/// So a lock there is held only within such an activity. The system may end that early: then the work has little time
/// left.
///
/// End each activity that you begin. Until then, the system keeps a reference to it and holds two threads.
package final class ExpiringActivity: Sendable {
  /// What makes activities: it returns once the system has answered, with one that has expired where the answer is no.
  package typealias Source = @Sendable (_ reason: String) -> ExpiringActivity

  private struct State {
    var isExpired = false
    var isEnded = false
  }

  private let state = Locked(State())
  private let ending = DispatchGroup()

  package init() {
    ending.enter()
  }

  deinit {
    end()
  }

  package var isExpired: Bool { state.withLock { $0.isExpired } }

  package var isEnded: Bool { state.withLock { $0.isEnded } }

  package func expire() {
    state.withLock { $0.isExpired = true }
  }

  package func end() {
    let isFirst = state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
    if isFirst { ending.leave() }
  }

  package func waitForEnd() {
    ending.wait()
  }

  // The other systems of Apple, and Linux, suspend no process that holds a lock.
  #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
  static let systemSource: Source? = { reason in
    let activity = ExpiringActivity()
    let answer = DispatchSemaphore(value: 0)
    // The system calls this once on a thread of its own, and once more, while the first call lasts, when it ends the
    // activity. Both calls wait: for as long as one does, the process runs.
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
