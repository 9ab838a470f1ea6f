import Foundation

/// A store's folder and file while one commit lasts: each is opened once, and all steps of the commit act on the same.
///
/// The file is closed at its end, and so is the folder, unless the store keeps that; see ``KeptPlace``.
///
/// One thread at a time uses a visit, and ends it.
final class ArchiveVisit {
  let file: ArchiveFile
  /// Whether the file may be written during the visit.
  let isForWriting: Bool
  private var place: Place?
  private var lock: FileLock?
  /// Within which the lock is held, where it has to be within one.
  private var activity: ExpiringActivity?
  private var found = Found.nothingYet
  /// What the commit before left open. It is closed behind this visit, unless that gives it on.
  private let kept: KeptPlace?
  /// Whether the kept folder is the one under the path, as far as is known.
  private var isKeptCurrent: Bool
  /// Whether the lock or the file turned out to be another one: nothing was written then, and the commit has to begin again.
  private(set) var mustBeginAgain = false
  /// Whether the lock was taken in the folder that is open.
  private var isLockOfPlace = false
  /// When the open file was locked, too.
  private var fileLockTime: ContinuousClock.Instant?
  /// Whether time has gone by since the file was asked for its status.
  private var isStatusOld = false

  init(_ file: ArchiveFile, isForWriting: Bool = true, kept: KeptPlace? = nil) {
    self.file = file
    self.isForWriting = isForWriting
    self.kept = kept
    isKeptCurrent = kept != nil
  }

  /// The folder, and the store's names in it.
  struct Place {
    var folder: OpenFolder
    var location: FileLocation

    init(_ folder: OpenFolder, _ location: FileLocation) {
      self.folder = folder
      self.location = location
    }

    var name: String { location.name }
  }

  /// The file, open.
  struct OpenFile {
    var descriptor: FileDescriptor
    var status: FileStatus
  }

  private enum Found {
    case nothingYet
    case absent
    /// A symbolic link or a folder, and the error for whoever needs a file.
    case somethingElse(GlobalDataError)
    case file(OpenFile)
  }

  /// What is under the file's name.
  enum Look {
    case absent
    /// What can only be told by following the path again.
    case somethingElse
    case file(FileStamp)
  }

  // MARK: The folder

  /// The folder, or `nil` where there is none. `failure` makes the error that tells why it cannot be opened.
  func place(
    _ failure: (SystemCallError, URL) -> GlobalDataError
  ) throws(GlobalDataError) -> Place? {
    if let place { return place }
    let location = try file.currentLocation()
    if let place = keptPlace(location) { return place }
    do {
      place = Place(try file.openFolder(location.folder), location)
    } catch {
      guard error.isAbsent else { throw failure(error, file.url) }
      // A link that leads nowhere is not taken for a folder that is not there yet.
      _ = try file.followPath()
    }
    return place
  }

  /// The folder, which is made where it is missing.
  func placeOrMade(_ durability: Durability) throws(GlobalDataError) -> Place {
    if let place = try place(GlobalDataError.cannotMakeFolder) { return place }
    let location = try file.currentLocation()
    let made = Place(try file.openOrMakeFolder(location.folder, durability), location)
    place = made
    return made
  }

  /// The folder that was kept, where it is still the one under the path.
  private func keptPlace(_ location: FileLocation) -> Place? {
    guard let kept, isKeptCurrent else { return nil }
    isKeptCurrent = kept.isCurrent(at: location.folder)
    if isKeptCurrent { place = Place(kept.folder, location) }
    return place
  }

  // MARK: The lock

  /// Takes the lock that keeps other processes from writing, and waits for it.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait for a process that holds it.
  ///   - makingFolder: Whether to create the folder of the file where it is missing.
  ///   - durability: What a folder that is created is to survive.
  /// - Returns: The lock, which the visit gives back at its end where it took it by ``lock(timeout:makingFolder:_:)``; `nil` where
  ///   there is no folder and none is to be created.
  /// - Throws: ``GlobalDataError`` with code `busy` after the timeout; `writeFailed` where the lock cannot be had.
  func takeLock(
    timeout: Duration, makingFolder: Bool, _ durability: Durability
  ) throws(GlobalDataError) -> FileLock? {
    let deadline = ContinuousClock.now + timeout
    var attempts = 0
    // Something may remove the lock's file each time that it is made, or switch the path.
    while attempts < 3 || ContinuousClock.now < deadline {
      attempts += 1
      let place = makingFolder ? try placeOrMade(durability) : try place(GlobalDataError.cannotLock)
      guard let place else { return nil }
      let kept = isKeptCurrent && kept?.lock?.path == place.location.lockPath ? kept?.lock : nil
      if let lock = try file.lock(in: place, until: deadline, timeout, kept: kept, during: activity) {
        isLockOfPlace = true
        return lock
      }
      forget()
    }
    throw .mustBeginAgain(file.url)
  }

