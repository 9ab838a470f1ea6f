@testable import GlobalData

/// What tests ask of a store that was opened, without a call of its own for that.
extension GlobalData {
  /// Opens the store on this thread.
  nonisolated func openNow() throws {
    try engine.withContents { _ in }
  }

  /// The state, once opening the store was tried.
  nonisolated var stateOnceOpen: State {
    _ = Result { try openNow() }  // The state says whether it failed.
    return state
  }

  /// The recovery, once opening the store was tried.
  nonisolated var recoveryOnceOpen: Recovery? {
    _ = Result { try openNow() }  // Then there is none.
    return recovery
  }
}
