import FoundationCore

extension FileSession {
  /// Returns whether a file, or anything else, has the file's name.
  func exists() throws(GlobalDataError) -> Bool {
    guard let (folder, location) = try folder(to: .open) else { return false }
    return try naming(.open, ifPresent(folder.status(of: location.name))) != nil
  }

  /// Removes the file if it exists. A symbolic link to it stays. After an error with code `durabilityUnknown` the file
  /// is gone, but a power cut may bring it back; after any other error the file is still there. Returns `false` if
  /// nothing was changed and the operation has to begin again.
  func remove(durability: Durability) throws(GlobalDataError) -> Bool {
    defer { forgetFile() }
    guard let (folder, location) = try folder(to: .remove) else { return true }
    try beginActivity(location)  // Before anything is removed, because leftover files may be locked afterward.
    // The file's own lock is held until the file is gone. Otherwise, a writer that has lost its lock file could find
    // the file in place, and then bring back its values. A file that cannot be opened can be removed, too.
    if found == nil { _ = try? currentFile() }
    let identity: FileIdentity? = if case .file(let examined) = found { examined.status.identity } else { nil }
    if let status = try naming(.remove, ifPresent(folder.status(of: location.name))) {
      guard status.kind == .regular else { throw .notRegular(status.kind, url) }
      guard found == nil || status.identity == identity, try naming(.lock, isStillLocked()) else {
        return false
      }
      _ = try naming(.remove, ifPresent(folder.unlink(location.name)))
    }
    try syncRemoval(durability)  // Without a file, too.
    return true
  }

  /// Syncs the folder of a file that was removed. Another writer may have removed it without a sync.
  func syncRemoval(_ durability: Durability) throws(GlobalDataError) {
    guard durability == .powerLoss, let (folder, _) = try folder(to: .remove) else { return }
    _ = try sync(folder, after: "removed")
  }

  /// Removes temporary files of dead writers from the folder, including those of other stores, and returns their
  /// number.
  ///
  /// A writer locks its temporary file, and the lock ends with its process. So a file that can be locked is left over.
  /// If the file system does not support locks, a file older than ten minutes counts as left over: no write takes so
  /// long.
  @discardableResult
  func removeLeftovers(now: Double = Date().timeIntervalSince1970) throws(GlobalDataError) -> Int {
    guard let (folder, location) = try folder(to: .removeLeftovers), folder.canBeListed else { return 0 }
    var removed = 0
    for name in try naming(.removeLeftovers, ifPresent(folder.names())) ?? [] where SideFileName.isTemporary(name) {
      try beginActivity(location)  // A leftover file is locked, too.
      if try naming(.removeLeftovers, removeLeftover(name, in: folder, now: now)) { removed += 1 }
    }
    return removed
  }

  private func removeLeftover(_ name: String, in folder: StoreFolder, now: Double) throws(SystemCallError) -> Bool {
    do throws(SystemCallError) {
      let status = try folder.status(of: name, withTime: true)
      // A folder or a link with such a name does not belong to a store.
      guard status.kind == .regular, let modified = status.modified else { return false }
      let file = try folder.openExisting(name)
      // Hold the lock until the name is gone. A writer that tries to lock its new file in the meantime fails, and
      // creates another file.
      defer { file.discard() }
      do throws(SystemCallError) {
        try file.tryLock()
      } catch {
        if error.isWouldBlock { return false }  // A writer is using it.
        guard error.hasNoLocks else { throw error }
        guard now - Double(modified.seconds) > 600 else { return false }
      }
      try folder.unlink(name)
      return true
    } catch {
      // The writer has finished, or another process was faster, or the file is another user's, whose processes remove
      // it.
      guard error.isAbsent || error.call == .openat && error.isDenied else { throw error }
      return false
    }
  }

  /// Removes the files that were set aside for the given reasons, except for one.
  func removeSetAsideFiles(
    _ reasons: [SideFileName.Aside] = SideFileName.Aside.allCases, except kept: URL? = nil
  ) throws(GlobalDataError) {
    guard let (folder, location) = try folder(to: .removeLeftovers), folder.canBeListed else { return }
    for name in try naming(.removeLeftovers, ifPresent(folder.names())) ?? [] where name != kept?.lastPathComponent {
      guard reasons.contains(where: { location.sideNames.isAside(name, $0) }) else { continue }
      _ = try naming(.removeLeftovers, ifPresent(folder.unlink(name)))
    }
  }
}
