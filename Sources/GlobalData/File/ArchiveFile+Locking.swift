import Foundation

// The lock between processes. It is a `flock` on a file beside the store's, because a rename puts another file in place
// of the store's own: whoever locked the old one would lock nothing. The lock is taken for one write and given back, so
// that a process that the system suspends holds none, and it ends with its process.

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
    let location = try location()
    guard let folder = try lockFolder(location.folder, makingFolder, durability) else { return nil }
    defer { system.closeUnwritten(folder.descriptor) }
    let name = SideFileName(for: location.name).lock
    do throws(SystemCallError) {
      let deadline = ContinuousClock.now + timeout
      while true {
        let descriptor = try retryingInterruptions(system.openLock(name, in: folder.descriptor))
        do throws(SystemCallError) {
          let isLocked = try wait(for: descriptor, until: deadline)
          guard isLocked else { throw SystemCallError(.flock, EWOULDBLOCK) }
          // Another process may have removed the name before it gave the lock back. Then this is a lock on nothing.
          if try isCurrent(descriptor, name, in: folder) {
            try open(descriptor, toUsersOf: location.name, in: folder)
            return FileLock(descriptor: descriptor, system: system)
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

  private func lockFolder(
    _ path: String, _ makingFolder: Bool, _ durability: Durability
  ) throws(GlobalDataError) -> OpenFolder? {
    if makingFolder { return try openOrMakeFolder(path, durability) }
    do {
      return try openFolder(path)
    } catch {
      guard error.isAbsent else { throw .cannotLock(error, url) }
      return nil
    }
  }

  /// Asks for the lock again and again, ever less often. Blocks; returns false at the deadline.
  private func wait(
    for descriptor: FileDescriptor, until deadline: ContinuousClock.Instant
  ) throws(SystemCallError) -> Bool {
    var pause: UInt32 = 50
    while true {
      do {
        try retryingInterruptions(system.tryLock(descriptor))
        return true
      } catch {
        guard error.isWouldBlock else { throw error }
      }
      guard ContinuousClock.now < deadline else { return false }
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
  }

  private func isCurrent(
    _ descriptor: FileDescriptor, _ name: String, in folder: OpenFolder
  ) throws(SystemCallError) -> Bool {
    let locked = try retryingInterruptions(system.status(of: descriptor))
    do {
      let current = try status(of: name, in: folder)
      return current.inode == locked.inode && current.device == locked.device
    } catch {
      guard error.isAbsent else { throw error }
      return false
    }
  }

  /// Lets those who may write the store's file lock it, too.
  private func open(
    _ lock: FileDescriptor, toUsersOf name: String, in folder: OpenFolder
  ) throws(SystemCallError) {
    let file: FileStatus
    do {
      file = try status(of: name, in: folder)
    } catch {
      guard error.isAbsent else { throw error }
      return
    }
    let wanted = file.permissions & 0o666 | 0o600
    guard try retryingInterruptions(system.status(of: lock)).permissions & wanted != wanted else { return }
    do {
      try retryingInterruptions(system.setPermissions(wanted, of: lock))
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
      try retryingInterruptions(system.unlink(SideFileName(for: location.name).lock, in: folder.descriptor))
    } catch {
      guard error.isAbsent else { throw .cannotRemoveLeftovers(error, url) }
    }
  }
}

/// The right to write a store's file, until it is given back.
struct FileLock: Sendable {
  fileprivate let descriptor: FileDescriptor
  fileprivate let system: any SystemCalls

  /// Gives the lock back. Closing does: the descriptor is in no other process, as it is closed in those that this one
  /// starts.
  func release() {
    system.closeUnwritten(descriptor)
  }
}
