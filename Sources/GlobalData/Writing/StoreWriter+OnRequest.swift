import FoundationCore

// Operations on a store's file that are requested directly rather than caused by a change.

extension StoreWriter {
  /// Forgets the contents, so that the next use reads the file again. A store in memory keeps its contents.
  func close() {
    endHeldSession()
    keptFiles = nil
    watch = nil
    (isWatchRefused, mustReadAgain) = (false, false)
    if file != nil {
      memory.forgetContents { !observers.isEmpty }
      forgetFailedCompaction()
    }
  }

  /// Reads the file again if something else has replaced or changed it.
  func refresh() throws {
    let session = file.map { FileSession($0, .reading) }
    defer { session?.end() }
    _ = try currentContents(session)
  }

  /// Sets a damaged file aside and rewrites its intact entries. Returns `nil` if the file is not damaged.
  func recover() throws -> GlobalData.Recovery? {
    guard let file else {
      try memory.load()  // Throws if the location of the store is invalid.
      return nil
    }
    endHeldSession()
    let session = FileSession(file, .writing)
    defer { session.end() }
    // A file that does not exist is not damaged, and needs no lock.
    guard try session.exists() else { return nil }
    return try keepingLock(session, creatingFolder: false) { try recover(session) }
  }

  private func recover(_ session: FileSession) throws -> GlobalData.Recovery? {
    let limit = configuration.limits.maximumFileSize
    guard let (bytes, _) = try session.read(limit: limit) else {
      removeLockFile(session)  // Another process has cleared the store.
      return nil
    }
    guard let parsed = try contentsIfDamaged(bytes, session.url) else {
      try syncUnchanged(writableContents(session), session)
      return nil
    }
    var recovery = GlobalData.Recovery(parsed, session.url)
    let kept = try session.setAside(limit: limit, configuration.durability, as: .damaged)
    recovery.setAsideURL = kept
    var image = parsed.image
    image.generation &+= 1
    do {
      try replaceAndPublish(image, session, isSetAside: true, recovery: recovery, .recovery)
    } catch {
      putBack(kept, session, after: error)
      throw error
    }
    return recovery
  }

  /// Returns the intact part of a damaged file, which is empty if not even the head of the file can be read. Returns
  /// `nil` for an intact file.
  private func contentsIfDamaged(_ bytes: SharedBytes, _ url: URL) throws(GlobalDataError) -> ArchiveImage.Contents? {
    let parsed = ArchiveImage.parsing(bytes)
    switch parsed {
    case .intact: return nil
    case .damaged(let contents): return contents
    case .unreadable(let damage):
      return ArchiveImage.Contents(
        image: ArchiveImage(identity: .random(), generation: 0, entries: []), byteCount: bytes.count, damage: [damage])
    case .newer(let version, _?): throw .cannotWriteNewer(version, url)
    case .newer, .foreign: throw .notIntact(parsed, url)
    }
  }
}
