import FoundationCore
import KeyedArchive

// The write protocol. Its order makes it safe: every state that a power cut may leave is a complete old file or a
// complete new one.
//
//   temporary file, exclusive, beside the real one   a failure before the rename removes it and changes nothing
//   lock of the temporary file, fstat, dup           others see that its writer lives; dup keeps the lock to the end
//   exclusion from backups of a first file
//   owner and attributes of the old file, then the exclusion
//   permissions of the old file
//   all bytes
//   fsync, once                                      the bytes are on stable storage before the name is
//   fstat                                            the size and time that distinguish this file from later ones
//   close                                            reports errors that a network or a quota delayed
//   status of the name, and of the store's lock      if either differs from the start, the write begins again
//   renameat                                         the only moment that readers can see; the first file
//                                                    replaces none, which another process may have just created
//   close of the second descriptor                   ends the lock, once the temporary name is gone
//   fsync of the folder                              the name is on stable storage before success is reported
//
// No step is retried with the same temporary file: after a failed fsync, the system may have dropped the bytes and
// report the next fsync as a success. A later write starts with a new file and all bytes.

extension FileSession {
  /// Replaces the file, or creates it and its folder. Returns `nil` if nothing was changed and the operation has to
  /// begin again.
  ///
  /// The new file has the permissions, group, owner (if this process may give files away) and extended attributes of
  /// the earlier one. If one of them cannot be kept, the new file is open to fewer users, never to more, and the result
  /// reports this.
  ///
  /// After an error with code `durabilityUnknown` the new contents are in the file but may not survive a power cut;
  /// after any other error nothing was changed.
  func replace(with pieces: [SharedBytes], durability: Durability) throws(GlobalDataError) -> Replacement? {
    let (folder, location) = try folderOrCreated(durability)
    try beginActivity(location)  // The temporary file is locked, too, also by a writer without the store's lock.
    let earlier = try currentFile()
    guard
      var result = try naming(.write, put(pieces, in: folder, under: location.name, like: earlier, durability))
    else { return nil }
    if durability == .powerLoss, try !sync(folder, after: "replaced") {
      result.concessions.append(.folderNotSynced)
    }
    return result
  }

  struct Replacement: Sendable {
    var stamp: FileStamp
    var concessions: [Concession]
  }

  /// The compromises of a write, in the order in which they are reported.
  enum Concession: CaseIterable {
    case folderNotSynced, ownerNotKept, attributesNotKept, permissionsNotSet, otherNamesKeepOldContents

    var message: String {
      switch self {
      case .folderNotSynced: "the folder cannot be synced: a power cut may lose the last write"
      case .ownerNotKept: "the file's owner or group could not be preserved; the group now has no access"
      case .attributesNotKept: "extended attributes or access lists could not be preserved; the group now has no access"
      case .permissionsNotSet: "the file system refuses to limit access to the file; other users may be able to read it"
      case .otherNamesKeepOldContents: "the file has other names (hard links), which keep the earlier contents"
      }
    }
  }

  // MARK: The temporary file

  private struct Temporary: ~Copyable {
    let name: String
    let file: OpenFile
    let status: FileStatus
    /// Keeps the file locked after the other descriptor is closed; `nil` if the file cannot be locked.
    let lock: OpenFile?
  }

  /// Creates a temporary file, and locks it while it has its temporary name. A file that is not locked counts as left
  /// over, and is removed.
  private func createTemporary(in folder: StoreFolder) throws(SystemCallError) -> Temporary {
    var attempts = 8
    while true {
      attempts -= 1
      let name = SideFileName.temporary()
      let file: OpenFile
      do {
        file = try folder.create(name)
      } catch {
        guard error.number == EEXIST, attempts > 0 else { throw error }
        continue
      }
      do throws(SystemCallError) {
        let isLocked = try lockTemporary(file)
        let status = try file.status()
        if isLocked == nil { return Temporary(name: name, file: file, status: status, lock: nil) }
        // Before the file was locked, another process may have mistaken it for a dead writer's, and removed it.
        if isLocked == true, status.linkCount > 0 || attempts == 0 {
          return Temporary(name: name, file: file, status: status, lock: try file.duplicate())
        }
      } catch {
        discard(file, name, in: folder)
        throw error
      }
      guard attempts > 0 else { throw SystemCallError(.flock, EWOULDBLOCK) }
    }
  }

  /// Returns whether the file is locked now; `nil` if the file system does not support locks.
  private func lockTemporary(_ file: OpenFile) throws(SystemCallError) -> Bool? {
    do {
      try file.tryLock()
      return true
    } catch {
      if error.isWouldBlock { return false }
      guard error.hasNoLocks else { throw error }
      return nil
    }
  }

