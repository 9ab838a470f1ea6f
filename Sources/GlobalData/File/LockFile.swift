import FoundationCore

/// The open file that writers lock, closed with the last reference to it.
///
/// It may stay open between commits. The lock may not, except for the moment that an overtaken update has to run again.
/// See ``FileSession/lock(timeout:creatingFolder:_:)``.
final class LockFile {
  private(set) var status: FileStatus
  let file: OpenFile
  private let system: any SystemCalls
  private let processID: Int32
  private var isHeld = false

  /// Throws `EWOULDBLOCK` where another writer holds the lock until the deadline; `ENXIO` where this is not a file.
  init(
    _ location: FileLocation, in folder: StoreFolder, until deadline: Duration,
    during activity: ExpiringActivity?, _ system: any SystemCalls
  ) throws(SystemCallError) {
    self.system = system
    processID = system.processID
    file = try folder.openLock(location.lockName)
    status = try file.status()
    // A pipe can be locked, too, but only a regular file is a store's lock.
    guard status.kind == .regular else { throw SystemCallError(.create, ENXIO) }
    guard try lockAgain(until: deadline, during: activity) else { throw SystemCallError(.flock, EWOULDBLOCK) }
    dropProtection()
  }

  deinit {
    release()
  }

  /// Locks a file that stayed open, as ``OpenFile/waitForLock(until:during:)`` does. Returns `false` where another
  /// writer holds it.
  func lockAgain(
    until deadline: Duration?, during activity: ExpiringActivity?
  ) throws(SystemCallError) -> Bool {
    isHeld = try file.waitForLock(until: deadline, during: activity)
    return isHeld
  }

  /// Releases the lock, and leaves the file open. Where that fails (`false`), the lock ends when the file is closed.
  ///
  /// Closing alone would not do: a child process has the open file until it starts its program. A child releases
  /// nothing: the lock is its parent's.
  @discardableResult
  func release() -> Bool {
    guard isHeld, isOwn else { return !isHeld }
    do {
      try file.unlock()
      isHeld = false
      return true
    } catch {
      return false
    }
  }

  /// Whether this process opened the file. A child that was forked off has it, too.
  private var isOwn: Bool { system.processID == processID }

  /// Returns whether the locked file is the one at a path now, which others lock.
  func isAt(_ path: String) throws(SystemCallError) -> Bool {
    guard let found = try ifPresent(retryingInterruptions(system.status(ofPath: path))),
      found.identity == status.identity
    else { return false }
    status = found  // Its permissions are what `allow(writersOf:)` compares.
    return true
  }

  /// Lets the file be opened while the device is locked.
  ///
  /// By default it has its container's protection. With ``GlobalData/FileProtection/complete`` no store could be
  /// written then, whatever its own protection. The file is empty, so there is nothing to protect.
  private func dropProtection() {
    do {
      try file.protect(.unprotected, like: nil)
    } catch {
      // The file is another user's, or the volume has no such class. It is locked, which is all that matters here.
    }
  }

  /// Grants permission to lock to exactly those who may write the store's file. Someone who may only read it must not
  /// hold up writers.
  func allow(writersOf store: FileStatus) {
    let writers = store.permissions & 0o222
    var wanted = writers | writers << 1 | 0o600
    do {
      if status.group != store.group, wanted & 0o060 != 0 {
        do {
          try file.setOwner(nil, group: store.group)
          status.group = store.group
        } catch {
          wanted &= ~0o060  // The group that it has is not the store's.
        }
      }
      guard status.permissions != wanted else { return }
      try file.setPermissions(wanted)
      status.permissions = wanted
    } catch {
      // The file is another user's, who let this process open it. It is locked, which is all that matters here.
    }
  }
}
