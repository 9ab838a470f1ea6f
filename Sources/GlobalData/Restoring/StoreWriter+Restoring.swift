import FoundationCore
import KeyedArchive

extension StoreWriter {
  // MARK: Restoring

  /// Replaces all entries with those of an earlier state. Changes with a lower number that arrive later are not made.
  /// If `keepingFile` is `true` and there was a file, returns the location at which that file is kept.
  func restore(_ earlier: ArchiveImage, number: UInt64, keepingFile: Bool) throws -> URL? {
    let clears = [StoreClear(number: number, keptKeys: [])]
    guard let file else {
      try restore(earlier, on: try memory.withContents { $0 }, nil, clears)
      return nil
    }
    endHeldSession()
    let session = FileSession(file, .writing)
    defer {
      if memory.isKnownToBeAbsent { removeLockFile(session) }  // After a failure.
      session.end()
    }
    return try keepingLock(session, creatingFolder: true) {
      try restore(earlier, keepingFile: keepingFile, session, clears)
    }
  }

  private func restore(
    _ earlier: ArchiveImage, keepingFile: Bool, _ session: FileSession, _ clears: [StoreClear]
  ) throws -> URL? {
    let contents = try contentsToReplace(session, evenIfDamaged: keepingFile)
    if contents.condition == .ready, contents.hasSameEntries(as: earlier.entries) {
      try syncUnchanged(contents, session)
      queue.record(clears)
      if keepingFile { memory.forgetRecovery() }
      return nil
    }
    guard keepingFile else {
      let isDamaged = contents.condition == .damaged
      // The file stays set aside after a failure, too, as in every commit: the next commit relies on that.
      if isDamaged { try setAside(session) }
      try restore(earlier, on: contents, session, clears, isSetAside: isDamaged)
      return nil
    }
    // The file stays locked from here on, so that a clear by a writer without a lock file does not remove it.
    let kept =
      try session.currentFile() != nil
      ? session.setAside(limit: configuration.limits.maximumFileSize, configuration.durability, as: .replaced) : nil
    do {
      try restore(earlier, on: contents, session, clears, isSetAside: kept != nil)
    } catch {
      if let kept { putBack(kept, session, after: error) }
      throw error
    }
    memory.forgetRecovery()
    removeAside { try session.removeSetAsideFiles([.replaced], except: kept) }
    return kept
  }

  /// Removes the second name of a file that was set aside, unless the file was replaced in spite of the error.
  func putBack(_ kept: URL, _ session: FileSession, after error: any Error) {
    guard (error as? GlobalDataError)?.code != .durabilityUnknown else { return }
    removeAside { try session.putBack(kept) }
  }

  /// Removes set-aside files that are no longer needed. A failure is reported, and does not affect the restoration.
  private func removeAside(_ remove: () throws -> Void) {
    do {
      try remove()
    } catch {
      diagnostics.report(.leftovers, "files that were set aside could not be removed", error)
    }
  }

  /// Returns the current contents. Throws an error if the file may not be written.
  private func contentsToReplace(_ session: FileSession, evenIfDamaged: Bool) throws -> StoreContents {
    do {
      return try writableContents(session)
    } catch let error as GlobalDataError where error.code == .damaged && evenIfDamaged {
      return StoreContents(.damaged)  // Its entries cannot be read, or the recovery policy forbids it.
    }
  }

  /// Writes and publishes the entries of an earlier state, with a generation that is later than both. A store in memory
  /// has no session.
  @inline(never)
  private func restore(
    _ earlier: ArchiveImage, on contents: StoreContents, _ session: FileSession?, _ clears: [StoreClear],
    isSetAside: Bool = false
  ) throws {
    // Keep the store's identity. That of the earlier state may also belong to later states, before a clear gave the
    // store another one.
    var image = ArchiveImage(
      identity: contents.identity, generation: max(contents.generation, earlier.generation) &+ 1,
      entries: earlier.entries)
    image.entries.gatherIfScattered()
    try replaceAndPublish(image, session, isSetAside: isSetAside, clears: clears, .restore)
  }

