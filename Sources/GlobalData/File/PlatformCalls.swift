import FoundationCore

// The one place where Apple's systems and the others part. Whole functions stand inside the conditions; those for
// Apple's systems answer as a C function does, 0 or -1 with errno, so that both sides look alike from outside.

/// What the C libraries name or do differently.
enum PlatformCalls {
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

  /// `nil` if it is not UTF-8.
  static func name(of entry: UnsafePointer<dirent>) -> String? {
    // The system allots an entry only as long as its name: reading it as a whole struct would read beyond it.
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
    return String(validatingCString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
  }
}

#if canImport(Darwin)

// Not compiled where this was written. What decides something stands in DarwinCalls.swift, which CI runs.
extension PlatformCalls {
  /// Opens a folder for looking names up only: O_EXEC, whose name not every SDK shows to Swift.
  static let searchOnly: Int32 = 0x4000_0000

  /// Nothing: reading notes the time of access in memory only on these systems.
  static let noAccessTime: Int32 = 0

  private static func modificationTime(_ status: stat) -> timespec { status.st_mtimespec }

  /// Nothing: asking for a file's times costs no more than not asking for them on these systems.
  static func statusWithoutTime(_ descriptor: Int32, _ name: String) -> (status: FileStatus, errorNumber: Int32)? {
    nil
  }
}

#else

import CLinux

extension PlatformCalls {
  /// Opens a folder for looking names up only: O_PATH, which the C library shows to GNU programs only.
  static let searchOnly: Int32 = 0o10_000_000

  /// Reads without noting the time: O_NOATIME, which the C library shows to GNU programs only.
  ///
  /// Each commit reads the beginning of a file that is new since the commit before it. The time of that first reading
  /// would be one more change of the file system for each commit, which costs as much as all looking at the file does.
  static let noAccessTime: Int32 = 0o1_000_000

  private static func modificationTime(_ status: stat) -> timespec { status.st_mtim }

  /// Returns the status of a name, or of an open file for the empty name, without its times; `nil` where this is
  /// unsupported.
  ///
  /// A file whose times were requested gets a new time at its next write (from Linux 6.13 on), which has to reach the
  /// disk: the sync of an append takes 40 % longer then.
  static func statusWithoutTime(_ descriptor: Int32, _ name: String) -> (status: FileStatus, errorNumber: Int32)? {
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

  /// `fsync` goes through to the disk, and nothing weaker keeps the order.
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

  static func protect(_ descriptor: Int32, _ protection: GlobalData.FileProtection?, like earlier: Int32?) -> Int32 {
    0
  }

  /// Compares names by their bytes. Folders that are set up to ignore case (ext4's `casefold`) are not told apart.
  static func nameComparison(atPath path: String) -> NameComparison { .bytes }
}

#endif
