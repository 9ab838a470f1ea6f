import Foundation

// The lock between processes. It is a `flock` of a file beside the store's, because a rename puts another file in place of the store's own:
// a lock of the old one would lock nothing. The lock is taken for one commit and given back, so that an app that the system suspends
// between commits holds none, and it ends with its process.
//
// The lock's file can be removed while the lock is held: by a user, or by a program that clears temporary folders. The next writer then
// locks a new one. So a writer also locks the store's own file once it has opened it. That lock decides nothing, since each reader of
// the file could hold it; but a writer waits for it a little, and so for a writer that has lost the lock beside it.

extension FileSession {
  /// How long a writer waits for the lock of the store's own file.
  private static let patience = Duration.milliseconds(250)

  var isLocked: Bool { lock != nil }

  /// Takes the lock that keeps other processes from writing, and waits for it. The session gives it back at its end.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait for a process that holds it.
  ///   - creatingFolder: Whether to create the folder of the file where it is missing. Without a folder, there is no lock.
  ///   - durability: What a folder that is created is to survive.
  /// - Throws: ``GlobalDataError`` with code `busy` after the timeout; `writeFailed` where the lock cannot be had.
  func lock(timeout: Duration, creatingFolder: Bool, _ durability: Durability) throws(GlobalDataError) {
    try beginActivity(archive.currentLocation())
    lock = try takeLock(timeout: timeout, creatingFolder: creatingFolder, durability)
  }

  private func takeLock(
    timeout: Duration, creatingFolder: Bool, _ durability: Durability
  ) throws(GlobalDataError) -> LockFile? {
    let deadline = ContinuousClock.now + timeout
    if let lock = try takeKeptLock(until: deadline, timeout) { return lock }
    var attempts = 0
    // A program may remove the lock's file each time that it is created, or switch the path.
    while attempts < 3 || ContinuousClock.now < deadline {
      attempts += 1
      let folder = try creatingFolder ? folderOrCreated(durability) : folder(GlobalDataError.cannotLock)
      guard let folder, let location else { return nil }
      do throws(SystemCallError) {
        let lock = try LockFile(location, in: folder, until: deadline, during: activity, archive.system)
        // Another process may have removed the name before it gave the lock back. Then this is a lock of nothing.
        if try lock.isAt(location.lockPath) {
          isLockOfFolder = true
          return lock
        }
      } catch {
        throw cannotLock(error, location, after: timeout)
      }
      forgetFolder()
    }
    throw .mustBeginAgain(url)  // Given up.
  }

  /// Takes the lock by the file that was kept; `nil` where that is no longer the one at its path.
  private func takeKeptLock(
    until deadline: ContinuousClock.Instant, _ timeout: Duration
  ) throws(GlobalDataError) -> LockFile? {
    let location = try archive.currentLocation()
    do {
      if try takeKeptLock(at: location, until: deadline) { return lock }
    } catch {
      // The lock's file, opened anew, may be of more use.
      if error.isWouldBlock { throw cannotLock(error, location, after: timeout) }
    }
    return nil
  }

  /// Takes the lock if its file is open and no writer holds it.
  ///
  /// - Parameter isShared: Whether other processes write. If not, no lock is needed, only the folder that was kept.
  /// - Returns: Whether the session may write.
  /// - Throws: ``GlobalDataError`` where the lock cannot be had, also where another writer holds it.
  func lockAtOnce(isShared: Bool) throws(GlobalDataError) -> Bool {
    let location = try archive.currentLocation()
    guard isShared else { return useKeptFile(at: location) || useKeptFolder(at: location) }
    guard kept?.lock != nil else { return false }
    try beginActivity(location)
    do {
      return try takeKeptLock(at: location, until: nil)
    } catch {
      throw .cannotLock(error, url)
    }
  }

  /// - Throws: ``SystemCallError`` with `EWOULDBLOCK` where another writer holds it.
  private func takeKeptLock(
    at location: FileLocation, until deadline: ContinuousClock.Instant?
  ) throws(SystemCallError) -> Bool {
    guard let kept, let keptLock = kept.lock, kept.location == location else { return false }
    guard try keptLock.lockAgain(until: deadline, during: activity) else {
      throw SystemCallError(.flock, EWOULDBLOCK)
    }
    do {
      // The identity of the lock's file tells that of its folder, too.
      guard try keptLock.isAt(location.lockPath) else {
        keptLock.release()
        self.kept = nil
        return false
      }
    } catch {
      keptLock.release()
      self.kept = nil
      throw error
    }
    opened = (kept.folder, kept.location)
    lock = keptLock
    isLockOfFolder = true
    return true
  }

