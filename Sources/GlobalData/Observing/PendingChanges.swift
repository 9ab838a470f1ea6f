import CodingSupport

/// The changes that the reader of a stream has not taken yet. There is at most one for each origin, with the keys of
/// all changes of that origin.
///
/// If a change of the same origin is already waiting, the two are merged, and the merged change moves to the end. The
/// values that a reader reads for the last change it takes are therefore the newest ones.
final class PendingChanges: Sendable {
  private struct State: ~Copyable {
    var changes: [GlobalData.Change] = []

    mutating func add(_ change: GlobalData.Change) {
      // A waiting change of another origin may be taken after this one, so both must agree on which keys have a value.
      for index in changes.indices where changes[index].origin != change.origin {
        changes[index].noteRemovals(of: change)
      }
      guard let index = changes.firstIndex(where: { $0.origin == change.origin }) else {
        return changes.append(change)
      }
      changes.append(changes.remove(at: index))
      // The change is merged in place, so that many small changes do not copy all keys each time.
      changes[changes.count - 1].merge(change)
    }
    var waiters: [CheckedContinuation<GlobalData.Change?, Never>] = []
    var isOver = false
  }

  private let state = Locked(State())

  var count: Int { state.withLock { $0.changes.count } }

  /// Passes a change to a waiting reader, or keeps the change for the next reader.
  func add(_ change: GlobalData.Change) {
    let waiter: CheckedContinuation<GlobalData.Change?, Never>? = state.withLock { state in
      guard !state.isOver else { return nil }
      guard state.waiters.isEmpty else { return state.waiters.remove(at: 0) }
      state.add(change)
      return nil
    }
    waiter?.resume(returning: change)
  }

  /// Removes and returns the first change, or waits for one. Returns `nil` after ``finish()``.
  func next(isolation: isolated (any Actor)? = #isolation) async -> GlobalData.Change? {
    await withCheckedContinuation(isolation: isolation) { waiter in
      let change: GlobalData.Change?? = state.withLock { state in
        if state.isOver { return .some(nil) }
        if !state.changes.isEmpty { return state.changes.remove(at: 0) }
        state.waiters.append(waiter)
        return nil
      }
      if let change { waiter.resume(returning: change) }
    }
  }

  /// Ends the stream and discards the waiting changes.
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

/// The keys that changed and have not been read again, delivered to the main actor. However many changes wait while the
/// main actor is busy, they are delivered once.
///
/// This class does not refer to the type of a value. The conformances of that type may be isolated to the main actor,
/// and code that runs elsewhere may not even hold such a type.
final class ChangedKeys: Sendable {
  @MainActor var onChange: (() -> Void)?
  private let keys = Locked<Set<String>?>(nil)

  init() {}

  /// Removes and returns the changed keys. Returns `nil` if nothing has changed.
  @inline(never)
  func take() -> Set<String>? { keys.withLock { $0.take() } }

  func observer(of relevant: @escaping @Sendable (Set<String>) -> Set<String>) -> StoreObservers.Observer {
    { [weak self] change in
      let changed = relevant(change.keys)
      guard !changed.isEmpty, let self else { return }
      let isFirst = keys.withLock { keys in
        // In place, because there may be many keys, and the writer waits.
        if keys?.formUnion(changed) != nil { return false }
        keys = changed
        return true
      }
      // Otherwise, the keys before these are not taken yet, and these are taken with them.
      guard isFirst else { return }
      Task { @MainActor [weak self] in
        guard let self else { return }
        onChange?()  // A task with the result `Void?` would compile the creation of tasks once more.
      }
    }
  }
}