  /// Takes the lock until the visit ends, if its file is open and nobody holds it.
  ///
  /// - Returns: Whether the lock is held, or none is needed.
  func lockAtOnce(isShared: Bool) throws(GlobalDataError) -> Bool {
    let location = try file.currentLocation()
    guard let kept, isKeptCurrent else { return false }
    guard isShared else { return keptPlace(location) != nil }
    guard let keptLock = kept.lock, keptLock.path == location.lockPath, kept.isOwn(at: location.folder) else {
      return false
    }
    try beginActivity(location)
    // That its file is the one under the path tells that the folder is, too.
    lock = try file.lockAtOnce(keptLock)
    isKeptCurrent = lock != nil
    isLockOfPlace = isKeptCurrent
    if isKeptCurrent { place = Place(kept.folder, location) }
    return isKeptCurrent
  }

  /// Takes the lock until the visit ends.
  func lock(timeout: Duration, makingFolder: Bool, _ durability: Durability) throws(GlobalDataError) {
    try beginActivity(file.currentLocation())
    lock = try takeLock(timeout: timeout, makingFolder: makingFolder, durability)
  }

  /// Keeps the system from suspending this process until the visit ends, where that would be its end.
  ///
  /// - Throws: ``GlobalDataError`` with code `busy` where the system is about to suspend it.
  private func beginActivity(_ location: FileLocation) throws(GlobalDataError) {
    guard activity == nil, let source = file.activitySource, location.isInSharedContainer else { return }
    let activity = source("GlobalData writes \(location.name)")
    guard !activity.isExpired else {
      activity.end()
      throw .aboutToBeSuspended(file.url)
    }
    self.activity = activity
  }

  var isLocked: Bool { lock != nil }

  /// How long a writer waits for the lock of the store's own file, which another one holds that has lost the lock beside it.
  private static let patience = Duration.milliseconds(250)

  /// Whether the lock that was taken still keeps others from writing the file under the path; true where none was taken.
  ///
  /// Something may have removed the lock's file, so that others lock a new one, or the path may lead elsewhere by now. It is to be
  /// asked right before the file is changed. Where the answer is no, the commit has to begin again, with ``unlock()``.
  ///
  /// Where only the lock's file is gone, and the store's own has been locked just now, others wait for that.
  ///
  /// Where the activity has expired, the commit begins again too, in another one, if the system grants that.
  func isStillLocked() throws(SystemCallError) -> Bool {
    guard let lock else { return true }
    if activity?.isExpired ?? false {
      mustBeginAgain = true
      return false
    }
    let location: FileLocation
    do {
      location = try file.currentLocation()
    } catch {
      mustBeginAgain = true  // Why the path cannot be followed, the next attempt finds out.
      return false
    }
    if try file.isCurrent(lock, at: location.lockPath) { return true }
    mustBeginAgain = try !isFileLockEnough(at: location)
    return !mustBeginAgain
  }

  /// Opens and locks the file before it is read, so that what is read is what is written to.
  func lockFileAhead(isForUpdating: Bool) throws(GlobalDataError) {
    do {
      _ = try find(isForUpdating: isForUpdating)
    } catch {
      // A file that may not be written in place can still be read, and replaced.
      guard isForUpdating, error.code == .writeFailed else { throw error }
    }
  }

  private func isFileLockEnough(at location: FileLocation) throws(SystemCallError) -> Bool {
    guard isLockOfPlace, let fileLockTime, ContinuousClock.now - fileLockTime < ArchiveVisit.patience / 2 else {
      return false
    }
    return try isPlace(location)
  }

  /// Whether a location is that of the open folder.
  private func isPlace(_ location: FileLocation) throws(SystemCallError) -> Bool {
    guard let place, place.location == location else { return false }
    let folder = try retryingInterruptions(file.system.status(of: place.folder.descriptor, withTime: false))
    do {
      return try retryingInterruptions(file.system.status(ofPath: location.folder + "/.")).identity == folder.identity
    } catch {
      guard error.isAbsent else { throw error }
      return false
    }
  }

  /// Closes the file, and the folder, too, where the path leads elsewhere now.
  func followAgain() throws(GlobalDataError) {
    let location = try file.followPath()
    do {
      if try isPlace(location) { return forgetFile() }
    } catch {
      throw .cannotOpen(error, file.url)
    }
    forget()
  }

  /// Notes that the commit has to begin again, and makes the error that ends this attempt.
  func beginAgain() -> GlobalDataError {
    mustBeginAgain = true
    return .mustBeginAgain(file.url)
  }

