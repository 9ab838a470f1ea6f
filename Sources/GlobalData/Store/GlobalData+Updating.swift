// Updates, which make several changes as one. The closure of an update runs in the caller's isolation.

extension GlobalData {
  /// Makes several changes as one: all of them or, if the closure throws, none of them.
  ///
  /// The closure runs in the caller's isolation and may use everything that the caller may use. The closure sees the
  /// results of all earlier calls, and no other write takes effect between its reads and its writes. Updates take
  /// turns. Later writes wait while an update runs, so the closure should be quick.
  ///
  /// The closure runs again if another process has changed the values that it read, or if an earlier call whose values
  /// it read has failed. The file is not locked during the first two runs. From the third run on, the file is locked
  /// during each run, for at most 400 ms, so that two processes that update the same key both finish.
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
  ///   - body: A closure that reads and changes the store's values.
  /// - Returns: The return value of the closure.
  /// - Throws: Any error that the closure throws, and ``GlobalDataError``, as `set` does. The code is `busy` if other
  ///   processes keep changing the values that the closure reads, for at least ten runs and
  ///   ``Configuration/lockTimeout``. An update that throws changes nothing, with one exception: with code
  ///   `durabilityUnknown`, all changes were made but may not survive a power cut.
  /// - Complexity: O(*n*) in the size of all values or, with ``Persistence/appending``, of the changed ones if no other
  ///   process has written in between.
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
  /// This method is not generic, and `dynamic` keeps the compiler from copying it for each known closure. Otherwise it
  /// would take up 40 KB of machine code instead of 6 KB.
  private dynamic func runUpdate(
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
        try await commitQueued((ticket, mustCommit), tryingImmediately: true, isolation)
      } catch is StoreTicket.MustRunAgain {
        continue
      }
      if let failure { throw failure }
      return
    }
  }

  /// Runs the closure of an update and closes the update's ticket.
  ///
  /// A closure that throws changes nothing. Its reads are checked anyway, because it may have thrown on account of a
  /// value that is out of date by now.
  ///
  /// - Returns: The error that the closure threw, and whether this caller must commit.
  /// - Throws: The reason why the store cannot be read.
  private nonisolated func run(
    _ body: (inout Transaction) throws -> Void, for ticket: StoreTicket
  ) throws -> (failure: (any Error)?, mustCommit: Bool) {
    // The transaction must not outlive this function: the next commit copies any contents that are still referenced.
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
