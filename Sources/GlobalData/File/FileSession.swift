import FoundationCore

/// The folder, lock and file of a store, for one operation. Each is opened once, and all steps act on the same ones.
///
/// Only one thread at a time may use a session, and the session must be ended. All functions block for as long as the
/// disk takes.
final class FileSession {
  let archive: ArchiveFile
  let access: Access
  private let keepsFile: Bool
  /// The open folder, and the location that the path led to when the folder was opened.
  var opened: OpenedFolder?
  /// The files that the previous session left open; `nil` once they are of no use.
  var kept: KeptFiles?
  /// `nil` until the file is examined.
  private(set) var found: Examination?
  /// Whether the open file is examined again before it is replaced. Its permissions and owner, which the new file
  /// keeps, may have changed while the commit was planned.
  private var mustAskStatusAgain = false

  /// Whether the last append failed and was erased, so that the file is as before.
  var isErased = false

  // The state of FileSession+Locking.
  var lock: LockFile?
  var activity: ExpiringActivity?
  var isLockOfFolder = false
  /// Whether a writer that has lost its lock file may replace the file before this session locks it.
  var mayBeReplaced = false
  /// The time until which the session may wait for other writers.
  var lockDeadline = Duration.zero
  /// The time at which the store's own file was locked, too.
  var fileLockTime: Duration?

  typealias OpenedFolder = (folder: StoreFolder, location: FileLocation)

  enum Access {
    case reading
    case writing
    /// Writes, without waiting for any other process.
    case writingImmediately
  }

  /// What has the file's name.
  enum Examination {
    case absent
    /// A different location of the file, or something that is not a file. The path has to be followed again.
    case somethingElse(GlobalDataError)
    case file(ExaminedFile)
  }

  init(_ archive: ArchiveFile, _ access: Access, kept: KeptFiles? = nil, keepsFile: Bool = false) {
    self.archive = archive
    self.access = access
    self.keepsFile = keepsFile
    if let kept, kept.processID == archive.system.processID { self.kept = kept }
  }

  var url: URL { archive.url }
  var location: FileLocation? { opened?.location }

  // MARK: The folder

  /// Returns `nil` if the folder does not exist. A folder that cannot be opened is an error of the given step.
  @inline(never)
  func folder(to step: FileStep) throws(GlobalDataError) -> OpenedFolder? {
    if let opened { return opened }
    let location = try archive.currentLocation()
    if useKeptFolder(at: location) { return opened }
    guard let folder = try naming(step, ifPresent(StoreFolder(location.folder, archive.system))) else {
      // A dangling link does not count as a folder that does not exist yet.
      try archive.followPath()
      return nil
    }
    opened = (folder, location)
    return opened
  }

  func folderOrCreated(_ durability: Durability) throws(GlobalDataError) -> OpenedFolder {
    if let opened = try folder(to: .createFolder) { return opened }
    let location = try archive.currentLocation()
    let folder = try naming(.createFolder, archive.openOrCreateFolder(location.folder, durability))
    opened = (folder, location)
    return (folder, location)
  }

  /// Uses the kept folder if it is still the one at its path, and returns whether it is.
  func useKeptFolder(at location: FileLocation) -> Bool {
    guard let kept else { return false }
    // If the folder cannot be examined, opening it again meets the same error, and reports it.
    guard kept.location == location, (try? kept.folder.isAt(location.folder)) == true else {
      self.kept = nil
      return false
    }
    opened = (kept.folder, kept.location)
    return true
  }

  /// Uses the kept file without examining it, if it was examined a moment ago.
  func useKeptFile(at location: FileLocation) -> Bool {
    guard let kept, let file = kept.file, kept.location == location, file.isFresh else { return false }
    opened = (kept.folder, kept.location)
    found = .file(file)
    return true
  }

  func isOpened(_ location: FileLocation) throws(SystemCallError) -> Bool {
    guard let opened, opened.location == location else { return false }
    return try opened.folder.isAt(location.folder)
  }

  /// Returns whether a file has a name now, or whether nothing has it (`nil`).
  @inline(never)
  func isAt(_ name: String, in folder: StoreFolder, _ file: FileIdentity?) throws(SystemCallError) -> Bool {
    try ifPresent(folder.status(of: name))?.identity == file
  }

  /// Follows the path again, and closes the file. The folder stays open if the path still leads to it.
  func followAgain() throws(GlobalDataError) {
    let location = try archive.followPath()
    if try naming(.open, isOpened(location)) { forgetFile() } else { forgetFolder() }
  }

  /// Syncs a folder, and returns whether that is possible. `deed` names the operation on the file for the error
  /// message.
  @inline(never)
  func sync(_ folder: StoreFolder, after deed: String) throws(GlobalDataError) -> Bool {
    try naming(.syncFolder(after: deed), archive.sync(folder))
  }

  /// Reports a failed system call as an error about the file.
  func naming<Answer>(
    _ step: FileStep, _ call: @autoclosure () throws(SystemCallError) -> Answer
  ) throws(GlobalDataError) -> Answer {
    do {
      return try call()
    } catch {
      throw failure(step, error)
    }
  }

  /// Returns the error for a failed step. Not inlined, because ``naming(_:_:)`` has many callers.
  @inline(never)
  private func failure(_ step: FileStep, _ error: SystemCallError) -> GlobalDataError { .cannot(step, error, url) }

  // MARK: The file

