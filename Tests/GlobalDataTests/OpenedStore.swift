import Foundation

@testable import GlobalData

/// What tests ask of a store that was opened, without a call of its own for that.
extension GlobalData {
  /// Opens the store on this thread.
  nonisolated func openNow() throws {
    try engine.memory.withContents { _ in }
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

extension StoreEngine {
  /// Commits what is queued, on the thread of the test.
  func commitQueue() throws {
    if let failure = withWriterInTurn({ $0.commitQueue() }) { throw failure }
  }

  /// Closes the store, on the thread of the test.
  func close() throws {
    try withWriterInTurn { writer in Result { try writer.close() } }.get()
  }

  private func withWriterInTurn<Outcome>(_ work: (StoreWriter) -> Outcome) -> Outcome {
    while true {
      if let outcome = withWriterAtOnce(work) { return outcome }
      sched_yield()
    }
  }
}
