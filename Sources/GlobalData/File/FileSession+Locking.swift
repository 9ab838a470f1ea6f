import FoundationCore

// The lock between processes. It is a `flock` of a file next to the store's file. A rename replaces the store's own
// file, so a lock of the old one would have no effect. The lock is taken for one commit and then released, so that an
// app that the system suspends between commits holds no lock. The lock ends with its process.
//
// The lock file can be removed while the lock is held, by a user or by a program that clears temporary folders. The
// next writer then locks a new lock file. So a writer also locks the store's own file once that file is open. This
// second lock decides nothing, since any reader of the file could hold it. But a writer waits for it briefly, and for
// as long as other writers change the file, and thus waits for a writer whose lock file was removed. The first file of
// a store is created without replacing another one. A clear holds the file's lock until the file is gone.
//
//   open of the folder                                  if none was kept; if it is missing, mkdir first
//   openat of the lock file (O_CREAT), fstat            if none was kept
//   flock                                               again and again, until the timeout
//   lstat of its path                                   whether others still lock this file; if not, begin again
//   flock of the store's own file                       once that file is open, for a moment at most
//   fchown, fchmod of the lock file                     if the users who may write the store's file have changed
//   lstat of its path                                   once more, right before the write; see isStillLocked
//   flock (LOCK_UN)                                     at the end; closing is not enough, see LockFile.release

/// Ends an attempt right before the write, because the lock or the file was replaced. Nothing was written;
/// ``StoreWriter/keepingLock(_:creatingFolder:work:)`` begins again.
struct MustBeginAgain: Error {
  let url: URL
}

extension FileSession {
  private static let patience = Duration.milliseconds(250)

  var isLocked: Bool { lock != nil }

  /// Waits for the lock that keeps other processes from writing. The session releases the lock when it ends. Without a
  /// folder there is no lock; with `creatingFolder`, this function creates the folder. Throws `busy` after the timeout.
  func lock(timeout: Duration, creatingFolder: Bool, _ durability: Durability) throws(GlobalDataError) {
    let location = try archive.currentLocation()
    try beginActivity(location)
    let deadline = SteadyClock.now + timeout
    lockDeadline = deadline
    do {
      lock = try keptLock(at: location, until: deadline)
    } catch {
      // Opening the lock file again may help.
      if error.isWouldBlock { throw cannotLock(error, location, after: timeout) }
    }
    if lock == nil { lock = try newLock(until: deadline, timeout, creatingFolder, durability) }
  }

  /// Takes the lock if its file is open and no writer holds the lock. Returns whether the session may write; throws if
  /// the lock is not available. Unless other processes write (`isShared`), the kept folder is enough.
  func lockImmediately(isShared: Bool) throws(GlobalDataError) -> Bool {
    let location = try archive.currentLocation()
    guard isShared else { return useKeptFile(at: location) || useKeptFolder(at: location) }
    guard kept?.lock != nil else { return false }
    try beginActivity(location)
    lock = try naming(.lock, keptLock(at: location, until: nil))
    return lock != nil
  }

  /// Returns `nil` if there is no folder.
  private func newLock(
    until deadline: Duration, _ timeout: Duration, _ creatingFolder: Bool, _ durability: Durability
  ) throws(GlobalDataError) -> LockFile? {
    var attempts = 0
    // A program may remove the lock file whenever it is created, or switch the path.
    while attempts < 3 || SteadyClock.now < deadline {
      attempts += 1
      let opened = try creatingFolder ? folderOrCreated(durability) : folder(to: .lock)
      guard let (folder, location) = opened else { return nil }
      do throws(SystemCallError) {
        let lock = try LockFile(location, in: folder, until: deadline, during: activity, archive.system)
        // Another process may have removed the name before it released the lock. Then this lock has no effect.
        if try lock.isAt(location.lockPath) {
          (isLockOfFolder, mayBeReplaced) = (true, true)
          return lock
        }
      } catch {
        // The folder was replaced, or the file system noticed late that a program removed the lock file.
        guard error.isAbsent, attempts < 3 else { throw cannotLock(error, location, after: timeout) }
      }
      forgetFolder()
    }
    throw .keepsBeingReplaced(url)
  }

  /// Takes the lock of the kept file. Returns `nil` if no lock file was kept, or if another file is at its path. Throws
  /// `EWOULDBLOCK` if another writer holds the lock.
  private func keptLock(at location: FileLocation, until deadline: Duration?) throws(SystemCallError) -> LockFile? {
    guard let kept, let lock = kept.lock, kept.location == location else { return nil }
    guard try lock.lockAgain(until: deadline, during: activity) else { throw SystemCallError(.flock, EWOULDBLOCK) }
    var isCurrent = false
    defer {
      if !isCurrent {
        lock.release()
        self.kept = nil
      }
    }
    // The identity of the lock file proves that of its folder, too, unless the folder was replaced with a copy of hard
    // links.
    guard try lock.isAt(location.lockPath) else { return nil }
    if lock.status.linkCount > 1, try !kept.folder.isAt(location.folder) { return nil }
    isCurrent = true
    opened = (kept.folder, kept.location)
    isLockOfFolder = true
    return lock
  }