  /// Opens and examines the file, once.
  ///
  /// If the file is to be written in place, its time is not requested, because that would make the write slower, and
  /// its head is not read: ``isEnd(_:of:since:)`` reveals more than both. A file that may not be written in place is
  /// opened for reading; it can still be replaced.
  func examine(isForUpdating: Bool) throws(GlobalDataError) -> Examination {
    let result = try find(isForUpdating: isForUpdating)
    guard case .file(let examined) = result, !examined.isKept, !isForUpdating || !examined.isForUpdating else {
      return result
    }
    let head = try naming(.open, examined.file.bytes(at: 0, count: ArchiveHead.length))
    examined.head = head.withUnsafeBytes(FileStamp.head)
    mustAskStatusAgain = true
    return result
  }

  /// Returns the file with its current status; `nil` if the file does not exist.
  ///
  /// A file that may not be read is not replaced either, because its contents are unknown.
  func currentFile() throws(GlobalDataError) -> ExaminedFile? {
    switch try find(isForUpdating: false) {
    case .absent: return nil
    case .somethingElse(let error): throw error
    case .file(let examined):
      if mustAskStatusAgain {
        examined.status = try naming(.open, examined.file.status())
        mustAskStatusAgain = false
      }
      return examined
    }
  }

  /// Returns `nil` if the file does not exist or may not be written in place.
  func fileToUpdate() throws(GlobalDataError) -> OpenFile? {
    if case .file(let examined) = found, !examined.isForUpdating { forgetFile() }
    switch try find(isForUpdating: true) {
    case .file(let examined) where examined.isForUpdating: return examined.file
    case .absent, .somethingElse, .file: return nil
    }
  }

  @inline(never)
  private func find(isForUpdating: Bool) throws(GlobalDataError) -> Examination {
    if let found { return found }
    guard let (folder, location) = try folder(to: .open) else { return .absent }
    let result = try open(location.name, in: folder, isForUpdating: isForUpdating)
    found = result
    return result
  }

  private func open(
    _ name: String, in folder: StoreFolder, isForUpdating: Bool, attempt: Int = 0
  ) throws(GlobalDataError) -> Examination {
    let file: OpenFile
    do {
      file = try folder.openExisting(name, isForUpdating: isForUpdating)
    } catch {
      switch error.number {
      case ENOENT: return attempt == 0 ? try examineAgain(for: name, in: folder, isForUpdating: isForUpdating) : .absent
      case ELOOP, EISDIR: return .somethingElse(.cannot(.open, error, url))
      default:
        guard isForUpdating, error.isDenied || [EROFS, ETXTBSY].contains(error.number) else {
          throw .cannot(.open, error, url)
        }
        return try open(name, in: folder, isForUpdating: false, attempt: attempt)
      }
    }
    try lockAlso(file)
    let status = try naming(.open, file.status(withTime: !isForUpdating))
    if lock != nil, attempt < (fileLockTime == nil ? 2 : 100) {
      var isReplaced = status.linkCount == 0
      // The file may have other names. A rewrite checks that later, in any case.
      if isForUpdating, mayBeReplaced, !isReplaced {
        isReplaced = try naming(.open, !isAt(name, in: folder, status.identity))
      }
      // The file was replaced before it was locked.
      if isReplaced { return try open(name, in: folder, isForUpdating: isForUpdating, attempt: attempt + 1) }
    }
    guard status.kind == .regular else { return .somethingElse(.notRegular(status.kind, url)) }
    lock?.allow(writersOf: status)
    return .file(ExaminedFile(file, status, isForUpdating: isForUpdating, staysOpen: keepsFile))
  }

  /// Examines again a file that was not found, for 20 ms at most and as long as there is a lock file. Without one, no
  /// process that shares the store is writing.
  ///
  /// A file system that runs as a program (FUSE) can have no file for some time while another process replaces it.
  @inline(never)
  private func examineAgain(
    for name: String, in folder: StoreFolder, isForUpdating: Bool
  ) throws(GlobalDataError) -> Examination {
    guard lock == nil, access != .writingImmediately, let location else { return .absent }
    let deadline = SteadyClock.now + .milliseconds(20)
    // If the lock file cannot be examined, either, the first result counts.
    while SteadyClock.now < deadline, (try? folder.status(of: location.lockName)) != nil {
      let found = try open(name, in: folder, isForUpdating: isForUpdating, attempt: 1)
      guard case .absent = found else { return found }
      usleep(200)
    }
    return .absent
  }

  // MARK: Ending

  /// Ends the use of an appended file, whose length may have changed.
  ///
  /// The file stays open for the next append that does not sync. All other operations examine the file, because they
  /// may replace it.
  func leaveAppendedFile() {
    guard access == .writingImmediately, location?.isBehindLink == false, case .file(let examined) = found,
      examined.mayStayOpen
    else { return forgetFile() }
    examined.isKept = true
  }

  func forgetFile() {
    if case .file(let examined) = found { examined.file.discard() }
    found = nil
    mustAskStatusAgain = false
    fileLockTime = nil
  }

  func forgetFolder() {
    forgetFile()
    opened = nil
    kept = nil
    isLockOfFolder = false
  }

  func end() {
    forgetFolder()
    lock?.release()
    lock = nil
    activity?.end()
    activity = nil
  }

  /// Releases the lock, and returns the files that stay open for the next commit of an appending store. If other
  /// processes write (`isShared`), the folder is of use only with the lock file.
  func endKeeping(isShared: Bool) -> KeptFiles? {
    defer { end() }
    guard let opened else { return kept }  // The kept files were not used.
    guard isShared == (lock != nil), lock?.release() != false else { return nil }
    var files = KeptFiles(
      folder: opened.folder, location: opened.location, lock: lock,
      processID: kept?.processID ?? archive.system.processID)
    if case .file(let examined) = found, examined.isKept {
      files.file = examined
      found = nil  // The file stays open.
    }
    return files
  }
}
