/// One change that waits for its commit, or its outcome.
final class StoreTicket: Sendable {
  typealias Change = @Sendable (inout StoreDraft, StoreContents) throws -> Void

  enum Kind {
    /// Sets one value, or fails without a trace.
    case set
    /// Takes a value away.
    case remove
    /// Takes away all values but some.
    case clearOthers
    /// Takes everything away.
    case clear
    /// Does several things, and undoes them if it fails.
    case update
  }

  private struct State {
    var outcome: Result<Void, any Error>?
    /// Whether the outcome may be told.
    var isReleased = false
    var waiter: CheckedContinuation<Void, any Error>?
  }

  let kind: Kind
  /// The position of the call among all calls; a clear with a greater one outlives this change.
  let number: UInt64
  /// The number of bytes that it adds.
  let size: Int
  /// Whether nobody was bound to take the queue when this came into it, so that its caller is.
  let isFirst: Bool
  let change: Change
  private let state = Locked(State())

  init(_ kind: Kind, number: UInt64, size: Int, isFirst: Bool, _ change: @escaping Change) {
    self.kind = kind
    self.number = number
    self.size = size
    self.isFirst = isFirst
    self.change = change
  }

  /// Whether it takes values away and adds none.
  var onlyTakesAway: Bool { kind == .remove || kind == .clearOthers }

  /// Whether it takes away all values, or all but some.
  var isClear: Bool { kind == .clear || kind == .clearOthers }

  /// Whether it sets or removes one value, which takes little time and runs no code of the app's.
  var isPlain: Bool { kind == .set || kind == .remove }

  var isDone: Bool { state.withLock { $0.outcome != nil } }

  /// Decides the outcome, unless it was decided before.
  func finish(_ result: Result<Void, any Error>) {
    state.withLock { $0.outcome = $0.outcome ?? result }
  }

  func result() throws {
    try state.withLock { try $0.outcome?.get() }
  }

  /// Lets whoever waits for the outcome go on. The commit is over: its file is closed, its lock given back.
  func release() {
    let (waiter, outcome) = state.withLock { state in
      state.isReleased = true
      defer { state.waiter = nil }
      return (state.waiter, state.outcome)
    }
    if let outcome { waiter?.resume(with: outcome) }
  }

  /// Waits for the outcome. Only one task does.
  func wait(isolation: isolated (any Actor)? = #isolation) async throws {
    try await withCheckedThrowingContinuation(isolation: isolation) { waiter in
      let outcome = state.withLock { state in
        if state.isReleased, let outcome = state.outcome { return outcome as Result<Void, any Error>? }
        state.waiter = waiter
        return nil
      }
      if let outcome { waiter.resume(with: outcome) }
    }
  }
}