  /// Throws where the answer is no, with ``mustBeginAgain`` set.
  func checkLock() throws(GlobalDataError) {
    do {
      if try isStillLocked() { return }
    } catch {
      throw .cannotLock(error, file.url)
    }
    throw .mustBeginAgain(file.url)
  }

  /// Whether the lock of the file is held that the visit is about, even where the path leads nowhere by now.
  func mayRemoveLock() -> Bool {
    guard let lock else { return false }
    do {
      return try file.isCurrent(lock, at: file.location().lockPath)
    } catch {
      return false  // It is empty, and stays.
    }
  }

  /// Whether the file that a commit started from is still the one under its name: what is not may be a link by now, or another
  /// program's work. It is to be asked right before the name is given to another file.
  func isStillThere(_ earlier: OpenFile?, in place: Place) throws(SystemCallError) -> Bool {
    do {
      let status = try file.status(of: place.name, in: place.folder, withTime: false)
      mustBeginAgain = status.identity != earlier?.status.identity
    } catch {
      guard error.isAbsent else { throw error }
      mustBeginAgain = earlier != nil
    }
    return !mustBeginAgain
  }

  /// Gives the lock back and closes all, to begin again.
  func unlock() {
    end()
    mustBeginAgain = false
  }

  // MARK: The file

  /// Opens the file, and tells what it looks like. It is looked at once, until ``forget()``.
  ///
  /// - Parameter isForUpdating: Whether the file is to be written in place. Its time is not asked for then, as that makes the write
  ///   slower, nor its beginning read: ``isEnd(_:of:)`` tells more than both.
  /// - Returns: What it looks like.
  /// - Throws: ``GlobalDataError`` with a code of reading; with code `writeFailed` where it can be read but not written in place.
  func look(isForUpdating: Bool) throws(GlobalDataError) -> Look {
    switch try find(isForUpdating: isForUpdating) {
    case .nothingYet, .absent: return .absent
    case .somethingElse: return .somethingElse
    case .file(let open):
      if isForUpdating { return .file(FileStamp(open.status, beginning: nil)) }
      do {
        let beginning = try file.bytes(of: open.descriptor, at: 0, count: FileStamp.beginningLength)
        isStatusOld = true
        return .file(FileStamp(open.status, beginning: beginning))
      } catch {
        throw .cannotOpen(error, file.url)
      }
    }
  }

  /// The file, with what it looks like at this moment, for what is to be kept of it; `nil` where there is none.
  ///
  /// A file that may not be read is not replaced either: what it holds is unknown.
  func earlierFile() throws(GlobalDataError) -> OpenFile? {
    switch try find(isForUpdating: false) {
    case .nothingYet, .absent: return nil
    case .somethingElse(let error): throw error
    case .file(var open):
      guard isStatusOld else { return open }
      do {
        open.status = try retryingInterruptions(file.system.status(of: open.descriptor, withTime: false))
        return open
      } catch {
        throw .cannotOpen(error, file.url)
      }
    }
  }

  /// The file to write in place; `nil` where there is none.
  func fileToUpdate() throws(GlobalDataError) -> FileDescriptor? {
    if case .file(let open) = try find(isForUpdating: true) { open.descriptor } else { nil }
  }

  /// Brings to the medium what is in the file, and its name.
  func sync() throws(GlobalDataError) {
    guard case .file(let open) = try find(isForUpdating: true) else { return }
    do {
      try retryingInterruptions(file.system.sync(open.descriptor, .data))
    } catch {
      throw .cannotSyncChange(error, file.url)
    }
    if let place { _ = try file.syncFolder(place.folder, after: "found") }
  }

  /// Whether a place in the file that was looked at is still where its last change ends: the change's own checksum stands before
  /// it, and what is behind it has never been written to by anybody.
  ///
  /// The checksum is mixed with those of all changes before it, back to the archive with its identity and generation. So this
  /// tells of other files, of copies, older and newer ones, and of what other processes have appended.
  ///
  /// - Parameters:
  ///   - point: The place.
  ///   - known: What the file looked like, which agrees with what it looks like now.
  /// - Returns: Whether it is.
  /// - Throws: ``GlobalDataError`` with a code of reading.
  func isEnd(_ point: AppendPoint, of known: FileStamp) throws(GlobalDataError) -> Bool {
    guard case .file(let open) = found else { return true }
    // Where nothing about it has changed, a file without room tells by its length.
    let isAllKnown = open.status.modified != nil && known.modified != nil && known.beginning != nil
    if isAllKnown, point.offset == open.status.size { return true }
    do {
      return try point.isEnd(of: open.descriptor, file.system)
    } catch {
      throw .cannotOpen(error, file.url)
    }
  }