  private func cannotLock(
    _ error: SystemCallError, _ location: FileLocation, after timeout: Duration
  ) -> GlobalDataError {
    switch error.number {
    case EWOULDBLOCK, EAGAIN:
      activity?.isExpired ?? false ? .aboutToBeSuspended(url) : .busy(url, after: timeout)
    case ENXIO, ENODEV, EISDIR, ELOOP: .notALock(error, location.lockPath, url)
    default: .cannotLock(error, url)
    }
  }

  /// Keeps the system from suspending this process until the session ends, where it would end the process for the lock.
  ///
  /// - Throws: ``GlobalDataError`` with code `busy` where the system is about to suspend it.
  private func beginActivity(_ location: FileLocation) throws(GlobalDataError) {
    guard activity == nil, let source = archive.activitySource, location.isInSharedContainer else { return }
    let activity = source("GlobalData writes \(location.name)")
    guard !activity.isExpired else {
      activity.end()
      throw .aboutToBeSuspended(url)
    }
    self.activity = activity
  }

  // MARK: The lock of the store's own file

  /// Locks the store's own file, if the lock beside it is held. A file that cannot be locked changes nothing.
  ///
  /// - Throws: ``GlobalDataError`` with code `busy` where a writer holds it that this session may not wait for.
  func lockAlso(_ file: OpenFile) throws(GlobalDataError) {
    fileLockTime = nil
    guard lock != nil else { return }
    let deadline = access == .writingAtOnce ? nil : ContinuousClock.now + FileSession.patience
    let isLocked: Bool
    do {
      isLocked = try file.waitForLock(until: deadline, during: activity)
    } catch {
      return  // The file system has no such locks.
    }
    if isLocked { fileLockTime = .now }
    if !isLocked, access == .writingAtOnce { throw .busy(url, after: .zero) }
  }

  // MARK: The last check before a write

  /// Returns whether the lock still keeps other processes from writing the file at the path; true where no lock was taken.
  ///
  /// A program may have removed the lock's file, so that other writers lock a new one, or the path may lead elsewhere by now. This is
  /// called right before the file is changed. If the answer is no, the operation begins again, with ``restart()``.
  ///
  /// If only the lock's file is gone, and the store's own was locked a moment ago, other writers wait for that.
  ///
  /// If the activity has expired, the operation begins again, too, in another one, if the system grants that.
  func isStillLocked() throws(SystemCallError) -> Bool {
    guard let lock else { return true }
    if activity?.isExpired ?? false {
      mustBeginAgain = true
      return false
    }
    let location: FileLocation
    do {
      location = try archive.currentLocation()
    } catch {
      mustBeginAgain = true  // The next attempt finds out why the path cannot be followed.
      return false
    }
    if try lock.isAt(location.lockPath) { return true }
    mustBeginAgain = try !isFileLockEnough(at: location)
    return !mustBeginAgain
  }

  private func isFileLockEnough(at location: FileLocation) throws(SystemCallError) -> Bool {
    guard isLockOfFolder, let fileLockTime, ContinuousClock.now - fileLockTime < FileSession.patience / 2 else {
      return false
    }
    return try isOpened(location)
  }

  /// Checks the lock as ``isStillLocked()`` does.
  ///
  /// - Throws: ``GlobalDataError`` where the operation has to begin again.
  func checkLock() throws(GlobalDataError) {
    do {
      if try isStillLocked() { return }
    } catch {
      throw .cannotLock(error, url)
    }
    throw .mustBeginAgain(url)
  }

  /// Ends this attempt of an operation, which has to begin again, with an error.
  func beginAgain() -> GlobalDataError {
    mustBeginAgain = true
    return .mustBeginAgain(url)
  }

  // MARK: The lock's file

  /// Removes the lock's file, if this session holds the lock, even where the path leads nowhere by now. Writers that wait for the lock
  /// notice, and create a new file.
  func removeLockFile() throws(GlobalDataError) {
    guard let lock else { return }
    let location = try archive.location()
    do {
      guard try lock.isAt(location.lockPath) else { return }
      try StoreFolder(location.folder, archive.system).unlink(location.lockName)
    } catch {
      guard error.isAbsent else { throw .cannotRemoveLeftovers(error, url) }
    }
  }
}