  /// Writes a temporary file and renames it. Removes it on failure, and if the operation has to begin again (`nil`).
  private func put(
    _ pieces: [SharedBytes], in folder: StoreFolder, under name: String, like earlier: ExaminedFile?,
    _ durability: Durability
  ) throws(SystemCallError) -> Replacement? {
    let temporary = try createTemporary(in: folder)
    // Last of all, because closing this descriptor ends the lock.
    defer { temporary.lock?.discard() }
    var isRenamed = false
    defer { if !isRenamed { discard(temporary.file, temporary.name, in: folder) } }
    let result = try fill(temporary, in: folder, with: pieces, like: earlier, durability)
    // Check this right before the file that the operation started from loses its name.
    guard try isAt(name, in: folder, earlier?.status.identity), try isStillLocked() else { return nil }
    isRenamed = try rename(temporary.name, result.stamp, to: name, in: folder, replacing: earlier != nil)
    return isRenamed ? result : nil
  }

  private func fill(
    _ temporary: borrowing Temporary, in folder: StoreFolder, with pieces: [SharedBytes], like earlier: ExaminedFile?,
    _ durability: Durability
  ) throws(SystemCallError) -> Replacement {
    let file = temporary.file
    let concessions = try adopt(earlier, temporary, in: folder)
    try file.write(pieces)
    switch durability {
    case .powerLoss: try file.sync(.flush)
    case .ordered: try file.sync(.barrier)
    case .processCrash: break
    }
    // The first piece has the whole head.
    let stamp = FileStamp(try file.status(withTime: true), head: pieces.first?.withUnsafeBytes(FileStamp.head))
    try file.close()
    return Replacement(stamp: stamp, concessions: concessions)
  }

  /// Makes the new file like the earlier one while it is still empty.
  ///
  /// The permissions are set last: until then only the creator has access, and setting them narrows the copied access
  /// control list. Rights that would go to a different group are dropped.
  private func adopt(
    _ earlier: ExaminedFile?, _ temporary: borrowing Temporary, in folder: StoreFolder
  ) throws(SystemCallError) -> [Concession] {
    let file = temporary.file
    // While the file can be opened by its path, which its protection may prevent.
    if earlier == nil { archive.excludeFromBackups(temporary.name, in: folder.path) }
    try file.protect(archive.protection, like: earlier?.file)
    var concessions: [Concession] = []
    var permissions: UInt32 = 0o600
    var now = temporary.status
    if let earlier {
      permissions = earlier.status.permissions
      if earlier.status.linkCount > 1 { concessions.append(.otherNamesKeepOldContents) }
      if !keepOwner(of: earlier.status, on: file, now: now) { concessions.append(.ownerNotKept) }
      if (try? file.copyAttributes(from: earlier.file)) == nil { concessions.append(.attributesNotKept) }
      // On Apple's systems, the exclusion is an attribute, and copying attributes removes all others (copyfile.c). The
      // permissions may forbid setting it.
      archive.excludeFromBackups(temporary.name, in: folder.path)
      if concessions.contains(where: { $0 == .ownerNotKept || $0 == .attributesNotKept }) { permissions &= ~0o070 }
      // A change of owner removes rights, and an access list may have added some.
      now = try file.status()
    }
    // Make no call if nothing is to be changed: file systems without permissions refuse even that.
    guard now.permissions != permissions else { return concessions }
    do {
      try file.setPermissions(permissions)
    } catch {
      // A file system without permissions gives every file the same ones, whatever was requested. A file that replaces
      // another one must not be open to more users than that one; a new file can do no better.
      guard earlier == nil, error.isDenied || error.isUnsupported else { throw error }
      concessions.append(.permissionsNotSet)
    }
    return concessions
  }

  /// Returns whether the file has the owner of the earlier one. The caller reports a failure as a concession.
  private func keepOwner(of earlier: FileStatus, on file: OpenFile, now: FileStatus) -> Bool {
    let owner = archive.system.isPrivileged ? earlier.owner : nil
    // Make no call if nothing is to be changed, for the same reason as above.
    if now.group == earlier.group && (owner ?? now.owner) == now.owner { return true }
    return (try? file.setOwner(owner, group: earlier.group)) != nil
  }

  // MARK: The rename

  /// Returns `false` if another process has created the file since the last check, or if there is no temporary file.
  /// Another process may have removed that before it was locked, and some file systems do not show that in the link
  /// count, because they only rename an open file that is removed.
  private func rename(
    _ temporaryName: String, _ temporary: FileStamp, to name: String, in folder: StoreFolder, replacing: Bool
  ) throws(SystemCallError) -> Bool {
    do {
      try folder.rename(temporaryName, to: name, replacing: replacing)
    } catch {
      // Over a network, a rename may have happened although it reports a failure. Then the file with the new name is
      // the one that was just written. Reporting a failure would leave memory older than the disk.
      // If the status cannot be read, the failure to report is still the rename's.
      if (try? isAt(name, in: folder, temporary.identity)) == true { return true }
      if error.number == EEXIST { return false }
      guard error.isAbsent, (try? isAt(temporaryName, in: folder, nil)) == true else { throw error }
      return false
    }
    return true
  }

  /// Closes and removes a temporary file. Ignores errors, because the caller reports the failure that came before.
  private func discard(_ file: OpenFile, _ name: String, in folder: StoreFolder) {
    file.discard()
    try? folder.unlink(name)  // A file that stays does no harm, and is removed when the store is opened.
  }
}
