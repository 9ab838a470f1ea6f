import Foundation

extension FileSession {
  /// Returns whether there is a file, or anything else under its name.
  func exists() throws(GlobalDataError) -> Bool {
    guard let (folder, location) = try folder(GlobalDataError.cannotOpen) else { return false }
    return try naming(GlobalDataError.cannotOpen, ifPresent(folder.status(of: location.name))) != nil
  }

  /// Removes the file. That there is none is no error. A symbolic link that led to it stays; see ``removeLink(durability:)``.
  ///
  /// - Throws: ``GlobalDataError`` with code `removeFailed` or `notAFile` when the file is still there; with code
  ///   `durabilityUnknown` when it is gone but a power failure now may bring it back.
  func remove(durability: Durability) throws(GlobalDataError) {
    forgetFile()
    do throws(GlobalDataError) {
      if let (folder, location) = try folder(GlobalDataError.cannotRemove),
        let found = try remove(location.name, in: folder, .regular, durability)
      {
        throw GlobalDataError.notRegular(found, url)
      }
    } catch {
      if error.code == .durabilityUnknown { archive.recordRemoval() }
      throw error
    }
    archive.recordRemoval()
  }

  /// Removes the symbolic link that the path is, if it is one. Where the file is gone, the link leads nowhere, which would be an error at
  /// the next use.
  ///
  /// It is a step of its own, and the last of a removal: all that lies beside the file is found through the link, and its failure must not
  /// be taken for one to remove the file.
  ///
  /// - Throws: As ``remove(durability:)``.
  func removeLink(durability: Durability) throws(GlobalDataError) {
    // The folder of the link, which is not that of the file.
    guard
      let folder = try naming(
        GlobalDataError.cannotRemove, ifPresent(StoreFolder(FileLocation.parent(of: url.path), archive.system)))
    else { return archive.forgetLocation() }
    do {
      // What is not a link is a new file, and stays.
      _ = try remove(FileLocation.lastComponent(of: url.path), in: folder, .link, durability)
    } catch {
      // Where the link stays, the next write goes through it as before.
      if error.code == .durabilityUnknown { archive.forgetLocation() }
      throw error
    }
    // The path may lead elsewhere from now on. It is followed again at the next use.
    archive.forgetLocation()
  }

  /// Removes what is under a name if it is of the expected kind; returns the kind of what is there and is of another.
  private func remove(
    _ name: String, in folder: StoreFolder, _ expected: FileStatus.Kind, _ durability: Durability
  ) throws(GlobalDataError) -> FileStatus.Kind? {
    guard let found = try naming(GlobalDataError.cannotRemove, ifPresent(folder.status(of: name).kind)) else {
      return nil
    }
    guard found == expected else { return found }
    guard try naming(GlobalDataError.cannotRemove, ifPresent(folder.unlink(name))) != nil else { return nil }
    if durability == .powerLoss { _ = try sync(folder, after: "removed") }
    return nil
  }

  /// Removes the temporary files in the folder whose writers did not live to remove them.
  ///
  /// Those are the files that can be locked: a writer holds the lock of its temporary file, and it ends with its process. Where the file
  /// system has no locks, they are those older than ten minutes, since no write takes so long. Files of other stores in
  /// the folder are treated alike.
  ///
  /// It returns the number of files that were removed. A store that cannot do this can do all else.
  @discardableResult
  func removeLeftovers(now: Double = Date().timeIntervalSince1970) throws(GlobalDataError) -> Int {
    guard let (folder, _) = try folder(GlobalDataError.cannotRemoveLeftovers), folder.canBeListed else { return 0 }
    return try naming(GlobalDataError.cannotRemoveLeftovers, ifPresent(removeLeftovers(in: folder, now: now))) ?? 0
  }

  private func removeLeftovers(in folder: StoreFolder, now: Double) throws(SystemCallError) -> Int {
    var removed = 0
    for name in try folder.names() where SideFileName.isTemporary(name) {
      removed += try removeLeftover(name, in: folder, now: now) ? 1 : 0
    }
    return removed
  }

  private func removeLeftover(_ name: String, in folder: StoreFolder, now: Double) throws(SystemCallError) -> Bool {
    do throws(SystemCallError) {
      let status = try folder.statusAndTime(of: name)
      // A folder or a link of such a name is not a store's.
      guard status.kind == .regular, let modified = status.modified else { return false }
      let file = try folder.openForReading(name)
      // The lock is held until the name is gone: a writer that comes to lock its new file meanwhile finds it taken, and creates another.
      defer { file.discard() }
      do throws(SystemCallError) {
        try file.tryLock()
      } catch {
        if error.isWouldBlock { return false }  // It is being written.
        guard error.hasNoLocks else { throw error }
        guard now - Double(modified.seconds) > 600 else { return false }
      }
      try folder.unlink(name)
      return true
    } catch {
      // Its writer has finished, or another process was first; or it is another user's, whose processes remove it.
      guard error.isAbsent || error.call == .openat && error.isDenied else { throw error }
      return false
    }
  }

  /// Removes the files of this store that were set aside. There may be none.
  func removeSetAsideFiles() throws(GlobalDataError) {
    guard let (folder, location) = try folder(GlobalDataError.cannotRemoveLeftovers), folder.canBeListed else { return }
    do {
      for name in try folder.names() where location.sideNames.isAside(name) { try folder.unlink(name) }
    } catch {
      guard error.isAbsent else { throw .cannotRemoveLeftovers(error, url) }
    }
  }
}
