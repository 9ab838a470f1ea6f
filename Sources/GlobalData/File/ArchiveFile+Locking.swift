import Foundation

// The lock between processes. It is a `flock` on a file beside the store's, because a rename puts another file in place
// of the store's own: whoever locked the old one would lock nothing. The lock is taken for one write and given back, so
// that a process that the system suspends between writes holds none, and it ends with its process.

extension ArchiveFile {
  /// Takes the lock that keeps other processes from writing, and waits for it.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait for a process that holds it.
  ///   - makingFolder: Whether to make the folder of the file where it is missing.
  ///   - durability: What a folder that is made is to survive.
  /// - Returns: The lock, or `nil` where there is no folder and none is to be made.
  /// - Throws: ``GlobalDataError`` with code `busy` after the timeout; `writeFailed` where the lock cannot be had.
  func lock(timeout: Duration, makingFolder: Bool, _ durability: Durability) throws(GlobalDataError) -> FileLock? {
    let visit = ArchiveVisit(self)
    defer { visit.forget() }
    return try visit.takeLock(timeout: timeout, makingFolder: makingFolder, durability)
  }

  /// Takes the lock in a folder that is open, by the descriptor that was kept of its file where there is one.
  func lock(
    in place: ArchiveVisit.Place, timeout: Duration, kept: KeptPlace.Lock? = nil
  ) throws(GlobalDataError) -> FileLock {
    do throws(SystemCallError) {
      let deadline = ContinuousClock.now + timeout
      do throws(SystemCallError) {
        if let kept,
          let lock = try lock(
            kept, until: deadline,
            status: { () throws(SystemCallError) in
              try status(of: place.lockName, in: place.folder, withTime: false)
            })
        {
          return lock
        }
      } catch {
        guard !error.isWouldBlock else { throw error }  // Its file, opened anew, may be more use.
      }
      while true {
        let descriptor = try retryingInterruptions(system.openLock(place.lockName, in: place.folder.descriptor))
        do throws(SystemCallError) {
          let isLocked = try wait(for: descriptor, until: deadline)
          guard isLocked else { throw SystemCallError(.flock, EWOULDBLOCK) }
          let status = try retryingInterruptions(system.status(of: descriptor, withTime: false))
          // Another process may have removed the name before it gave the lock back. Then this is a lock on nothing.
          if try isCurrent(status, place.lockName, in: place.folder) {
            return FileLock(descriptor: descriptor, status: status, isKept: false, system: system)
          }
        } catch {
          system.closeUnwritten(descriptor)
          throw error
        }
        system.closeUnwritten(descriptor)
      }
    } catch {
      throw error.isWouldBlock ? .busy(url, after: timeout) : .cannotLock(error, url)
    }
  }

  /// Takes the lock by the descriptor that was kept of its file, if nobody holds it.
  ///
  /// - Returns: The lock, or `nil` where its file is no longer the one that was kept.
  /// - Throws: ``GlobalDataError`` with code `writeFailed`, also where somebody holds it.
  func lockAtOnce(_ kept: KeptPlace.Lock) throws(GlobalDataError) -> FileLock? {
    do {
      return try lock(kept, until: nil) { () throws(SystemCallError) in
        try retryingInterruptions(system.status(ofPath: kept.path))
      }
    } catch {
      throw .cannotLock(error, url)
    }
  }

  /// - Returns: The lock, or `nil` where its file is no longer the one that was kept.
  private func lock(
    _ kept: KeptPlace.Lock, until deadline: ContinuousClock.Instant?, status: () throws(SystemCallError) -> FileStatus
  ) throws(SystemCallError) -> FileLock? {
    guard try wait(for: kept.descriptor, until: deadline) else { throw SystemCallError(.flock, EWOULDBLOCK) }
    do throws(SystemCallError) {
      let status = try status()
      if status.identity == kept.identity {
        return FileLock(descriptor: kept.descriptor, status: status, isKept: true, system: system)
      }
    } catch {
      guard error.isAbsent else {
        try retryingInterruptions(system.unlock(kept.descriptor))
        throw error
      }
    }
    try retryingInterruptions(system.unlock(kept.descriptor))
    return nil
  }

  /// Asks for the lock again and again, ever less often. Blocks; returns false at the deadline, which without one is at once.
  private func wait(
    for descriptor: FileDescriptor, until deadline: ContinuousClock.Instant?
  ) throws(SystemCallError) -> Bool {
    var pause: UInt32 = 50
    while true {
      do {
        try retryingInterruptions(system.tryLock(descriptor))
        return true
      } catch {
        guard error.isWouldBlock else { throw error }
      }
      guard let deadline, ContinuousClock.now < deadline else { return false }
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
  }

  private func isCurrent(
    _ locked: FileStatus, _ name: String, in folder: OpenFolder
  ) throws(SystemCallError) -> Bool {
    do {
      let current = try status(of: name, in: folder, withTime: false)
      return current.identity == locked.identity
    } catch {
      guard error.isAbsent else { throw error }
      return false
    }
  }

  /// Lets those who may write the store's file lock it, too.
  func open(_ lock: FileLock, toUsersOf file: FileStatus) {
    let wanted = file.permissions & 0o666 | 0o600
    guard lock.permissions & wanted != wanted else { return }
    do {
      try retryingInterruptions(system.setPermissions(wanted, of: lock.descriptor))
    } catch {
      // The lock's file is another user's, who let this one open it: that it is locked is all that matters here.
    }
  }

  /// Removes the lock's file. Only its holder may: whoever waits for it notices, and makes a new one.
  func removeLockFile() throws(GlobalDataError) {
    let location = try location()
    do {
      let folder = try openFolder(location.folder)
      defer { system.closeUnwritten(folder.descriptor) }
      try retryingInterruptions(system.unlink(location.lockName, in: folder.descriptor))
    } catch {
      guard error.isAbsent else { throw .cannotRemoveLeftovers(error, url) }
    }
  }
}

/// The right to write a store's file, until it is given back.
struct FileLock: Sendable {
  let descriptor: FileDescriptor
  /// Whose lock it is, and who may lock it, as it was when it was locked.
  fileprivate let status: FileStatus
  /// Whether the file stays open.
  let isKept: Bool
  fileprivate let system: any SystemCalls

  fileprivate var permissions: UInt32 { status.permissions }

  /// What is needed to lock it again, if the file stays open.
  func keepable(as name: String, in folder: String) -> KeptPlace.Lock {
    KeptPlace.Lock(descriptor: descriptor, identity: status.identity, name: name, path: "\(folder)/\(name)")
  }

  /// Gives the lock back, and closes its file unless that stays open.
  ///
  /// Closing alone would not do: the lock belongs to the opened file, which a child has too until it starts its program.
  func release() {
    do {
      try unlock()
    } catch {
      // There is no reason why it should; and closing the file, with its store at the latest, gives it back all the same.
    }
    if !isKept { system.closeUnwritten(descriptor) }
  }

  /// Gives the lock back, and leaves its file open.
  func unlock() throws(SystemCallError) {
    try retryingInterruptions(system.unlock(descriptor))
  }
}
