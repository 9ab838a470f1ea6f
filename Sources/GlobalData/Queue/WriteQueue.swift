/// The changes that wait for a commit, in the order in which their calls were made.
///
/// A commit takes all changes up to the first open ticket. The closures of updates take turns: one runs when no ticket before it is
/// open, so that it sees what all calls before it do.
final class WriteQueue: Sendable {
  private struct State {
    var tickets: [StoreTicket] = []
    /// The tickets of the commit that is under way.
    var committing: [StoreTicket] = []
    /// Whether a caller is bound to commit what is queued.
    var isCommitExpected = false
    var lastNumber: UInt64 = 0
    var clears = StoreClears()
    /// The tasks that wait for their update's turn.
    var turnWaiters: [ObjectIdentifier: CheckedContinuation<Void, Never>] = [:]

    mutating func takeNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }

    mutating func insert(_ ticket: StoreTicket) {
      // In the order of the numbers: a value that took long to encode is queued after calls that were made later. But after a clear, which
      // removes what was asked for before it wherever that is, and which may fail without it.
      let index = tickets.lastIndex { $0.number < ticket.number || $0.request?.isClear == true }.map { $0 + 1 } ?? 0
      tickets.insert(ticket, at: index)
    }

    /// The number of tickets that a commit may take.
    var readyCount: Int { tickets.firstIndex(where: \.isOpen) ?? tickets.count }

    /// Returns whether the caller has to make the commit: a ticket is ready, and no other caller is bound to.
    mutating func expectCommit() -> Bool {
      guard !isCommitExpected, readyCount > 0 else { return false }
      isCommitExpected = true
      return true
    }

    mutating func takeReady() -> [StoreTicket] {
      isCommitExpected = false
      committing = Array(tickets.prefix(readyCount))
      tickets.removeFirst(committing.count)
      return committing
    }

    /// Removes the task whose update's turn it is from those that wait.
    mutating func passTurn() -> CheckedContinuation<Void, Never>? {
      tickets.first(where: \.isOpen).flatMap { turnWaiters.removeValue(forKey: ObjectIdentifier($0)) }
    }
  }

  private let state = Locked(State())

  // MARK: Adding

  /// Takes the number that orders a call among the others; taken before any work that the call needs.
  func takeNumber() -> UInt64 {
    state.withLock { $0.takeNumber() }
  }

  /// Queues a change for the next commit, or an update whose closure has not run (`nil`). Without a number, the call
  /// takes its number now. Returns the ticket, and whether the caller has to make the commit; if not, the caller waits
  /// for its outcome.
  func add(_ change: StoreTicket.Request?, number: UInt64? = nil) -> (ticket: StoreTicket, mustCommit: Bool) {
    state.withLock { state in
      let ticket = StoreTicket(change, number: number ?? state.takeNumber())
      state.insert(ticket)
      return (ticket, change != nil && state.expectCommit())
    }
  }

  // MARK: Updates

  /// Waits until no ticket before that of an update is open.
  func waitForTurn(of ticket: StoreTicket, isolation: isolated (any Actor)? = #isolation) async {
    if hasTurn(ticket) { return }
    await withCheckedContinuation(isolation: isolation) { waiter in
      let hasTurn = state.withLock { state in
        if state.tickets.first(where: \.isOpen) === ticket { return true }
        state.turnWaiters[ObjectIdentifier(ticket)] = waiter
        return false
      }
      if hasTurn { waiter.resume() }
    }
  }

  /// Returns whether no ticket before that of an update is open.
  func hasTurn(_ ticket: StoreTicket) -> Bool {
    state.withLock { $0.tickets.first(where: \.isOpen) === ticket }
  }

  /// The tickets of the commit that is under way, and those that are queued before another one.
  func tickets(before ticket: StoreTicket) -> [StoreTicket] {
    state.withLock { $0.committing + $0.tickets.prefix { $0 !== ticket } }
  }

  /// Closes the ticket of an update, whose closure has run. Returns whether the caller has to make the commit.
  func close(_ ticket: StoreTicket, _ update: StoreUpdate) -> Bool {
    passTurn { _ in ticket.close(update) }
  }

  /// Removes the ticket of an update that is not made. Returns whether the caller has to make a commit for those behind
  /// it.
  func withdraw(_ ticket: StoreTicket, _ error: any Error) -> Bool {
    let mustCommit = passTurn { $0.tickets.removeAll { $0 === ticket } }
    ticket.finish(.failure(error))
    ticket.release()
    return mustCommit
  }

  /// Makes a change after which the next update may run, and returns whether the caller has to make a commit.
  private func passTurn(after change: (inout State) -> Void) -> Bool {
    let (next, mustCommit) = state.withLock { state in
      change(&state)
      return (state.passTurn(), state.expectCommit())
    }
    next?.resume()
    return mustCommit
  }

  /// The updates whose closures have not run.
  var openTickets: [StoreTicket] { state.withLock { $0.tickets.filter(\.isOpen) } }

  // MARK: Taking

  var isEmpty: Bool { state.withLock { $0.tickets.isEmpty } }

  /// Removes and returns the tickets that a commit may take.
  func takeReady() -> [StoreTicket] {
    state.withLock { $0.takeReady() }
  }

  /// The same, if none of them clears the store and their size is within a limit. Otherwise they stay, and `nil` is returned.
  func takeReady(ofSize limit: Int) -> [StoreTicket]? {
    state.withLock { state in
      let changes = state.tickets.prefix(state.readyCount).compactMap(\.request)
      guard changes.allSatisfy({ !$0.isClear }), changes.reduce(0, { $0 + $1.size }) <= limit else { return nil }
      return state.takeReady()
    }
  }

  /// Queues tickets again, before all others. The caller goes on to commit them.
  func putBack(_ tickets: [StoreTicket]) {
    state.withLock { state in
      state.committing = []
      state.tickets.insert(contentsOf: tickets, at: 0)
    }
  }

  /// Ends a commit, and queues those of its tickets again that come after an update that has to run again, with that.
  func endCommit(puttingBack tickets: ArraySlice<StoreTicket> = []) {
    let waiters = state.withLock { state in
      state.committing = []
      state.tickets.insert(contentsOf: tickets, at: 0)
      return tickets.first?.reopen() ?? []
    }
    for waiter in waiters { waiter.resume(throwing: StoreTicket.MustRunAgain()) }
  }

  // MARK: Clears

  func record(_ clears: [StoreClear]) {
    state.withLock { state in
      for clear in clears { state.clears.note(clear) }
    }
  }

  /// Whether a change of a key was overtaken by a clear that was asked for later.
  func isCleared(_ key: String, since number: UInt64) -> Bool {
    state.withLock { $0.clears.takeAway(key, since: number) }
  }
}
