import CodingSupport
import FoundationCore

/// Reads a store's file, and decides whether the store accepts it: as it is, or the intact entries of a damaged file.
final class StoreReader: Sendable {
  let location: StoreLocation
  let file: ArchiveFile?
  let configuration: GlobalData.Configuration
  let diagnostics: StoreDiagnostics

  init(
    _ location: StoreLocation, _ file: ArchiveFile?, _ configuration: GlobalData.Configuration,
    _ diagnostics: StoreDiagnostics
  ) {
    self.location = location
    self.file = file
    self.configuration = configuration
    self.diagnostics = diagnostics
  }

  /// Reads the file in a separate session, for the first time, and removes leftover temporary files. Also returns the
  /// recovery if the file is damaged.
  func read() throws -> (StoreContents, GlobalData.Recovery?) {
    if case .invalid(let error) = location { throw error }
    guard let file else { return (StoreContents(.ready), nil) }
    let session = FileSession(file, .reading)
    defer { session.end() }
    let leftovers = Result { try session.removeLeftovers() }
    let accepted = try read(session)
    // Leftover files take up space but do no harm, and a store that cannot remove them can do everything else. If the
    // file cannot be read either, that error is thrown, and the same cause is not reported first.
    if case .failure(let error) = leftovers {
      diagnostics.report(.leftovers, "leftover temporary files could not be removed", error)
    }
    return accepted
  }

  /// Reads the file. If `isForUpdating` is true, the file is written in place afterward.
  func read(_ session: FileSession, isForUpdating: Bool = false) throws -> (StoreContents, GlobalData.Recovery?) {
    let reading = try session.readArchive(limit: configuration.limits.maximumFileSize, isForUpdating: isForUpdating)
    guard let reading else { return (StoreContents(.absent), nil) }
    let accepted = try accept(reading.parsed, of: session.archive, stamp: reading.stamp)
    // Do this only now, so that a file that does not belong to a store stays unchanged.
    if let location = session.location { session.archive.excludeFromBackups(location.name, in: location.folder) }
    return accepted
  }

  private func accept(
    _ parsed: ParsedArchive, of file: ArchiveFile, stamp: FileStamp?
  ) throws -> (StoreContents, GlobalData.Recovery?) {
    switch parsed {
    case .intact(let contents):
      return (StoreContents(contents.image, .ready, stamp: stamp, appendPoint: contents.appendPoint), nil)
    // Accept a newer file only if it is undamaged. If part of it could not be read, "no such key" would be a guess.
    case .newer(let version, let contents?) where contents.damage.isEmpty:
      return (StoreContents(contents.image, .newer(version: version), stamp: stamp), nil)
    case .damaged(let contents) where configuration.recoveryPolicy == .keepIntactEntries:
      let recovery = GlobalData.Recovery(contents, file.url)
      diagnostics.report(
        .recovered, "kept \(counted(recovery.keptKeys.count, "entry", "entries")) and lost \(recovery.lostEntryCount)",
        GlobalDataError.damaged(contents.damage, file.url))
      return (StoreContents(contents.image, .damaged, stamp: stamp), recovery)
    case .damaged, .newer, .unreadable, .foreign: throw GlobalDataError.notIntact(parsed, file.url)
    }
  }
}
