/// The tickets of a commit, and how they end. They are decided from first to last.
struct CommitBatch {
  private let tickets: [StoreTicket]
  private var outcomes: [Result<Void, any Error>] = []
  /// The first error that was not one ticket's alone.
  private(set) var failure: (any Error)?

  init(_ tickets: [StoreTicket]) {
    self.tickets = tickets
    outcomes.reserveCapacity(tickets.count)
  }

  var isDone: Bool { outcomes.count == tickets.count }

  /// The tickets that are not decided.
  var rest: ArraySlice<StoreTicket> { tickets[outcomes.count...] }

  /// Whether a clear of everything is among the tickets that are decided.
  var hasClearedAll: Bool { tickets.prefix(outcomes.count).contains { $0.request?.clearsAll == true } }

  /// The tickets to commit next: up to the last clear of everything, and then those after it.
  var nextPart: ArraySlice<StoreTicket> {
    guard let clear = rest.lastIndex(where: { $0.request?.clearsAll == true }) else { return rest }
    return rest[...clear]
  }

  /// Decides all tickets.
  mutating func succeed() {
    succeed(rest.count, failures: [])
  }

  /// Decides the next tickets, of which some fail by themselves.
  mutating func succeed(_ count: Int, failures: [(ticket: StoreTicket, error: any Error)]) {
    for ticket in rest.prefix(count) {
      let failure = failures.first { $0.ticket === ticket }
      outcomes.append(failure.map { .failure($0.error) } ?? .success(()))
    }
  }

  /// Decides all tickets.
  mutating func fail(with error: any Error) {
    fail(rest.count, with: error)
  }

  /// Decides the next tickets, which fail together, or one alone.
  mutating func fail(_ count: Int, with error: any Error, isAlone: Bool = false) {
    if !isAlone { failure = failure ?? error }
    for _ in 0..<count { outcomes.append(.failure(error)) }
  }

  /// Makes all tickets fail that were to succeed.
  mutating func failSuccesses(with error: any Error) {
    failure = failure ?? error
    for index in outcomes.indices { if case .success = outcomes[index] { outcomes[index] = .failure(error) } }
  }

  /// Tells the callers how their changes ended.
  func finish() {
    for (ticket, outcome) in zip(tickets, outcomes) {
      ticket.finish(outcome)
      ticket.release()
    }
  }
}
