@testable import GlobalData

/// What tests ask of a store that was opened, without a call of its own for that.
extension GlobalData {
  /// Opens the store on this thread.
  nonisolated func openNow() throws {
    try engine.withContents { _ in }
  }

  /// The state, once opening the store was tried.
  nonisolated var stateOnceOpen: State {
    do { try openNow() } catch { /* The state says so. */  }
    return state
  }

  /// The recovery, once opening the store was tried.
  nonisolated var recoveryOnceOpen: Recovery? {
    do { try openNow() } catch { /* Then there is none. */  }
    return recovery
  }
}
