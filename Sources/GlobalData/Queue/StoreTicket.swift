/// A change that waits to be committed, or the result of its commit.
///
/// The ticket of an update is queued before its closure has run, to keep its position among all calls. Until the
/// closure has run, the ticket is open: neither it nor any ticket after it is committed.
final class StoreTicket: Sendable {
  enum Request: Sendable {
    /// Sets one value, or fails without effect.
    case set(StoredEntry)
    case remove(String)
    /// Removes all values except those of some keys. If no keys are kept, the file is removed, too.
    case clear(keeping: Set<String>)
    /// Makes the changes of an update if the values that it read are unchanged.
    case update(StoreUpdate)
  }

  private struct State: ~Copyable {
    /// `nil` while the ticket is open.
    var request: Request?
    var reopeningCount = 0
    var outcome: Result<Void, any Error>?
    var waiters: [CheckedContinuation<Void, any Error>] = []

    /// The outcome, if there is nothing to wait for.
    var result: Result<Void, any Error>? {
      outcome ?? (request == nil ? .failure(MustRunAgain()) : nil)
    }
  }

  /// The position of the call among all calls. A clear with a greater number overrides this change.
  let number: UInt64
  private let state: Locked<State>

  init(_ request: Request?, number: UInt64) {
    self.number = number
    state = Locked(State(request: request))
  }

  var request: Request? { state.withLock { $0.request } }

  var isOpen: Bool { request == nil }

  var isDone: Bool { state.withLock { $0.outcome != nil } }

  func close(_ update: StoreUpdate) { state.withLock { $0.request = .update(update) } }

  var reopeningCount: Int { state.withLock { $0.reopeningCount } }

  /// Opens the ticket of an update that has to run again, and returns the tasks that wait for its outcome.
  func reopen() -> [CheckedContinuation<Void, any Error>] {
    state.withLock { state in
      (state.request, state.outcome) = (nil, nil)
      state.reopeningCount += 1
      defer { state.waiters = [] }
      return state.waiters
    }
  }

  /// Sets the outcome, and resumes the tasks that wait for it. The commit has ended by then: its file is closed, and
  /// its lock is released or held for an update.
  func finish(_ outcome: Result<Void, any Error>) {
    let waiters = state.withLock { state in
      state.outcome = outcome
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(with: outcome) }
  }

  /// Waits for the outcome. Throws the error if the change was not made, or ``MustRunAgain`` if the ticket is open or
  /// was reopened.
  func wait(isolation: isolated (any Actor)? = #isolation) async throws {
    if let outcome = state.withLock({ $0.result }) { return try outcome.get() }
    try await withCheckedThrowingContinuation(isolation: isolation) { waiter in
      let outcome = state.withLock { state in
        let result = state.result
        if result == nil { state.waiters.append(waiter) }
        return result
      }
      if let outcome { waiter.resume(with: outcome) }
    }
  }

  /// An error for an update whose closure has to run again, because the values that it read have changed since.
  struct MustRunAgain: Error {}
}

extension StoreTicket.Request {
  var size: Int {
    switch self {
    case .set(let entry): entry.record.count
    case .update(let update): update.draft.size
    case .remove, .clear: 0
    }
  }

  /// Whether the request removes some values and adds none. A clear of everything does not count, because it removes
  /// the file.
  var onlyRemoves: Bool {
    switch self {
    case .remove: true
    case .clear(let kept): !kept.isEmpty
    case .set, .update: false
    }
  }

  /// Whether the request is an update without changes, for example because its closure has thrown an error.
  var changesNothing: Bool { if case .update(let update) = self { update.draft.isEmpty } else { false } }

  var clearsAll: Bool { if case .clear(let kept) = self { kept.isEmpty } else { false } }

  var isClear: Bool { if case .clear = self { true } else { false } }
}
