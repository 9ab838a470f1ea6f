/// The tickets of a commit and their outcomes, which are decided from first to last.
struct CommitBatch: ~Copyable {
  private let tickets: [StoreTicket]
  private var outcomes: [Result<Void, any Error>] = []
  /// The first error that did not affect one ticket alone.
  private(set) var failure: (any Error)?

  init(_ tickets: [StoreTicket]) {
    self.tickets = tickets
    outcomes.reserveCapacity(tickets.count)
  }

  var isDone: Bool { outcomes.count == tickets.count }

  var rest: ArraySlice<StoreTicket> { tickets[outcomes.count...] }

  /// The tickets to commit next: first those up to the last clear of everything, and then those after it.
  var nextPart: ArraySlice<StoreTicket> {
    guard let clear = rest.lastIndex(where: { $0.request?.clearsAll == true }) else { return rest }
    return rest[...clear]
  }

  /// Records the success of all remaining tickets.
  mutating func succeed() {
    for _ in rest { outcomes.append(.success(())) }
  }

  /// Records the outcomes of the next tickets, which were decided together.
  mutating func end(_ part: StoreWriter.PartOutcome) {
    failure = failure ?? part.unknown
    for ticket in rest.prefix(part.count) {
      let failure = part.failures.first { $0.ticket === ticket }?.error
      // An update without changes has nothing that could be lost. Its caller gets the error of its closure.
      let unknown = ticket.request?.changesNothing == true ? nil : part.unknown
      outcomes.append((failure ?? unknown).map { .failure($0) } ?? .success(()))
    }
  }

  /// Records the failure of the next tickets, or of all remaining ones. If `isAlone` is `true`, the failure affects one
  /// ticket alone.
  mutating func fail(_ count: Int? = nil, with error: any Error, isAlone: Bool = false) {
    if !isAlone { failure = failure ?? error }
    for _ in rest.prefix(count ?? rest.count) { outcomes.append(.failure(error)) }
  }

  func finish() {
    for (ticket, outcome) in zip(tickets, outcomes) { ticket.finish(outcome) }
  }
}
