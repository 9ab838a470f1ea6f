import Dispatch
import KeyedArchive

/// A call that stands still until a test lets it go on, or until a limit is over, so that no test hangs.
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

  /// Blocks the thread of the call that the pause is for.
  func hold() {
    let isOver = state.withLock { state in
      state.isReached = true
      return state.isOver
    }
    answer()
    // Whether the pause was ended or its time is over, the call goes on.
    if !isOver { _ = gate.wait(timeout: .now() + limit) }
  }

  /// Waits until the call is made; returns false when the pause is ended, or the time is over, before that.
  package func reached() async -> Bool {
    await withCheckedContinuation { continuation in
      state.withLock { $0.waiting.append(continuation) }
      answer()
      DispatchQueue.global().asyncAfter(deadline: .now() + limit) { self.answer(always: true) }
    }
  }

  /// Lets the call go on, or does not stop it when it comes.
  package func end() {
    state.withLock { $0.isOver = true }
    gate.signal()
    answer()
  }

  /// Tells those who wait what is known, if anything is.
  private func answer(always: Bool = false) {
    let (waiting, isReached) = state.withLock { state -> ([CheckedContinuation<Bool, Never>], Bool) in
      guard state.isReached || state.isOver || always else { return ([], false) }
      defer { state.waiting = [] }
      return (state.waiting, state.isReached)
    }
    for continuation in waiting { continuation.resume(returning: isReached) }
  }
}
