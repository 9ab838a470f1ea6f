import FoundationCore

/// The system calls of this process's platform.
///
/// `withCString` passes the names that an append uses: passing a Swift string to C directly makes a copy.
final class POSIXSystemCalls: SystemCalls {
  /// Returns the result of a call, or throws its `errno`. This function makes the call itself, so that nothing
  /// changes `errno` in between.
  private func check<Answer: SignedInteger>(
    _ call: SystemCall, _ answer: @autoclosure () -> Answer
  ) throws(SystemCallError) -> Answer {
    let answer = answer()
    guard answer >= 0 else { throw failure(call) }
    return answer
  }

  /// Returns an error with the current `errno`. Not inlined, because ``check(_:_:)`` has many callers.
  @inline(never)
  private func failure(_ call: SystemCall) -> SystemCallError { SystemCallError(call, errno) }

  // MARK: Paths

  func realPath(_ path: String) throws(SystemCallError) -> String {
    guard let resolved = realpath(path, nil) else { throw SystemCallError(.realpath, errno) }
    defer { free(resolved) }
    // Repairing a name that is not UTF-8 would lead to another file.
    guard let text = String(validatingCString: resolved) else { throw SystemCallError(.realpath, EILSEQ) }
    return text
  }

  func nameComparison(atPath path: String) -> NameComparison {
    PlatformCalls.nameComparison(atPath: path)
  }

  func status(ofPath path: String) throws(SystemCallError) -> FileStatus {
    if let status = try statusWithoutTime(.lstat, FileDescriptor(rawValue: AT_FDCWD), path) { return status }
    var status = stat()
    _ = try check(.lstat, lstat(path, &status))
    return PlatformCalls.fileStatus(status, withTime: false)
  }

  func makeDirectory(_ path: String) throws(SystemCallError) {
    _ = try check(.mkdir, mkdir(path, 0o700))
  }

  func openDirectory(_ path: String, forListing: Bool) throws(SystemCallError) -> FileDescriptor {
    let access = forListing ? O_RDONLY : PlatformCalls.searchOnly
    return try opened(.open, open(path, access | O_DIRECTORY | O_CLOEXEC))
  }

  // MARK: Names in a folder

  func openExisting(
    _ name: String, in folder: FileDescriptor, isForUpdating: Bool
  ) throws(SystemCallError) -> FileDescriptor {
    // O_NONBLOCK: opening a pipe must not wait for a writer. It has no effect on files.
    let flags = (isForUpdating ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    do {
      return try opened(.openat, name.withCString { openat(folder.rawValue, $0, flags | PlatformCalls.noAccessTime) })
    } catch {
      // Only the owner of a file may leave its access time unchanged.
      guard error.number == EPERM, PlatformCalls.noAccessTime != 0 else { throw error }
      return try opened(.openat, name.withCString { openat(folder.rawValue, $0, flags) })
    }
  }

  func create(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    // O_EXCL: refuses anything that already has the name, even a planted link.
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    return try opened(.create, name.withCString { PlatformCalls.create($0, in: folder.rawValue, flags) })
  }

  func status(of name: String, in folder: FileDescriptor, withTime: Bool) throws(SystemCallError) -> FileStatus {
    if !withTime, let status = try statusWithoutTime(.fstatat, folder, name) { return status }
    var status = stat()
    _ = try check(.fstatat, name.withCString { fstatat(folder.rawValue, $0, &status, AT_SYMLINK_NOFOLLOW) })
    return PlatformCalls.fileStatus(status, withTime: withTime)
  }

  /// Returns `nil` if the system cannot report a status without its times.
  private func statusWithoutTime(
    _ call: SystemCall, _ descriptor: FileDescriptor, _ name: String
  ) throws(SystemCallError) -> FileStatus? {
    guard let (status, errorNumber) = PlatformCalls.statusWithoutTime(descriptor.rawValue, name) else { return nil }
    guard errorNumber == 0 else { throw SystemCallError(call, errorNumber) }
    return status
  }

  func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    _ = try check(.renameat, renameat(folder.rawValue, name, folder.rawValue, newName))
  }

  func renameWithoutReplacing(
    _ name: String, to newName: String, in folder: FileDescriptor
  ) throws(SystemCallError) {
    do {
      _ = try check(.renameat, PlatformCalls.renameWithoutReplacing(name, newName, in: folder.rawValue))
    } catch {
      // A file system or a kernel may not have the call, and a sandbox may forbid it.
      guard error.isUnsupported || error.isDenied else { throw error }
      try rename(name, to: newName, in: folder)
    }
  }

  func link(_ name: String, as newName: String, in folder: FileDescriptor) throws(SystemCallError) {
    _ = try check(.linkat, linkat(folder.rawValue, name, folder.rawValue, newName, 0))
  }

  func unlink(_ name: String, in folder: FileDescriptor) throws(SystemCallError) {
    _ = try check(.unlinkat, unlinkat(folder.rawValue, name, 0))
  }

