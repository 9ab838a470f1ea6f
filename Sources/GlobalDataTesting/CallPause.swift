import CodingSupport
import Dispatch

/// A pause of a call, until a test resumes it or a time limit has passed, so that no test hangs.
package final class CallPause: Sendable {
  private struct State {
    var isReached = false
    var isOver = false
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  private let limit: DispatchTimeInterval
  private let gate = DispatchSemaphore(value: 0)
  private let state = Locked(State())

  package init(limit: Duration = .seconds(600)) {
    let parts = limit.components
    // In 32 bits, which an `Int` may have, there is room for 24 days of milliseconds.
    let seconds = min(parts.seconds, 1_000_000)
    self.limit = .milliseconds(Int(clamping: seconds * 1000 + parts.attoseconds / (1_000_000_000_000_000 as Int64)))
  }

  /// Blocks the thread of the paused call.
  func hold() {
    let isOver = state.withLock { state in
      state.isReached = true
      return state.isOver
    }
    answer()
    // The call proceeds whether the pause was ended or timed out.
    if !isOver { _ = gate.wait(timeout: .now() + limit) }
  }

  /// Waits until the call is made. Returns `false` if the pause ends before that, or if the time limit has passed.
  package func reached() async -> Bool {
    await withCheckedContinuation { continuation in
      state.withLock { $0.waiting.append(continuation) }
      answer()
      DispatchQueue.global().asyncAfter(deadline: .now() + limit) { self.answer(always: true) }
    }
  }

  /// Resumes the call, or lets it through if it has not been made yet.
  package func end() {
    state.withLock { $0.isOver = true }
    gate.signal()
    answer()
  }

  /// Resumes the waiting tasks if the outcome is known.
  private func answer(always: Bool = false) {
    let (waiting, isReached) = state.withLock { state -> ([CheckedContinuation<Bool, Never>], Bool) in
      guard state.isReached || state.isOver || always else { return ([], false) }
      defer { state.waiting = [] }
      return (state.waiting, state.isReached)
    }
    for continuation in waiting { continuation.resume(returning: isReached) }
  }
}
