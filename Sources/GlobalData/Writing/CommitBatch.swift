/// The tickets of a commit, and their outcomes, decided from first to last.
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

  var rest: ArraySlice<StoreTicket> { tickets[outcomes.count...] }

  /// Whether the decided tickets include a clear of everything.
  var hasClearedAll: Bool { tickets.prefix(outcomes.count).contains { $0.request?.clearsAll == true } }

  /// The tickets to commit next: up to the last clear of everything, and then those after it.
  var nextPart: ArraySlice<StoreTicket> {
    guard let clear = rest.lastIndex(where: { $0.request?.clearsAll == true }) else { return rest }
    return rest[...clear]
  }

  /// Decides the next tickets, or all, of which some fail by themselves.
  mutating func succeed(_ count: Int? = nil, failures: [(ticket: StoreTicket, error: any Error)] = []) {
    for ticket in rest.prefix(count ?? rest.count) {
      let failure = failures.first { $0.ticket === ticket }
      outcomes.append(failure.map { .failure($0.error) } ?? .success(()))
    }
  }

  /// Fails the next tickets, or all, together; or one alone.
  mutating func fail(_ count: Int? = nil, with error: any Error, isAlone: Bool = false) {
    if !isAlone { failure = failure ?? error }
    for _ in rest.prefix(count ?? rest.count) { outcomes.append(.failure(error)) }
  }

  mutating func failSuccesses(with error: any Error) {
    failure = failure ?? error
    for index in outcomes.indices { if case .success = outcomes[index] { outcomes[index] = .failure(error) } }
  }

  func finish() {
    for (ticket, outcome) in zip(tickets, outcomes) {
      ticket.finish(outcome)
      ticket.release()
    }
  }
}
