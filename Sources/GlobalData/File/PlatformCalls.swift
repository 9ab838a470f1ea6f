import Foundation

// The one place where Apple's systems and the others part. Whole functions stand inside the conditions; those for
// Apple's systems answer as a C function does, 0 or -1 with errno, so that both sides look alike from outside.

/// What the C libraries name or do differently.
enum PlatformCalls {
  /// The system's answer in this module's terms.
  static func fileStatus(_ status: stat, withTime: Bool) -> FileStatus {
    let modified = modificationTime(status)
    return FileStatus(
      kind: kind(ofMode: status.st_mode),
      device: UInt64(truncatingIfNeeded: status.st_dev),
      inode: UInt64(truncatingIfNeeded: status.st_ino),
      size: Int(truncatingIfNeeded: status.st_size),
      modified: withTime
        ? FileTime(
          seconds: Int(truncatingIfNeeded: modified.tv_sec), nanoseconds: Int(truncatingIfNeeded: modified.tv_nsec))
        : nil,
      permissions: UInt32(truncatingIfNeeded: status.st_mode) & 0o777,
      owner: status.st_uid,
      group: status.st_gid,
      linkCount: Int(truncatingIfNeeded: status.st_nlink)
    )
  }

  private static func kind(ofMode mode: mode_t) -> FileStatus.Kind {
    switch mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFDIR: .folder
    case S_IFLNK: .link
    case S_IFIFO: .pipe
    default: .other
    }
  }

  /// The name in an entry of a folder, or `nil` if it is not UTF-8.
  static func name(of entry: UnsafePointer<dirent>) -> String? {
    // The system allots an entry only as long as its name: reading it as a whole struct would read beyond it.
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
    return String(validatingCString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
  }
}

#if canImport(Darwin)

// Not compiled where this was written. Source: the manual pages fcntl(2), fsync(2) and copyfile(3).
extension PlatformCalls {
  /// Opens a folder for looking names up only: O_EXEC, whose name not every SDK shows to Swift.
  static let searchOnly: Int32 = 0x4000_0000

  /// Nothing: reading notes the time of access in memory only on these systems.
  static let noAccessTime: Int32 = 0

  private static func modificationTime(_ status: stat) -> timespec { status.st_mtimespec }

  /// Nothing: asking for a file's times costs no more than not asking for them on these systems.
  static func look(_ descriptor: Int32, _ name: String) -> (status: FileStatus, errorNumber: Int32)? { nil }

  /// Syncs through the drive's own cache, where `fsync` stops on this system.
  ///
  /// A file system that has no barrier may have the flush, which is more; only one that has neither gets `fsync`.
  static func sync(_ descriptor: Int32, _ strength: SyncStrength) -> Int32 {
    if strength == .barrier, let answer = sync(descriptor, by: F_BARRIERFSYNC) { return answer }
    return sync(descriptor, by: F_FULLFSYNC) ?? fsync(descriptor)
  }

  /// The answer of a command; `nil` where the file system does not have it, which each says by another error.
  private static func sync(_ descriptor: Int32, by command: Int32) -> Int32? {
    guard fcntl(descriptor, command) == -1 else { return 0 }
    switch errno {
    case EIO, ENOSPC, EDQUOT, EINTR, EBADF: return -1
    default: return nil
    }
  }

  /// Copies both, also where one cannot be: the system's call stops at the first attribute that a file may not have.
  static func copyAttributes(from source: Int32, to destination: Int32) -> Int32 {
    var number: Int32 = 0
    for kind in [COPYFILE_ACL, COPYFILE_XATTR]
    where fcopyfile(source, destination, nil, copyfile_flags_t(kind)) != 0 {
      number = errno
    }
    errno = number
    return number == 0 ? 0 : -1
  }
}

#else

import CLinux

extension PlatformCalls {
  /// Opens a folder for looking names up only: O_PATH, which the C library shows to GNU programs only.
  static let searchOnly: Int32 = 0o10_000_000

  /// Reads without noting the time: O_NOATIME, which the C library shows to GNU programs only.
  ///
  /// Each commit reads the beginning of a file that is new since the commit before it. The time of that first reading would be
  /// one more change of the file system for each commit, which costs as much as all looking at the file does.
  static let noAccessTime: Int32 = 0o1_000_000