  private func cannotLock(
    _ error: SystemCallError, _ location: FileLocation, after timeout: Duration
  ) -> GlobalDataError {
    switch error.number {
    case EWOULDBLOCK, EAGAIN:
      activity?.isExpired ?? false ? .aboutToBeSuspended(url) : .busy(url, after: timeout)
    case ENXIO, ENODEV, EISDIR, ELOOP: .notALock(error, location.lockPath, url)
    default: .cannot(.lock, error, url)
    }
  }

  /// Keeps the system from suspending this process until the session ends. Throws `busy` if the system is about to do
  /// so.
  func beginActivity(_ location: FileLocation) throws(GlobalDataError) {
    guard activity == nil, let source = archive.activitySource, location.isInSharedContainer else { return }
    let activity = source("GlobalData writes \(location.name)")
    guard !activity.isExpired else {
      activity.end()
      throw .aboutToBeSuspended(url)
    }
    self.activity = activity
  }

  // MARK: The lock of the store's own file

  /// Locks the store's own file if the session holds the lock next to it. A file that cannot be locked is not an error.
  /// Throws `busy` if another writer holds the file's lock and this session may not wait.
  func lockAlso(_ file: OpenFile) throws(GlobalDataError) {
    fileLockTime = nil
    guard lock != nil else { return }
    var isLocked: Bool
    do {
      isLocked = try file.waitForLock(until: nil, during: nil)
      if !isLocked {
        mayBeReplaced = true
        if access != .writingImmediately { isLocked = try waitForWriters(of: file) }
      }
    } catch {
      return  // The file system has no such locks.
    }
    if isLocked { fileLockTime = SteadyClock.now }
    if !isLocked, access == .writingImmediately { throw .busy(url, after: .zero) }
  }

  /// Waits for the file's lock while other writers change the file: until none has changed it for 250 ms, or until
  /// the lock timeout is over. Returns whether the file is locked.
  ///
  /// A lock under which nothing changes is not a writer's. While several writers have lost their lock files, one of
  /// them may miss each moment in which the file is not locked.
  @inline(never)
  private func waitForWriters(of file: OpenFile) throws(SystemCallError) -> Bool {
    var (time, size): (FileTime?, Int) = (nil, 0)
    repeat {
      let status = try file.status(withTime: true)
      if status.modified == time, status.size == size { break }
      (time, size) = (status.modified, status.size)
      if try file.waitForLock(until: SteadyClock.now + FileSession.patience, during: activity) { return true }
    } while SteadyClock.now < lockDeadline
    return false
  }

  // MARK: The last check before a write

  /// Returns whether the lock still keeps other processes from writing the file at the path; returns `true` if no lock
  /// was taken.
  ///
  /// Call this function right before the file is changed. A program may have removed the lock file, so that other
  /// writers lock a new one. The path may lead elsewhere, or the activity may have expired. In these cases the
  /// operation begins again: see ``MustBeginAgain``.
  ///
  /// If only the lock file is gone, and the store's own file was locked a moment ago, other writers wait for the lock
  /// of the store's file.
  func isStillLocked() throws(SystemCallError) -> Bool {
    guard let lock else { return true }
    if activity?.isExpired ?? false { return false }
    // The next attempt finds out why the path cannot be followed.
    guard let location = try? archive.currentLocation() else { return false }
    if try lock.isAt(location.lockPath) { return true }
    return try isFileLockEnough(at: location)
  }

  private func isFileLockEnough(at location: FileLocation) throws(SystemCallError) -> Bool {
    guard isLockOfFolder, let fileLockTime, SteadyClock.now - fileLockTime < FileSession.patience / 2,
      case .file(let examined) = found, let opened, try isOpened(location)
    else { return false }
    return try isAt(location.name, in: opened.folder, examined.status.identity)
  }

  // MARK: The lock's file

  /// Removes the lock file if this session holds the lock. Waiting writers notice the removal, and create a new lock
  /// file.
  func removeLockFile() throws(GlobalDataError) {
    guard let lock else { return }
    // Without a name it locks nothing. It must not stay open, because some file systems only rename an open file.
    defer { self.lock = nil }
    let location = try archive.location()
    do {
      guard try lock.isAt(location.lockPath) else { return }
      try StoreFolder(location.folder, archive.system).unlink(location.lockName)
    } catch {
      guard error.isAbsent else { throw .cannot(.removeLeftovers, error, url) }
    }
  }
}
