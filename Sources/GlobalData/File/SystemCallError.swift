import FoundationCore

/// The calls that can fail, under their names in the system's manual.
package enum SystemCall: String, Sendable, CaseIterable {
  case realpath
  case lstat
  case mkdir
  case open
  case openat
  case create = "openat (O_CREAT)"
  case fstatat
  case renameat
  case unlinkat
  case linkat
  case flock
  case unlock = "flock (LOCK_UN)"
  case readdir
  case fstat
  case read = "pread"
  case write
  case pwrite
  case truncate = "ftruncate"
  case fsync
  case close
  case dup = "fcntl (F_DUPFD_CLOEXEC)"
  case fchmod
  case fchown
  case copyAttributes = "fsetxattr"
  case protect = "fcntl"
  case excludeFromBackups = "setResourceValues"
  case watch = "inotify_add_watch"
}

/// A system call that failed, and its error number.
package struct SystemCallError: Error, Equatable, Sendable {
  package internal(set) var call: SystemCall
  package internal(set) var number: Int32

  package init(_ call: SystemCall, _ number: Int32) {
    self.call = call
    self.number = number
  }

  var isAbsent: Bool { number == ENOENT }

  var isDenied: Bool { number == EACCES || number == EPERM }

  var isWouldBlock: Bool { number == EWOULDBLOCK || number == EAGAIN }

  var isUnsupported: Bool { [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(number) }

  var isAboutSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

  /// Whether the file system cannot lock files, or cannot lock this one.
  var hasNoLocks: Bool { isUnsupported || number == ENOLCK || number == EBADF }

  static func text(of number: Int32) -> String {
    // For the numbers of the system's own calls this text is constant on every platform, so threads do not conflict.
    String(cString: strerror(number))
  }
}

/// Repeats a system call for as long as signals interrupt it.
///
/// Do not use it for `close`, after which the descriptor is gone whatever the call returns, nor for `renameat`, which
/// may have happened.
func retryingInterruptions<Answer>(
  _ call: @autoclosure () throws(SystemCallError) -> Answer
) throws(SystemCallError) -> Answer {
  while true {
    do {
      return try call()
    } catch {
      try error.rethrowUnlessInterrupted()
    }
  }
}

/// Returns `nil` if the name does not exist.
func ifPresent<Answer>(_ call: @autoclosure () throws(SystemCallError) -> Answer) throws(SystemCallError) -> Answer? {
  do {
    return try call()
  } catch {
    try error.rethrowUnlessAbsent()
    return nil
  }
}

extension SystemCallError {
  // Not inlined, because the functions above have many callers.

  @inline(never)
  fileprivate func rethrowUnlessInterrupted() throws(SystemCallError) {
    guard number == EINTR else { throw self }
  }

  @inline(never)
  fileprivate func rethrowUnlessAbsent() throws(SystemCallError) {
    guard isAbsent else { throw self }
  }
}

extension SystemCalls {
  /// Closes a descriptor that was used for writing. Throws the errors that a network or a quota delayed.
  func closeWritten(_ descriptor: FileDescriptor) throws(SystemCallError) {
    do {
      try close(descriptor)
    } catch {
      // An interrupted close has closed the descriptor. The bytes were synced before, if they had to be.
      guard error.number == EINTR else { throw error }
    }
  }

  /// Closes a descriptor that was not used for writing, or whose file is about to be removed.
  func closeUnwritten(_ descriptor: FileDescriptor) {
    // Such a close has no bytes to lose, and the descriptor is gone in any case. No caller could act on an error.
    try? close(descriptor)
  }
}
