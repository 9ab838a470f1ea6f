import Foundation

// What a store does with its file when it is asked to, and not for a change.

extension StoreWriter {
  /// Finishes what is queued and forgets the contents; the next use reads the file again. A store in memory stays.
  ///
  /// - Throws: Why the last commit failed.
  func close() throws {
    let failure = commitQueue()
    endHeldVisit()
    keptPlace = nil
    if file != nil {
      memory.forgetContents()
      forgetFailedCompaction()
    }
    if let failure { throw failure }
  }

  /// Reads the file again if something else has replaced it.
  func refresh() throws {
    let visit = file.map { ArchiveVisit($0, isForWriting: false) }
    defer { visit?.end() }
    _ = try currentContents(visit)
  }

  /// Sets a damaged file aside and puts its intact entries in its place.
  ///
  /// - Returns: What was kept and lost; `nil` when the file is not damaged.
  func recover() throws -> GlobalData.Recovery? {
    guard let file else { return nil }
    // What is not there is not damaged, and is to have no lock either.
    guard try file.exists() else { return nil }
    endHeldVisit()
    let visit = ArchiveVisit(file)
    defer { visit.end() }
    let lock = { [configuration] in
      guard configuration.isShared else { return }
      try visit.lock(timeout: configuration.lockTimeout, makingFolder: false, configuration.durability)
    }
    try lock()
    var recovery: GlobalData.Recovery?
    try keepingLock(visit, lock) { recovery = try recover(file, visit) }
    return recovery
  }

  private func recover(_ file: ArchiveFile, _ visit: ArchiveVisit) throws -> GlobalData.Recovery? {
    guard let data = try file.read(limit: configuration.limits.maximumFileSize) else { return nil }
    var parsed = try whatIsIntact(of: data, file.url)
    guard parsed.version <= ArchiveImage.version else {
      throw GlobalDataError.cannotWriteNewer(parsed.version, file.url)
    }
    guard !parsed.damage.isEmpty else { return nil }
    try visit.checkLock()
    var recovery = GlobalData.Recovery(parsed, file.url)
    recovery.setAsideURL = try file.setAside(limit: configuration.limits.maximumFileSize, configuration.durability)
    parsed.image.generation &+= 1
    let written = try write(parsed.image, visit, isSetAside: true)
    let keys = memory.knownKeys
    let old = oldEntries(of: keys)
    let contents = StoreContents(parsed.image, .ready, stamp: written.stamp, appendPoint: written.appendPoint)
    publish(contents, recovery: recovery)
    notifyObservers(of: keys.union(contents.keys), .recovery, old: old)
    return recovery
  }

  /// The intact part of a file; an empty archive where not even the beginning can be read.
  private func whatIsIntact(of data: Data, _ url: URL) throws(GlobalDataError) -> ArchiveImage.Contents {
    do {
      return try ArchiveImage.parse(data, limits: configuration.limits)
    } catch {
      guard case .damaged(let damage) = error else { throw .cannotParse(error, url) }
      return ArchiveImage.Contents(
        image: ArchiveImage(identity: UUID(), generation: 0, entries: []), version: ArchiveImage.version,
        byteCount: data.count, damage: [damage])
    }
  }
}
