public import FoundationCore

// States of a store that are kept, in memory or in a file, and put back.

extension GlobalData {
  /// What the store holds now, in O(1).
  ///
  /// - Throws: ``GlobalDataError`` when the store cannot be read.
  public nonisolated func snapshot() throws -> Snapshot {
    Snapshot(try engine.memory.withContents { $0 }, of: self)
  }

  /// Replaces everything in the store with the contents of a snapshot, as one write.
  ///
  /// Changes that were requested earlier take effect first, and are then replaced. Observers are told about the keys
  /// whose values differ, with the origin `restore`. The snapshot may come from another store.
  ///
  /// - Parameter snapshot: The contents to restore.
  /// - Throws: ``GlobalDataError`` as `set` does. In that case nothing is changed, except with `durabilityUnknown`:
  ///   then everything is restored, but may not survive a power cut.
  /// - Complexity: O(*n*) in the size of all values, which are written to the file.
  public func restore(_ snapshot: Snapshot) async throws {
    await finishUpdates()
    _ = try engine.withWriter(self) { try $0.restore(snapshot.contents.image, keepingFile: false) }
  }

  /// Writes what the store holds to another file, while other tasks and processes go on writing.
  ///
  /// The backup is a store's file of its own, as of one moment: it holds what was written before this call, and of each
  /// later write all or nothing. An earlier file is replaced as a whole, or stays as it is. When the call returns, the
  /// backup is on stable storage.
  ///
  /// - Parameter url: The place of the backup. Its folder is created where it is missing.
  /// - Returns: What was lost before, where the store's file was found damaged and was recovered: the backup does not
  ///   have it either.
  /// - Throws: ``GlobalDataError`` with code `damaged` for a store that is damaged and not recovered, so that no good
  ///   backup is replaced with what is left; with code `newerFormat` for one that can only be read; with code
  ///   `writeFailed` for the store's own file, or where the backup cannot be written; and when the store cannot be
  ///   read.
  /// - Complexity: O(*n*) in the size of all values.
  @discardableResult
  public func backup(to url: URL) async throws -> Recovery? {
    await finishUpdates()
    return try engine.withWriter(self) { try $0.backup(to: url) }
  }

  /// Puts back what a backup holds, or another store's file, in the place of all that the store holds, as one write.
  ///
  /// The backup is checked as a whole first, each value included. The store keeps its identity, so that other processes
  /// see a later state of it, and not another store. What the store's file held is kept beside it under another name,
  /// until the next restoration or `clear()`. So a store whose file is damaged can be restored, too.
  ///
  /// - Parameter url: The place of the backup. It is only read.
  /// - Returns: The place of the file with the earlier contents; `nil` where there was none.
  /// - Throws: ``GlobalDataError`` with code `damaged`, `foreignFormat` or `newerFormat` for a backup that is not
  ///   intact, with code `readFailed` where there is none; and as `restore(_:)` does. Nothing is changed then.
  /// - Complexity: O(*n*) in the size of the backup and of all values.
  @discardableResult
  public func restore(from url: URL) async throws -> URL? {
    await finishUpdates()
    return try engine.withWriter(self) { writer in
      try writer.restore(writer.image(ofBackupAt: url), keepingFile: true)
    }
  }

  /// Waits for the updates that were asked for before, whose closures have still to run.
  func finishUpdates() async {
    for update in engine.queue.openTickets { await update.waitUntilDone() }
  }

  // MARK: The current store

  /// What the current store holds now, in O(1); see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func snapshot() throws -> Snapshot { try current.snapshot() }

  /// Puts back what a snapshot holds in the current store; see the instance's method of the same name.
  @_alwaysEmitIntoClient
  public static func restore(_ snapshot: Snapshot) async throws { try await current.restore(snapshot) }

  /// Writes what the current store holds to another file; see the instance's method of the same name.
  @discardableResult
  @_alwaysEmitIntoClient
  public static func backup(to url: URL) async throws -> Recovery? { try await current.backup(to: url) }

  /// Puts back what a backup holds in the current store; see the instance's method of the same name.
  @discardableResult
  @_alwaysEmitIntoClient
  public static func restore(from url: URL) async throws -> URL? { try await current.restore(from: url) }
}