  private static func modificationTime(_ status: stat) -> timespec { status.st_mtim }

  /// What a name in a folder stands for, or an open file where the name is empty, without its times.
  ///
  /// A file whose times somebody has asked for gets a new time at its next write (from Linux 6.13 on), which has to reach the
  /// medium, too: the sync of an append takes 40 % longer then.
  ///
  /// - Returns: The status, or the number of the error; `nil` where this cannot be asked.
  static func look(_ descriptor: Int32, _ name: String) -> (status: FileStatus, errorNumber: Int32)? {
    var look = file_look()
    let errorNumber = name.withCString { file_look(descriptor, $0, &look) }
    // An old kernel does not know the call, and a sandbox may forbid it.
    guard errorNumber != ENOSYS, errorNumber != EPERM else { return nil }
    let status = FileStatus(
      kind: kind(ofMode: mode_t(look.mode)),
      device: file_look_device(&look),
      inode: look.inode,
      size: Int(truncatingIfNeeded: look.size),
      modified: nil,
      permissions: UInt32(look.mode) & 0o777,
      owner: look.owner,
      group: look.group,
      linkCount: Int(look.link_count)
    )
    return (status, errorNumber)
  }

  /// `fsync` goes through to the medium, and nothing weaker keeps the order.
  static func sync(_ descriptor: Int32, _ strength: SyncStrength) -> Int32 {
    switch strength {
    case .flush, .barrier: fsync(descriptor)
    case .data: fdatasync(descriptor)
    }
  }

  /// What users attach to files, and access control lists. The other kinds of attributes are labels of the kernel's
  /// security modules, which label new files by their own rules.
  private static let keptPrefixes = ["user.", "system.posix_acl_"].map { $0.utf8CString.dropLast() }

  static func copyAttributes(from source: Int32, to destination: Int32) -> Int32 {
    let length = flistxattr(source, nil, 0)
    guard length > 0 else { return length == 0 || errno == ENOTSUP ? 0 : -1 }
    var list = [CChar](repeating: 0, count: length)
    let filled = flistxattr(source, &list, length)
    guard filled >= 0 else { return -1 }
    for name in list.prefix(filled).split(separator: 0).map({ Array($0) + [0] }) {
      guard keptPrefixes.contains(where: { name.starts(with: $0) }) else { continue }
      let size = fgetxattr(source, name, nil, 0)
      guard size >= 0 else { return -1 }
      var value = [UInt8](repeating: 0, count: size)
      let read = fgetxattr(source, name, &value, size)
      guard read >= 0, fsetxattr(destination, name, value, read, 0) == 0 else { return -1 }
    }
    return 0
  }
}

#endif

// Mac Catalyst and simulators keep their files on a Mac's volumes.
#if canImport(Darwin) && !os(macOS) && !targetEnvironment(macCatalyst) && !targetEnvironment(simulator)

extension PlatformCalls {
  /// The number of a class, A to D in Apple's security guide.
  private static func number(of protection: GlobalData.FileProtection) -> Int32 {
    switch protection {
    case .complete: 1
    case .completeUnlessOpen: 2
    case .completeUntilFirstUserAuthentication: 3
    case .unprotected: 4
    }
  }

  static func protect(_ descriptor: Int32, _ protection: GlobalData.FileProtection?, like earlier: Int32?) -> Int32 {
    let earlierClass = earlier.map { fcntl($0, F_GETPROTECTIONCLASS) } ?? -1
    // A new file is readable from the first unlock after a restart on, so that work in the background finds its data.
    let wanted =
      protection.map(number) ?? (earlierClass > 0 ? earlierClass : number(of: .completeUntilFirstUserAuthentication))
    guard fcntl(descriptor, F_SETPROTECTIONCLASS, wanted) == -1 else { return 0 }
    switch errno {
    case EINTR: return -1
    case ENOTSUP, EINVAL, ENOTTY: return 0  // Volumes without encryption have no classes.
    default: return protection == nil ? 0 : -1  // Who has not asked for a class can do without it.
    }
  }
}

#else

extension PlatformCalls {
  /// Files have no protection classes on computers.
  static func protect(_ descriptor: Int32, _ protection: GlobalData.FileProtection?, like earlier: Int32?) -> Int32 {
    0
  }
}

#endif
