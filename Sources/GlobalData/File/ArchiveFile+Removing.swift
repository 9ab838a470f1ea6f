import Foundation

extension ArchiveFile {
  /// Removes the file. That there is none is no error. A symbolic link that led to it stays; see ``removeLink(durability:)``.
  ///
  /// - Throws: ``GlobalDataError`` with code `removeFailed` or `notAFile` when the file is still there; with code
  ///   `durabilityUnknown` when it is gone but a power failure now may bring it back.
  func remove(durability: Durability) throws(GlobalDataError) {
    let location = try location()
    do throws(GlobalDataError) {
      if let found = try remove(location.name, in: location.folder, .regular, durability) {
        throw GlobalDataError.notRegular(found, url)
      }
    } catch {
      if error.code == .durabilityUnknown { noteRemoval() }
      throw error
    }
    noteRemoval()
  }

  /// Removes the symbolic link that the path is, if it is one: where the file is gone, the link leads nowhere, which
  /// would be an error at the next use.
  ///
  /// It is a step of its own, and the last of a removal: all that lies beside the file is found through the link, and
  /// its failure must not be taken for one to remove the file.
  ///
  /// - Throws: As ``remove(durability:)``.
  func removeLink(durability: Durability) throws(GlobalDataError) {
    do {
      // What is not a link is somebody's new file, and stays.
      _ = try remove(
        FileLocation.lastComponent(of: url.path), in: FileLocation.parent(of: url.path), .link, durability)
    } catch {
      // Where the link stays, the next write goes through it as before.
      if error.code == .durabilityUnknown { forgetLocation() }
      throw error
    }
    // The path may lead elsewhere from now on; it is followed again at the next use.
    forgetLocation()
  }

  /// Removes what is under a name if it is of the expected kind.
  ///
  /// - Returns: The kind of what is there and was not removed.
  private func remove(
    _ name: String,
    in path: String,
    _ expected: FileStatus.Kind,
    _ durability: Durability
  ) throws(GlobalDataError) -> FileStatus.Kind? {
    let folder: OpenFolder
    do {
      folder = try openFolder(path)
    } catch {
      guard error.isAbsent else { throw .cannotRemove(error, url) }
      return nil
    }
    defer { system.closeUnwritten(folder.descriptor) }
    do {
      let found = try status(of: name, in: folder, withTime: false).kind
      guard found == expected else { return found }
      try retryingInterruptions(system.unlink(name, in: folder.descriptor))
    } catch {
      guard error.isAbsent else { throw .cannotRemove(error, url) }
      return nil
    }
    if durability == .powerLoss { _ = try syncFolder(folder, after: "removed") }
    return nil
  }

  /// Removes the temporary files in the folder whose writers did not live to remove them.
  ///
  /// Those are the files that can be locked: a writer holds the lock of its temporary file, and it ends with its process. Where the file
  /// system has no locks, they are those older than ten minutes, since no write takes so long. Files of other stores in
  /// the folder are treated alike.
  ///
  /// - Parameter now: The time that ages are measured to, in seconds since 1970.
  /// - Returns: The number of files that were removed.
  /// - Throws: ``GlobalDataError`` with code `removeFailed`. A store that cannot do this can do all else.
  @discardableResult
  func removeLeftovers(now: Double = Date().timeIntervalSince1970) throws(GlobalDataError) -> Int {
    let location = try location()
    do {
      let folder = try openFolder(location.folder)
      defer { system.closeUnwritten(folder.descriptor) }
      guard folder.canBeListed else { return 0 }
      let names = try retryingInterruptions(system.names(in: folder.descriptor))
      var removed = 0
      for name in names.compactMap({ TemporaryFileName($0) }) {
        removed += try removeLeftover(name, in: folder, now: now) ? 1 : 0
      }
      return removed
    } catch {
      guard error.isAbsent else { throw .cannotRemoveLeftovers(error, url) }
      return 0
    }
  }

  private func removeLeftover(
    _ name: TemporaryFileName,
    in folder: OpenFolder,
    now: Double
  ) throws(SystemCallError) -> Bool {
    do throws(SystemCallError) {
      let status = try status(of: name.text, in: folder, withTime: true)
      // A folder or a link of such a name is none of ours.
      guard status.kind == .regular, let modified = status.modified else { return false }
      let descriptor = try openForReading(name.text, in: folder)
      // The lock is held until the name is gone: a writer that comes to lock its new file meanwhile finds it taken, and makes another.
      defer { system.closeUnwritten(descriptor) }
      do throws(SystemCallError) {
        try retryingInterruptions(system.tryLock(descriptor))
      } catch {
        if error.isWouldBlock { return false }  // It is being written.
        guard error.hasNoLocks else { throw error }
        guard now - Double(modified.seconds) > 600 else { return false }
      }
      try retryingInterruptions(system.unlink(name.text, in: folder.descriptor))
      return true
    } catch {
      // Its writer has finished, or another process was first; or it is another user's, whose processes remove it.
      guard error.isAbsent || error.call == .openat && error.isDenied else { throw error }
      return false
    }
  }
}
