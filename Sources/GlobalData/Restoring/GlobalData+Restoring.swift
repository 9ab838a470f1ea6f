public import FoundationCore

// Saving the state of a store in memory or in a file, and restoring it.

extension GlobalData {
  /// Returns a snapshot of the store's contents, in O(1).
  ///
  /// - Throws: ``GlobalDataError`` if the store cannot be read.
  public nonisolated func snapshot() throws -> Snapshot {
    Snapshot(try engine.memory.withContents { $0 }, of: self)
  }

  /// Replaces everything in the store with the contents of a snapshot, in one write.
  ///
  /// Changes that were requested earlier take effect first, and are then replaced. Observers are notified of the keys
  /// whose values differ and of moved elements, with the origin `restore`. The snapshot may come from another store.
  ///
  /// - Parameters:
  ///   - snapshot: The contents to restore.
  ///   - isolation: The caller's actor, whose calls keep their order.
  /// - Throws: ``GlobalDataError`` as `set` does. In that case nothing is changed, except with `durabilityUnknown`:
  ///   then everything is restored, but may not survive a power cut.
  /// - Complexity: O(*n*) in the size of all values, which are written to the file.
  public func restore(_ snapshot: Snapshot, isolation: isolated (any Actor)? = #isolation) async throws {
    _ = try await inTurn(isolation) { writer, number, _ in
      try writer.restore(snapshot.contents.image, number: number, keepingFile: false)
    }
  }

  /// Writes the contents of the store to another file. Other tasks and processes can continue to write during the call.
  ///
  /// The backup is a complete store file with the state at one moment. It contains everything that was written before
  /// this call, and all or nothing of each later write. An earlier file at the same path is either replaced as a whole
  /// or left unchanged. When the call returns, the backup is on stable storage.
  ///
  /// - Parameter url: The location of the backup. Its folder is created if it is missing.
  /// - Returns: The data that was lost earlier, if the store's file was found damaged and was recovered. The backup
  ///   does not contain this data either.
  /// - Throws: ``GlobalDataError`` with code `damaged` if the store is damaged and has not been recovered, so that no
  ///   good backup is replaced with the remaining data; with code `newerFormat` if the store can only be read; with
  ///   code `writeFailed` if the URL is that of the store's own file, or if the backup cannot be written; with code
  ///   `fileTooLarge` if the backup would exceed the store's limit for files; with code `durabilityUnknown` if the
  ///   backup is complete, but may not survive a power cut; with code `busy` if it is in the container of an app group,
  ///   and the system is about to suspend the app; and if the store cannot be read.
  /// - Complexity: O(*n*) in the size of all values.
  @discardableResult
  public func backup(to url: URL) async throws -> Recovery? {
    try await inTurn(self) { writer, _, _ in try writer.backup(to: url) }
  }

  /// Replaces all contents of the store with those of a backup, or of another store's file, in one write.
  ///
  /// The whole backup is checked first, including each value. The store keeps its identity, so that other processes see
  /// a later state of the same store, and not another store. The previous contents of the store's file are kept next to
  /// it under another name, until the next restoration or `clear()`. Therefore, a store whose file is damaged can be
  /// restored, too.
  ///
  /// - Parameters:
  ///   - url: The location of the backup, which is only read.
  ///   - isolation: The caller's actor, whose calls keep their order.
  /// - Returns: The location of the file with the previous contents, or `nil` if there was no file or the store already
  ///   has the contents of the backup.
  /// - Throws: ``GlobalDataError`` with code `damaged`, `foreignFormat`, or `newerFormat` if the backup is not intact,
  ///   with code `decodingFailed` if a value exceeds the limits of the store, with code `readFailed` if there is no
  ///   backup, and as `restore(_:)` does. In these cases, nothing is changed, except with `durabilityUnknown`.
  /// - Complexity: O(*n*) in the size of the backup and of all values.
  @discardableResult
  public func restore(from url: URL, isolation: isolated (any Actor)? = #isolation) async throws -> URL? {
    try await inTurn(isolation) { writer, number, _ in
      try writer.restore(writer.image(ofBackupAt: url), number: number, keepingFile: true)
    }
  }

  /// Runs work on the store's thread after everything that was requested earlier, and before everything that is
  /// requested later. Like that of an update, its ticket stays open until then. The work gets the ticket's number, and
  /// the error if the commit of the earlier requests failed.
  dynamic func inTurn<Answer: Sendable>(
    _ isolation: isolated (any Actor)?, _ work: @escaping @Sendable (StoreWriter, UInt64, (any Error)?) throws -> Answer
  ) async throws -> Answer {
    let ticket = engine.queue.add(nil).ticket
    while true {
      await engine.queue.waitForTurn(of: ticket, isolation: isolation)
      if let outcome = await run(work, for: ticket) { return try outcome.get() }
    }
  }

  /// Returns `nil` if an earlier update has to run again first.
  private func run<Answer>(
    _ work: @Sendable (StoreWriter, UInt64, (any Error)?) throws -> Answer, for ticket: StoreTicket
  ) -> Result<Answer, any Error>? {
    engine.withWriter(self) { writer in
      let failure = writer.commitQueue()
      guard engine.queue.hasTurn(ticket) else { return nil }
      let outcome = Result { try work(writer, ticket.number, failure) }
      if engine.queue.withdraw(ticket, StoreTicket.MustRunAgain()) { writer.commitQueue() }
      return outcome
    }
  }

  // MARK: The current store

  /// Returns a snapshot of the current store's contents, in O(1). See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func snapshot() throws -> Snapshot { try current.snapshot() }

  /// Replaces everything in the current store with the contents of a snapshot. See the instance method of the same
  /// name.
  @_alwaysEmitIntoClient
  public static func restore(_ snapshot: Snapshot, isolation: isolated (any Actor)? = #isolation) async throws {
    try await current.restore(snapshot, isolation: isolation)
  }

  /// Writes the contents of the current store to another file. See the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func backup(to url: URL) async throws -> Recovery? { try await current.backup(to: url) }

  /// Replaces all contents of the current store with those of a backup. See the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func restore(from url: URL, isolation: isolated (any Actor)? = #isolation) async throws -> URL? {
    try await current.restore(from: url, isolation: isolation)
  }
}
