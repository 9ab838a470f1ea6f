import FoundationCore

/// The open file that writers lock. It is closed with the last reference to it.
///
/// The file may stay open between commits. The lock is held between commits only for a moment, while an overtaken
/// update runs again. See ``FileSession/lock(timeout:creatingFolder:_:)``.
final class LockFile {
  private(set) var status: FileStatus
  let file: OpenFile
  private let system: any SystemCalls
  private let processID: Int32
  private var isHeld = false

  /// Throws `EWOULDBLOCK` if another writer holds the lock until the deadline; `ENXIO` if this is not a regular file.
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

  deinit { release() }

  /// Locks a file that stayed open, as ``OpenFile/waitForLock(until:during:)`` does. Returns `false` if another writer
  /// holds the lock.
  func lockAgain(until deadline: Duration?, during activity: ExpiringActivity?) throws(SystemCallError) -> Bool {
    isHeld = try file.waitForLock(until: deadline, during: activity)
    return isHeld
  }

  /// Releases the lock, and leaves the file open. Returns `false` on failure; the lock then ends when the file is
  /// closed.
  ///
  /// Closing the file is not enough: a child process has the open file until it starts its program. A child process
  /// releases nothing, because the lock belongs to its parent.
  @discardableResult
  func release() -> Bool {
    guard isHeld, isOwn else { return !isHeld }
    isHeld = (try? file.unlock()) == nil
    return !isHeld
  }

  /// Whether this process opened the file. A child process that was forked off has it, too.
  private var isOwn: Bool { system.processID == processID }

  /// Returns whether the locked file is the one at a path now, which other writers lock.
  func isAt(_ path: String) throws(SystemCallError) -> Bool {
    guard let found = try ifPresent(retryingInterruptions(system.status(ofPath: path))),
      found.identity == status.identity
    else { return false }
    status = found  // `allow(writersOf:)` compares its permissions.
    return true
  }

  /// Allows the file to be opened while the device is locked.
  ///
  /// By default the lock file has its container's protection. With ``GlobalData/FileProtection/complete`` no store
  /// could be written while the device is locked, whatever its own protection. The lock file is empty, so there is
  /// nothing to protect.
  private func dropProtection() {
    // The file may be another user's, or the volume has no such class. The file is locked, and nothing else matters
    // here.
    try? file.protect(.unprotected, like: nil)
  }

  /// Grants permission to lock to exactly the users who may write the store's file. A user who may only read the
  /// store's file must not delay writers.
  func allow(writersOf store: FileStatus) {
    let writers = store.permissions & 0o222
    var wanted = writers | writers &<< 1 | 0o600
    // The owner of the store could not open a lock file that root created. A user may have linked another file of root
    // here, to become its owner. That file has contents or another name.
    let isGivenAway =
      system.isPrivileged && status.owner == 0 && store.owner != 0 && status.size == 0 && status.linkCount == 1
    do {
      if isGivenAway || status.group != store.group && wanted & 0o060 != 0 {
        do {
          try file.setOwner(isGivenAway ? store.owner : nil, group: store.group)
          status.group = store.group
        } catch {
          if status.group != store.group { wanted &= ~0o060 }  // The lock file's group is not the store's.
        }
      }
      guard status.permissions != wanted else { return }
      try file.setPermissions(wanted)
      status.permissions = wanted
    } catch {
      // The file is another user's, who let this process open it. The file is locked, and nothing else matters here.
    }
  }
}