  /// Replaces the file and the contents. If an error with code `durabilityUnknown` is thrown, both were replaced; after
  /// any other error, neither was.
  @inline(never)
  func replaceAndPublish(
    _ image: ArchiveImage, _ session: FileSession?, isSetAside: Bool, recovery: GlobalData.Recovery? = nil,
    clears: [StoreClear] = [], _ origin: GlobalData.Change.Origin
  ) throws {
    var written: WrittenFile?
    var unknown: GlobalDataError?
    if let session {
      do {
        defer { session.forgetFile() }
        written = try replace(with: image, session, isSetAside: isSetAside)
      } catch let error as GlobalDataError where error.code == .durabilityUnknown {
        unknown = error
      }
    }
    let contents = StoreContents(image, .ready, stamp: written?.stamp, appendPoint: written?.appendPoint)
    queue.record(clears)
    publish(contents, recovery: recovery, origin)
    if let unknown { throw unknown }
  }

  // MARK: Backups

  /// Writes the contents to another file. Returns the data that is known to have been lost from the contents.
  func backup(to url: URL) throws -> GlobalData.Recovery? {
    try refresh()
    let contents = try memory.withContents { $0 }
    switch contents.condition {
    case .absent, .ready: break
    case .damaged:
      throw GlobalDataError(
        .damaged, "the store is damaged and was not backed up",
        advice: """
          No backup was written; an earlier one is unchanged. Keep the intact entries with recover() and back those up, or \
          restore a backup.
          """, fileURL: location.url)
    case .newer(let version): throw GlobalDataError.cannotWriteNewer(version, location.url)
    }
    let target = ArchiveFile(
      url: url.absoluteURL, system: file?.system ?? POSIXSystemCalls(), protection: configuration.fileProtection,
      activitySource: file?.activitySource ?? ExpiringActivity.systemSource)
    let session = FileSession(target, .writing)
    defer { session.end() }
    guard try !isOwnFile(session) else {
      throw GlobalDataError(
        .writeFailed, "\(url.path) is the store's own file", advice: "Choose another path for the backup.",
        fileURL: url)
    }
    let pieces = try encoded(contents.image, for: url).pieces
    var written: FileSession.Replacement?
    // The result is `nil` if something else has replaced the earlier backup in the meantime.
    for _ in 0..<3 where written == nil {
      written = try session.replace(with: pieces, durability: .powerLoss)
      session.forgetFile()
    }
    guard let written else { throw GlobalDataError.keepsBeingReplaced(url) }
    report(written.concessions, url)
    return memory.recovery
  }

  private func isOwnFile(_ target: FileSession) throws -> Bool {
    guard let file else { return false }
    let session = FileSession(file, .reading)
    defer { session.end() }
    // Compare the paths, because the file may not exist yet, and the files themselves, because a file may have several
    // names.
    if try file.currentLocation().foldedPath == target.archive.currentLocation().foldedPath { return true }
    guard let own = try session.currentFile(), let other = try target.currentFile() else { return false }
    return own.status.identity == other.status.identity
  }

  private static let otherBackupAdvice = "Nothing was changed. Choose another backup."

  /// Reads a backup and checks all of it.
  func image(ofBackupAt url: URL) throws -> ArchiveImage {
    let reading = try GlobalData.existingFile(at: url, configuration.limits)
    guard case .intact(let contents) = reading.parsed else {
      let error = GlobalDataError.notIntact(reading.parsed, url)
      // By default, the advice of these errors is about the store's own file.
      throw error.code == .newerFormat ? error : error.advising(StoreWriter.otherBackupAdvice)
    }
    let (problems, exceedLimits) = GlobalData.malformedValues(of: contents.image.entries, configuration.limits)
    guard problems.isEmpty else {
      // A backup whose values are only too large for this store must not look damaged: the user would discard it.
      throw GlobalDataError(
        exceedLimits ? .decodingFailed : .damaged,
        "\(url.path) cannot be restored: \(problems.joined(separator: "; "))",
        advice: exceedLimits
          ? "Nothing was changed. Raise the store's limits if the backup is trusted."
          : StoreWriter.otherBackupAdvice,
        fileURL: url)
    }
    return contents.image
  }
}

extension StoreContents {
  /// The current contents, without a new generation.
  var image: ArchiveImage {
    ArchiveImage(identity: identity, generation: generation, entries: entries)
  }

  /// Returns whether the contents have the same entries in the same order.
  fileprivate func hasSameEntries(as others: EntryTable) -> Bool {
    haveEqualBytes(keys, others.keys) && others.list().allSatisfy { holds($0) }
  }
}
