import Foundation

@testable import GlobalData

/// Helpers of tests that open the store first.
extension GlobalData {
  /// Opens the store on this thread.
  nonisolated func openNow() throws {
    try engine.memory.withContents { _ in }
  }

  /// The state after an attempt to open the store.
  nonisolated var stateOnceOpen: State {
    _ = Result { try openNow() }  // The state says whether it failed.
    return state
  }

  /// The recovery after an attempt to open the store.
  nonisolated var recoveryOnceOpen: Recovery? {
    _ = Result { try openNow() }  // Without a successful opening, there is none.
    return recovery
  }
}

extension StoreEngine {
  /// Commits the queue on the thread of the test.
  func commitQueue() throws {
    if let failure = withWriterInTurn({ $0.commitQueue() }) { throw failure }
  }

  /// Reads the file again, on the thread of the test.
  func refresh() throws {
    try withWriterInTurn { writer in Result { try writer.refresh() } }.get()
  }

  /// Closes the store, on the thread of the test.
  func close() {
    withWriterInTurn { $0.close() }
  }

  private func withWriterInTurn<Outcome>(_ work: (StoreWriter) -> Outcome) -> Outcome {
    while true {
      if let outcome = withWriterImmediately(work) { return outcome }
      sched_yield()
    }
  }
}
