import Foundation

// The lock between processes. It is a `flock` on a file beside the store's, because a rename puts another file in place
// of the store's own: whoever locked the old one would lock nothing. The lock is taken for one write and given back, so
// that a process that the system suspends between writes holds none, and it ends with its process.
//
// The lock's file can be removed while the lock is held: by a user, or by a program that clears temporary folders. The
// next writer then locks a new one. So a writer locks the store's own file, too, once it has opened it. That lock decides
// nothing, since whoever may read the file could hold it; but a writer waits for it a little, and so for the writer that lost the other.

extension ArchiveFile {
  /// Takes the lock in a folder that is open, by the descriptor that was kept of its file where there is one.
  ///
  /// - Returns: The lock; `nil` where its file is no longer the one under the path, because it was removed or the path leads elsewhere.
  func lock(
    in place: ArchiveVisit.Place, until deadline: ContinuousClock.Instant, _ timeout: Duration,
    kept: KeptPlace.Lock?, during activity: ExpiringActivity?
  ) throws(GlobalDataError) -> FileLock? {
    do throws(SystemCallError) {
      do throws(SystemCallError) {
        if let kept, let lock = try lock(kept, until: deadline, during: activity) { return lock }
      } catch {
        guard !error.isWouldBlock else { throw error }  // Its file, opened anew, may be more use.
      }
      let descriptor = try retryingInterruptions(system.openLock(place.location.lockName, in: place.folder.descriptor))
      do throws(SystemCallError) {
        guard try wait(for: descriptor, until: deadline, during: activity) else {
          throw SystemCallError(.flock, EWOULDBLOCK)
        }
        let status = try retryingInterruptions(system.status(of: descriptor, withTime: false))
        // A pipe can be locked, too; but what is not a file is not a store's lock.
        guard status.kind == .regular else { throw SystemCallError(.create, ENXIO) }
        openToLockedDevices(descriptor)
        let lock = FileLock(descriptor: descriptor, status: status, isKept: false, system: system)
        // Another process may have removed the name before it gave the lock back. Then this is a lock on nothing.
        if try isCurrent(lock, at: place.location.lockPath) { return lock }
        system.closeUnwritten(descriptor)
        return nil
      } catch {
        system.closeUnwritten(descriptor)
        throw error
      }
    } catch {
      switch error.number {
      case EWOULDBLOCK, EAGAIN:
        throw activity?.isExpired ?? false ? .aboutToBeSuspended(url) : .busy(url, after: timeout)
      case ENXIO, ENODEV, EISDIR, ELOOP: throw .notALock(error, place.location.lockPath, url)
      default: throw .cannotLock(error, url)
      }
    }
  }

  /// Takes the lock by the descriptor that was kept of its file, if nobody holds it.
  ///
  /// - Returns: The lock, or `nil` where its file is no longer the one that was kept.
  /// - Throws: ``GlobalDataError`` with code `writeFailed`, also where somebody holds it.
  func lockAtOnce(_ kept: KeptPlace.Lock) throws(GlobalDataError) -> FileLock? {
    do {
      return try lock(kept, until: nil)
    } catch {
      throw .cannotLock(error, url)
    }
  }

  /// - Returns: The lock, or `nil` where its file is no longer the one that was kept.
  private func lock(
    _ kept: KeptPlace.Lock, until deadline: ContinuousClock.Instant?, during activity: ExpiringActivity? = nil
  ) throws(SystemCallError) -> FileLock? {
    guard try wait(for: kept.descriptor, until: deadline, during: activity) else {
      throw SystemCallError(.flock, EWOULDBLOCK)
    }
    do throws(SystemCallError) {
      let status = try retryingInterruptions(system.status(ofPath: kept.path))
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

  /// Asks for the lock again and again, ever less often. Blocks; returns false at the deadline, which without one is at once, and when
  /// the activity expires that it is for.
  func wait(
    for descriptor: FileDescriptor, until deadline: ContinuousClock.Instant?, during activity: ExpiringActivity?
  ) throws(SystemCallError) -> Bool {
    var pause: UInt32 = 50
    while true {
      do {
        try retryingInterruptions(system.tryLock(descriptor))
        return true
      } catch {
        guard error.isWouldBlock else { throw error }
      }
      guard let deadline, ContinuousClock.now < deadline, !(activity?.isExpired ?? false) else { return false }
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
  }

  /// Whether a lock is on the file that is under the lock's path now. Where the folder is another one, so is the file.
  func isCurrent(_ lock: FileLock, at path: String) throws(SystemCallError) -> Bool {
    do {
      return try retryingInterruptions(system.status(ofPath: path)).identity == lock.identity
    } catch {
      guard error.isAbsent else { throw error }
      return false
    }
  }

  /// Lets the file of a lock be opened while the device is locked, too.
  ///
  /// Else the container's default counts, and where that is ``GlobalData/FileProtection/complete``, no store can be written then,
  /// whatever its own protection. The file is empty: there is nothing in it to protect.
  private func openToLockedDevices(_ descriptor: FileDescriptor) {
    do {
      try retryingInterruptions(system.protect(descriptor, .unprotected, like: nil))
    } catch {
      // The file is another user's, or the volume has no such class: that it is locked is all that matters here.
    }
  }

  /// Lets exactly those who may write the store's file open the lock's: a user who may only read the store must not be able to
  /// hold up its writers.
  func open(_ lock: FileLock, toUsersOf file: FileStatus) {
    let writers = file.permissions & 0o222
    var wanted = writers | writers << 1 | 0o600
    do {
      if lock.status.group != file.group, wanted & 0o060 != 0 {
        do {
          try retryingInterruptions(system.setOwner(nil, group: file.group, of: lock.descriptor))
        } catch {
          wanted &= ~0o060  // The group that it has is not the store's.
        }
      }
      guard lock.status.permissions != wanted else { return }
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
  let status: FileStatus
  /// Whether the file stays open.
  let isKept: Bool
  fileprivate let system: any SystemCalls

  var identity: FileIdentity { status.identity }

  /// What is needed to lock it again, if the file stays open.
  func keepable(at location: FileLocation) -> KeptPlace.Lock {
    KeptPlace.Lock(descriptor: descriptor, identity: status.identity, path: location.lockPath)
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
