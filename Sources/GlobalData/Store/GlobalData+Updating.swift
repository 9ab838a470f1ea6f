// Several changes as one, whose closure runs where its caller is.

extension GlobalData {
  /// Makes several changes as one: all of them or, if the closure throws, none.
  ///
  /// The closure runs in the isolation of the caller and may use all that the caller may. It sees what all earlier
  /// calls do, and nothing comes between what it reads and what it writes. Updates take turns: while one runs, later
  /// writes wait, so it should be quick. It runs again if another process, or a write that failed, has changed what it
  /// read. No lock of the file is held while it runs; only from the third time on, and for 400 ms at most, so that two
  /// processes that update one key both finish.
  ///
  /// ```swift
  /// let visits = try await GlobalData.update { data in
  ///   let visits = (try data.object(Int.self, forKey: "visits") ?? 0) + 1
  ///   try data.set(visits, forKey: "visits")
  ///   return visits
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - isolation: The caller's actor, whose calls keep their order.
  ///   - body: What to do with the store's values.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, and ``GlobalDataError`` as `set` does; with code `busy` when other processes
  ///   keep changing what the closure reads, for as long as ``Configuration/lockTimeout``. Nothing is changed then;
  ///   only with `durabilityUnknown` all changes are there, but may not survive a power cut.
  /// - Complexity: O(*n*) in the size of all values, which are written to the file.
  @discardableResult
  public func update<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (inout Transaction) throws -> Result
  ) async throws -> Result {
    var result: Result?
    try await runUpdate(isolation) { result = try body(&$0) }
    guard let result else { preconditionFailure("an update that did not fail has run its closure") }
    return result
  }

  /// Makes the changes of a closure as one.
  ///
  /// It is neither generic nor, being `dynamic`, copied for each closure that is known: 40 KB of machine code in place
  /// of 6.
  dynamic func runUpdate(
    _ isolation: isolated (any Actor)?, _ body: (inout Transaction) throws -> Void
  ) async throws {
    let ticket = engine.queue.add(nil).ticket
    var attempts = UpdateAttempts(timeout: configuration.lockTimeout)
    while true {
      await engine.queue.waitForTurn(of: ticket, isolation: isolation)
      let failure: (any Error)?
      let mustCommit: Bool
      do {
        try attempts.begin(in: url)
        if !engine.memory.isOpen { try await open() }
        (failure, mustCommit) = try run(body, for: ticket)
      } catch {
        if engine.queue.withdraw(ticket, error) { await commitOnStoresThread() }
        throw error
      }
      do {
        try await commitQueued((ticket, mustCommit), tryingAtOnce: true, isolation)
      } catch is StoreTicket.MustRunAgain {
        continue
      }
      if let failure { throw failure }
      return
    }
  }

  /// Runs the closure of an update, and closes its ticket. Returns what it threw, and whether this caller must commit;
  /// throws why the store cannot be read.
  ///
  /// A closure that throws changes nothing; its reads are checked all the same, since a value that is gone by now may
  /// be why.
  private nonisolated func run(
    _ body: (inout Transaction) throws -> Void, for ticket: StoreTicket
  ) throws -> (failure: (any Error)?, mustCommit: Bool) {
    // Nothing here outlives this function: contents that are held are copied by the next commit.
    var transaction = Transaction(on: try engine.contents(before: ticket), configuration, engine)
    do {
      try body(&transaction)
      try transaction.setChangedInstances()
      if let failure = transaction.failure { throw failure }
      return (nil, engine.queue.close(ticket, transaction.update))
    } catch {
      return (error, engine.queue.close(ticket, transaction.update.withoutChanges))
    }
  }
}
