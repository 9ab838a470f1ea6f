import Foundation

/// Reads a store's file, and decides what a store makes of it.
struct StoreReader: Sendable {
  let location: StoreLocation
  let file: ArchiveFile?
  let configuration: GlobalData.Configuration
  let diagnostics: StoreDiagnostics

  /// Reads the file, in a session of its own.
  ///
  /// - Returns: Its contents, and what was kept of it where it is damaged.
  /// - Throws: Why it cannot be read.
  func read() throws -> (StoreContents, GlobalData.Recovery?) {
    if case .invalid(let error) = location { throw error }
    guard let file else { return (StoreContents(.ready), nil) }
    let session = FileSession(file, .reading)
    defer { session.end() }
    return try read(session)
  }

  /// Reads the file that a session has open, or opens.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - isForUpdating: Whether the file is to be written in place after it was read.
  /// - Returns: As ``read()``.
  /// - Throws: Why it cannot be read.
  func read(_ session: FileSession, isForUpdating: Bool = false) throws -> (StoreContents, GlobalData.Recovery?) {
    let leftovers = Result { try session.removeLeftovers() }
    let reading = try session.readArchive(configuration.limits, isForUpdating: isForUpdating)
    // They take room and harm nothing; a store that cannot remove them can do all else. If the file cannot be read either, that error
    // is thrown, and the same cause is not reported before.
    if case .failure(let error) = leftovers {
      diagnostics.report(.leftovers, "left-over temporary files could not be removed", error)
    }
    guard let reading else { return (StoreContents(.absent), nil) }
    let parsed: ArchiveImage.Contents
    do {
      parsed = try reading.outcome.get()
    } catch {
      throw GlobalDataError.cannotParse(error, session.url)
    }
    let accepted = try accept(parsed, of: session.archive, stamp: reading.stamp)
    // Only now: a file that is not a store's stays as it is.
    if let location = session.location { session.archive.excludeFromBackups(location.name, in: location.folder) }
    return accepted
  }

  private func accept(
    _ parsed: ArchiveImage.Contents, of file: ArchiveFile, stamp: FileStamp?
  ) throws -> (StoreContents, GlobalData.Recovery?) {
    guard parsed.version <= ArchiveImage.version else {
      // Without the part that could not be read, "no such key" would be a guess.
      guard parsed.damage.isEmpty else {
        throw GlobalDataError.cannotParse(.newerFormat(version: parsed.version), file.url)
      }
      return (StoreContents(parsed.image, .newer(version: parsed.version), stamp: stamp), nil)
    }
    guard !parsed.damage.isEmpty else {
      return (StoreContents(parsed.image, .ready, stamp: stamp, appendPoint: parsed.appendPoint), nil)
    }
    guard configuration.recoveryPolicy == .keepIntactEntries else {
      throw GlobalDataError.damaged(parsed.damage, file.url)
    }
    let recovery = GlobalData.Recovery(parsed, file.url)
    diagnostics.report(
      .recovered, "\(recovery.keptKeys.count) entries were kept and \(recovery.lostEntryCount) lost",
      GlobalDataError.damaged(parsed.damage, file.url))
    return (StoreContents(parsed.image, .damaged, stamp: stamp), recovery)
  }
}
