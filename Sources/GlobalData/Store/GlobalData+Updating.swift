// Several changes as one, whose closure runs where its caller is.

extension GlobalData {
  /// Makes several changes as one: all of them or, if the closure throws, none.
  ///
  /// The closure runs in the isolation of the caller and may use all that the caller may. It sees what all earlier calls do, and nothing
  /// comes between what it reads and what it writes. Updates take turns: while one runs, later writes wait, so it should be quick. It runs
  /// again if another process, or a write that failed, has changed what it read. No lock of the file is held while it runs; only from the
  /// third time on, and for 400 ms at most, so that two processes that update one key both finish.
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
  /// - Throws: What the closure throws, and ``GlobalDataError`` as `set` does; with code `busy` when other processes keep changing what
  ///   the closure reads, for as long as ``Configuration/lockTimeout``. Nothing is changed then; only with `durabilityUnknown` all changes
  ///   are there, but may not survive a power cut.
  /// - Complexity: O(*n*) in the size of all values, which are written to the file.
  @discardableResult
  public func update<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (inout Transaction) throws -> Result
  ) async throws -> Result {
    let ticket = engine.queue.add(nil).ticket
    var attempts = UpdateAttempts(timeout: configuration.lockTimeout)
    while true {
      await engine.queue.waitForTurn(of: ticket, isolation: isolation)
      let outcome: Swift.Result<Result, any Error>
      let mustCommit: Bool
      do {
        try attempts.begin(in: url)
        if !engine.memory.isOpen { try await open() }
        (outcome, mustCommit) = try run(body, for: ticket, isolation)
      } catch {
        if engine.queue.withdraw(ticket, error) { await commitOnStoresThread() }
        throw error
      }
      do {
        try await commitQueued((ticket, mustCommit), tryingAtOnce: true, isolation)
        return try outcome.get()
      } catch is StoreTicket.MustRunAgain {
        continue
      }
    }
  }

  /// Runs the closure of an update, and closes its ticket. A closure that throws changes nothing; what it read is compared all the same,
  /// since it may have thrown because of a value that is not there any more.
  ///
  /// - Throws: Why the store cannot be read.
  private func run<Result>(
    _ body: (inout Transaction) throws -> Result, for ticket: StoreTicket, _ isolation: isolated (any Actor)?
  ) throws -> (Swift.Result<Result, any Error>, mustCommit: Bool) {
    // Nothing here outlives this function: contents that are held are copied by the next commit.
    var transaction = Transaction(on: try engine.contents(before: ticket), configuration, engine)
    do {
      let result = try body(&transaction)
      try transaction.setChangedInstances()
      if let failure = transaction.failure { throw failure }
      return (.success(result), engine.queue.close(ticket, transaction.update))
    } catch {
      return (.failure(error), engine.queue.close(ticket, transaction.update.withoutChanges))
    }
  }
}
