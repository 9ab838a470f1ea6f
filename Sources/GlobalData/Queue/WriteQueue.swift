/// The changes that wait for a commit, in the order of their calls.
///
/// A commit takes all changes up to the first open ticket. An update's closure runs when no ticket before it is open,
/// so that the closure sees the effects of all earlier calls.
final class WriteQueue: Sendable {
  private struct State: ~Copyable {
    var tickets: [StoreTicket] = []
    var committing: [StoreTicket] = []
    /// Whether a caller must commit the queue.
    var isCommitExpected = false
    var lastNumber: UInt64 = 0
    var clears = StoreClears()
    var turnWaiters: [(ticket: StoreTicket, waiter: CheckedContinuation<Void, Never>)] = []

    mutating func takeNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }

    mutating func insert(_ ticket: StoreTicket) {
      // Tickets are ordered by number, because a value that takes long to encode is queued after later calls. However,
      // a ticket is never inserted before a clear: the clear removes earlier changes regardless of their position, and
      // may fail independently.
      let index = tickets.lastIndex { $0.number < ticket.number || $0.request?.isClear == true }.map { $0 + 1 } ?? 0
      tickets.insert(ticket, at: index)
    }

    var readyCount: Int { tickets.firstIndex(where: \.isOpen) ?? tickets.count }

    /// Returns whether the caller must commit. This is the case if a ticket is ready and no other caller has to commit.
    mutating func expectCommit() -> Bool {
      guard !isCommitExpected, readyCount > 0 else { return false }
      isCommitExpected = true
      return true
    }

    mutating func takeReady() -> [StoreTicket] {
      isCommitExpected = false
      committing = Array(tickets.prefix(readyCount))
      // Thousands of updates may wait for their turns. They are moved, because a copy counts a reference for each.
      tickets.removeFirst(committing.count)
      return committing
    }

    @inline(never)
    mutating func putBack(_ tickets: ArraySlice<StoreTicket>) {
      committing = []
      self.tickets.insert(contentsOf: tickets, at: 0)
    }

    /// Removes and returns the continuation of the waiting task whose update is next.
    mutating func passTurn() -> CheckedContinuation<Void, Never>? {
      let next = tickets.first(where: \.isOpen)
      return turnWaiters.firstIndex { $0.ticket === next }.map { turnWaiters.remove(at: $0).waiter }
    }
  }

  private let state = Locked(State())

  // MARK: Adding

  /// Returns the number that orders a call among the others. This is the first step of a call, before any other work.
  func takeNumber() -> UInt64 { state.withLock { $0.takeNumber() } }

  /// Queues a change, or an update whose closure has not run (`nil`). Without a number, takes the next one. Returns the
  /// ticket, and whether the caller must commit. Otherwise, the caller waits for the outcome.
  func add(_ change: StoreTicket.Request?, number: UInt64? = nil) -> (ticket: StoreTicket, mustCommit: Bool) {
    state.withLock { state in
      let ticket = StoreTicket(change, number: number ?? state.takeNumber())
      state.insert(ticket)
      return (ticket, change != nil && state.expectCommit())
    }
  }

  // MARK: Updates

  func waitForTurn(of ticket: StoreTicket, isolation: isolated (any Actor)? = #isolation) async {
    if hasTurn(ticket) { return }
    await withCheckedContinuation(isolation: isolation) { waiter in
      let hasTurn = state.withLock { state in
        if state.tickets.first(where: \.isOpen) === ticket { return true }
        state.turnWaiters.append((ticket, waiter))
        return false
      }
      if hasTurn { waiter.resume() }
    }
  }

  /// Returns whether no earlier ticket is open.
  func hasTurn(_ ticket: StoreTicket) -> Bool {
    state.withLock { $0.tickets.first(where: \.isOpen) === ticket }
  }

  /// Returns the tickets being committed, and those queued before the given one.
  func tickets(before ticket: StoreTicket) -> [StoreTicket] {
    state.withLock { $0.committing + $0.tickets.prefix { $0 !== ticket } }
  }

  /// Closes the ticket of an update whose closure has run. Returns whether the caller must commit.
  func close(_ ticket: StoreTicket, _ update: StoreUpdate) -> Bool {
    passTurn { _ in ticket.close(update) }
  }

  /// Removes the ticket of an update that is not made. Returns whether the caller must commit the tickets after it.
  func withdraw(_ ticket: StoreTicket, _ error: any Error) -> Bool {
    let mustCommit = passTurn { $0.tickets.removeAll { $0 === ticket } }
    ticket.finish(.failure(error))
    return mustCommit
  }

  /// Changes the state in a way after which the next update may run. Returns whether the caller must commit.
  private func passTurn(after change: (inout State) -> Void) -> Bool {
    let (next, mustCommit) = state.withLock { state in
      change(&state)
      return (state.passTurn(), state.expectCommit())
    }
    next?.resume()
    return mustCommit
  }

  // MARK: Taking

  var isEmpty: Bool { state.withLock { $0.tickets.isEmpty } }

  func takeReady() -> [StoreTicket] { state.withLock { $0.takeReady() } }

  /// Takes the ready tickets if none of them clears the store and their total size is within a limit; otherwise returns
  /// `nil`.
  func takeReady(ofSize limit: Int) -> [StoreTicket]? {
    state.withLock { state in
      let changes = state.tickets.prefix(state.readyCount).compactMap(\.request)
      guard changes.allSatisfy({ !$0.isClear }), changes.reduce(0, { $0 + $1.size }) <= limit else { return nil }
      return state.takeReady()
    }
  }

  /// Puts tickets back at the beginning of the queue. The caller still commits them.
  func putBack(_ tickets: [StoreTicket]) { state.withLock { $0.putBack(tickets[...]) } }

  /// Ends a commit. Puts back its remaining tickets, the first of which is an update that has to run again.
  func endCommit(puttingBack tickets: ArraySlice<StoreTicket> = []) {
    let waiters = state.withLock { state in
      state.putBack(tickets)
      return tickets.first?.reopen() ?? []
    }
    for waiter in waiters { waiter.resume(throwing: StoreTicket.MustRunAgain()) }
  }

  // MARK: Clears

  func record(_ clears: [StoreClear]) {
    guard !clears.isEmpty else { return }  // Most commits clear nothing, and need no lock.
    state.withLock { state in
      for clear in clears { state.clears.record(clear) }
    }
  }

  /// Returns whether a later clear overrides a change of a key.
  func isCleared(_ key: String, since number: UInt64) -> Bool {
    state.withLock { $0.clears.removesChange(of: key, since: number) }
  }
}