  func names(in folder: FileDescriptor) throws(SystemCallError) -> [String] {
    // Closing the stream closes its descriptor, so it gets a copy. The two share a position, which an earlier reading
    // has moved to the end.
    let copy = try duplicate(folder)
    lseek(copy.rawValue, 0, SEEK_SET)
    guard let stream = fdopendir(copy.rawValue) else {
      let number = errno
      closeUnwritten(copy)
      throw SystemCallError(.readdir, number)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0  // the only sign that distinguishes an error from the end
      guard let entry = readdir(stream) else {
        guard errno == 0 else { throw SystemCallError(.readdir, errno) }
        return names
      }
      if let name = PlatformCalls.name(of: entry) { names.append(name) }
    }
  }

  // MARK: Locks

  func openLock(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    // O_CLOEXEC: a descriptor that a child process inherits would keep the lock. O_RDWR: a user who may only read the
    // file cannot lock it. O_NONBLOCK: opening a pipe must not wait for a reader. It has no effect on files.
    let flags = O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
    do {
      // Without O_CREAT: in a folder such as /tmp, Linux refuses it for the file of another user, even to root
      // (fs.protected_regular).
      return try opened(.create, name.withCString { openat(folder.rawValue, $0, flags) })
    } catch {
      guard error.isAbsent else { throw error }
      return try opened(.create, name.withCString { PlatformCalls.create($0, in: folder.rawValue, flags | O_CREAT) })
    }
  }

  func tryLock(_ descriptor: FileDescriptor) throws(SystemCallError) {
    _ = try check(.flock, flock(descriptor.rawValue, LOCK_EX | LOCK_NB))
  }

  func unlock(_ descriptor: FileDescriptor) throws(SystemCallError) {
    _ = try check(.unlock, flock(descriptor.rawValue, LOCK_UN))
  }

  // MARK: Open files

  func status(of descriptor: FileDescriptor, withTime: Bool) throws(SystemCallError) -> FileStatus {
    if !withTime, let status = try statusWithoutTime(.fstat, descriptor, "") { return status }
    var status = stat()
    _ = try check(.fstat, fstat(descriptor.rawValue, &status))
    return PlatformCalls.fileStatus(status, withTime: withTime)
  }

  func write(_ descriptor: FileDescriptor, _ pieces: [UnsafeRawBufferPointer]) throws(SystemCallError) -> Int {
    // The call only reads the buffers. The structure declares them as mutable because it also serves reading.
    let vector = pieces.map { iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count) }
    return try check(.write, writev(descriptor.rawValue, vector, Int32(vector.count)))
  }

  func read(
    _ descriptor: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int {
    try check(.read, pread(descriptor.rawValue, buffer.baseAddress, buffer.count, off_t(offset)))
  }

  func write(
    _ descriptor: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int {
    try check(.pwrite, pwrite(descriptor.rawValue, bytes.baseAddress, bytes.count, off_t(offset)))
  }

  func truncate(_ descriptor: FileDescriptor, to size: Int) throws(SystemCallError) {
    _ = try check(.truncate, ftruncate(descriptor.rawValue, off_t(size)))
  }

  func duplicate(_ descriptor: FileDescriptor) throws(SystemCallError) -> FileDescriptor {
    try opened(.dup, fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, Self.firstOwnDescriptor))
  }

  func sync(_ descriptor: FileDescriptor, _ strength: SyncStrength) throws(SystemCallError) {
    _ = try check(.fsync, PlatformCalls.sync(descriptor.rawValue, strength))
  }

  func close(_ descriptor: FileDescriptor) throws(SystemCallError) {
    _ = try check(.close, FoundationCore.close(descriptor.rawValue))
  }

  func setPermissions(_ permissions: UInt32, of descriptor: FileDescriptor) throws(SystemCallError) {
    _ = try check(.fchmod, fchmod(descriptor.rawValue, mode_t(truncatingIfNeeded: permissions)))
  }

  func setOwner(_ owner: UInt32?, group: UInt32, of descriptor: FileDescriptor) throws(SystemCallError) {
    // The greatest number, -1 in C, leaves the owner unchanged.
    _ = try check(.fchown, fchown(descriptor.rawValue, owner ?? .max, group))
  }

  func copyAttributes(from source: FileDescriptor, to destination: FileDescriptor) throws(SystemCallError) {
    _ = try check(.copyAttributes, PlatformCalls.copyAttributes(from: source.rawValue, to: destination.rawValue))
  }

  func protect(
    _ descriptor: FileDescriptor, _ protection: GlobalData.FileProtection?, like earlier: FileDescriptor?
  ) throws(SystemCallError) {
    _ = try check(.protect, PlatformCalls.protect(descriptor.rawValue, protection, like: earlier?.rawValue))
  }

  // MARK: Descriptors

  /// The first descriptor after standard input, output and error.
  private static let firstOwnDescriptor: Int32 = 3

  /// Returns the descriptor that a call has opened, with a number that no standard stream has.
  ///
  /// If a program closed a standard stream, the next file gets its number, and the program's output would be written
  /// into the store's file.
  private func opened(_ call: SystemCall, _ result: Int32) throws(SystemCallError) -> FileDescriptor {
    let descriptor = FileDescriptor(rawValue: try check(call, result))
    guard descriptor.rawValue < Self.firstOwnDescriptor else { return descriptor }
    defer { closeUnwritten(descriptor) }
    let moved = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, Self.firstOwnDescriptor)
    return FileDescriptor(rawValue: try check(.dup, moved))
  }

  // MARK: Processes

  var isPrivileged: Bool { geteuid() == 0 }

  var processID: Int32 { getpid() }
}