  private func find(isForUpdating: Bool) throws(GlobalDataError) -> Found {
    if case .nothingYet = found {
      guard let place = try place(GlobalDataError.cannotOpen) else { return .absent }
      found = try open(place, isForUpdating: isForUpdating)
    }
    return found
  }

  /// Locks the store's own file, if the lock beside it is held. Whether it can be locked changes nothing for this commit.
  private func lockFile(_ descriptor: FileDescriptor) {
    fileLockTime = nil
    guard lock != nil else { return }
    do {
      let isLocked = try file.wait(
        for: descriptor, until: ContinuousClock.now + ArchiveVisit.patience, during: activity)
      if isLocked { fileLockTime = ContinuousClock.now }
    } catch {
      // The file system has no such locks.
    }
  }

  private func open(
    _ place: Place, isForUpdating: Bool, attempt: Int = 0
  ) throws(GlobalDataError) -> Found {
    let descriptor: FileDescriptor
    do {
      descriptor = try file.open(place.name, in: place.folder, isForUpdating: isForUpdating)
    } catch {
      switch error.number {
      case ENOENT: return .absent
      case ELOOP, EISDIR: return .somethingElse(.cannotOpen(error, file.url))
      default: throw isForUpdating ? cannotUpdate(error, in: place) : .cannotOpen(error, file.url)
      }
    }
    lockFile(descriptor)
    let status: FileStatus
    do {
      status = try retryingInterruptions(file.system.status(of: descriptor, withTime: !isForUpdating))
    } catch {
      file.system.closeUnwritten(descriptor)
      throw .cannotOpen(error, file.url)
    }
    if fileLockTime != nil, status.linkCount == 0, attempt < 100 {
      // It was replaced before it was locked.
      file.system.closeUnwritten(descriptor)
      return try open(place, isForUpdating: isForUpdating, attempt: attempt + 1)
    }
    guard status.kind == .regular else {
      file.system.closeUnwritten(descriptor)
      return .somethingElse(.notRegular(status.kind, file.url))
    }
    if let lock { file.open(lock, toUsersOf: status) }
    return .file(OpenFile(descriptor: descriptor, status: status))
  }

  /// Tells a file that may only be read from one that may not even be that.
  private func cannotUpdate(_ error: SystemCallError, in place: Place) -> GlobalDataError {
    guard error.isDenied || [EROFS, ETXTBSY].contains(error.number) else { return .cannotOpen(error, file.url) }
    do {
      file.system.closeUnwritten(try file.open(place.name, in: place.folder, isForUpdating: false))
      return .cannotWrite(error, file.url)
    } catch {
      return .cannotOpen(error, file.url)
    }
  }

  // MARK: Ending

  /// Closes the file; at the next step it is looked for anew.
  func forgetFile() {
    if case .file(let open) = found { file.system.closeUnwritten(open.descriptor) }
    found = .nothingYet
    isStatusOld = false
    fileLockTime = nil
  }

  /// Closes the file and the folder; at the next step they are looked for anew, where the path leads then.
  func forget() {
    forgetFile()
    if let place, !isKeptCurrent { file.system.closeUnwritten(place.folder.descriptor) }
    place = nil
    isKeptCurrent = false
    isLockOfPlace = false
  }

  /// Closes all, and gives the lock back.
  func end() {
    forget()
    lock?.release()
    lock = nil
    activity?.end()
    activity = nil
  }

  /// Closes the file, gives the lock back, and leaves the folder and the lock's file open for the next commit.
  ///
  /// - Returns: What is open now; `nil` where it is not worth keeping.
  func endKeepingPlace(isShared: Bool) -> KeptPlace? {
    defer { end() }
    // Nothing has been done with it.
    if place == nil, isKeptCurrent { return kept }
    guard let place, isShared == (lock != nil) else { return nil }
    // Both are kept, or both are new: each descriptor has one owner, who closes it.
    if isKeptCurrent {
      guard lock?.isKept != false else { return nil }
      do {
        try lock?.unlock()
        lock = nil
        return kept
      } catch {
        return nil  // Closing its file gives it back.
      }
    }
    guard lock?.isKept != true else { return nil }
    do throws(GlobalDataError) {
      return try keep(place)
    } catch {
      return nil  // The commit is done, and the next one opens what it needs.
    }
  }

  private func keep(_ place: Place) throws(GlobalDataError) -> KeptPlace {
    do {
      let status = try retryingInterruptions(file.system.status(of: place.folder.descriptor, withTime: false))
      try lock?.unlock()
      // Theirs from here on, to close.
      defer {
        self.place = nil
        lock = nil
      }
      let keptLock = lock?.keepable(at: place.location)
      return KeptPlace(place.location.folder, place.folder, status.identity, keptLock, file.system)
    } catch {
      throw .cannotOpen(error, file.url)
    }
  }
}
