import Foundation

/// Reads a store's file, and decides what a store makes of it.
struct StoreReader: Sendable {
  let location: StoreLocation
  let file: ArchiveFile?
  let configuration: GlobalData.Configuration
  let diagnostics: StoreDiagnostics

  /// Reads the file.
  ///
  /// - Returns: Its contents, and what was kept of it where it is damaged.
  /// - Throws: Why it cannot be read.
  func read() throws -> (StoreContents, GlobalData.Recovery?) {
    if case .invalid(let error) = location { throw error }
    guard let file else { return (StoreContents(.ready), nil) }
    let leftovers = Result { try file.removeLeftovers() }
    let reading = try file.readArchive(configuration.limits, isStamped: true)
    // They take room and harm nothing; a store that cannot remove them can do all else. Where the file cannot be read either,
    // that is thrown, and the same cause need not be reported before.
    if case .failure(let error) = leftovers {
      diagnostics.report(.leftovers, "left-over temporary files could not be removed", error)
    }
    guard let reading else {
      return (StoreContents(.absent), nil)
    }
    let parsed: ArchiveImage.Contents
    do {
      parsed = try reading.outcome.get()
    } catch {
      throw GlobalDataError.cannotParse(error, file.url)
    }
    let accepted = try accept(parsed, of: file, stamp: reading.stamp)
    // Only now: what is not a store's file is to stay as it is.
    try file.excludeFromBackups()
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
