/// The changes that a reader of a stream has not taken yet: at most one for each origin, with the keys of all its
/// changes.
///
/// A change whose origin waits already is merged with it at the end: of what a reader takes last, it reads the newest
/// values.
final class PendingChanges: Sendable {
  private struct State {
    var changes: [GlobalData.Change] = []

    mutating func add(_ change: GlobalData.Change) {
      guard let index = changes.firstIndex(where: { $0.origin == change.origin }) else {
        return changes.append(change)
      }
      changes.append(changes.remove(at: index))
      // In place: many small changes do not copy all keys each time.
      changes[changes.count - 1].merge(change)
    }
    var waiters: [CheckedContinuation<GlobalData.Change?, Never>] = []
    var isOver = false
  }

  private let state: Locked<State>

  /// A reader finds `first` immediately.
  init(first: GlobalData.Change? = nil) {
    var state = State()
    if let first { state.add(first) }
    self.state = Locked(state)
  }

  var count: Int { state.withLock { $0.changes.count } }

  /// Hands a change to a waiting reader, or keeps it for the next one.
  func add(_ change: GlobalData.Change) {
    let waiter: CheckedContinuation<GlobalData.Change?, Never>? = state.withLock { state in
      guard !state.isOver else { return nil }
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.add(change)
      return nil
    }
    waiter?.resume(returning: change)
  }

  /// Takes the first change, or waits for one; `nil` after ``finish()``.
  func next(isolation: isolated (any Actor)? = #isolation) async -> GlobalData.Change? {
    await withCheckedContinuation(isolation: isolation) { waiter in
      let change: GlobalData.Change?? = state.withLock { state in
        if state.isOver { return .some(nil) }
        if !state.changes.isEmpty { return state.changes.removeFirst() }
        state.waiters.append(waiter)
        return nil
      }
      if let change { waiter.resume(returning: change) }
    }
  }

  /// Ends the stream, and drops the changes that wait.
  func finish() {
    let waiters = state.withLock { state in
      state.isOver = true
      state.changes = []
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: nil) }
  }
}
