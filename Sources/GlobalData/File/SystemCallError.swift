import FoundationCore

/// The calls that can fail, by the names under which the system's manual describes them.
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
  case read
  case write
  case pread
  case pwrite
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

package struct SystemCallError: Error, Equatable, Sendable {
  package var call: SystemCall
  package var number: Int32

  package init(_ call: SystemCall, _ number: Int32) {
    self.call = call
    self.number = number
  }

  var isAbsent: Bool { number == ENOENT }

  var isDenied: Bool { number == EACCES || number == EPERM }

  var isWouldBlock: Bool { number == EWOULDBLOCK || number == EAGAIN }

  var isUnsupported: Bool { number == EINVAL || number == ENOTSUP || number == EOPNOTSUPP }

  /// The file system cannot lock files, or not this one.
  var hasNoLocks: Bool { isUnsupported || number == ENOLCK || number == EBADF || number == ENOSYS }

  package static func text(of number: Int32) -> String {
    // For the numbers of the system's own calls this is a constant text on every platform, so that threads do not meet.
    String(cString: strerror(number))
  }
}

/// Makes a system call again for as long as a signal interrupts it.
///
/// Not for `close`, after which the descriptor is gone whatever it answers, nor for `renameat`, which may have
/// happened.
func retryingInterruptions<Answer>(
  _ call: @autoclosure () throws(SystemCallError) -> Answer
) throws(SystemCallError) -> Answer {
  while true {
    do {
      return try call()
    } catch {
      guard error.number == EINTR else { throw error }
    }
  }
}

/// Returns `nil` where the name does not exist.
func ifPresent<Answer>(_ call: @autoclosure () throws(SystemCallError) -> Answer) throws(SystemCallError) -> Answer? {
  do {
    return try call()
  } catch {
    guard error.isAbsent else { throw error }
    return nil
  }
}

extension SystemCalls {
  /// Closes a descriptor that something was written through, which tells what a network or a quota held back.
  func closeWritten(_ descriptor: FileDescriptor) throws(SystemCallError) {
    do {
      try close(descriptor)
    } catch {
      // An interrupted close has closed. The bytes were synced before, if they had to be.
      guard error.number == EINTR else { throw error }
    }
  }

  /// Closes a descriptor that nothing was written through, or whose file is about to be removed.
  func closeUnwritten(_ descriptor: FileDescriptor) {
    do {
      try close(descriptor)
    } catch {
      // Such a close has no bytes to lose, and the descriptor is gone in any case: nobody could act on this error.
    }
  }
}
