import FoundationCore

// The one place where Apple's systems and the others differ. The conditions contain whole functions. Those for Apple's
// systems return 0, or -1 with errno, as a C function does, so that callers see no difference between both sides.

/// The calls that the C libraries name or implement differently.
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

  /// Returns `nil` if the name is not UTF-8.
  static func name(of entry: UnsafePointer<dirent>) -> String? {
    // The system allocates an entry only as long as its name. Reading it as a whole struct would read beyond its end.
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return nil }
    return String(validatingCString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
  }
}

#if canImport(Darwin)

// CI on Linux only type-checks this part, against Darwin's headers. The functions that make decisions are in
// DarwinCalls.swift, which CI also runs.
extension PlatformCalls {
  /// The flag to open a folder only for looking up names: O_EXEC, whose name not every SDK exposes to Swift.
  static let searchOnly: Int32 = 0x4000_0000

  /// No flag: on these systems, reading records the access time only in memory.
  static let noAccessTime: Int32 = 0

  private static func modificationTime(_ status: stat) -> timespec { status.st_mtimespec }

  static func renameWithoutReplacing(_ name: String, _ newName: String, in folder: Int32) -> Int32 {
    renameatx_np(folder, name, folder, newName, UInt32(RENAME_EXCL))
  }

  /// Returns `nil`: on these systems, a status with the file's times costs no more than one without them.
  static func statusWithoutTime(_ descriptor: Int32, _ name: String) -> (status: FileStatus, errorNumber: Int32)? {
    nil
  }
}

#else

import CLinux

extension PlatformCalls {
  /// The flag to open a folder only for looking up names: O_PATH, which the C library exposes only to GNU programs.
  static let searchOnly: Int32 = 0o10_000_000

  /// The flag to read without recording the access time: O_NOATIME, which the C library exposes only to GNU programs.
  ///
  /// Each commit reads the beginning of a file that is new since the previous commit. Recording the time of this first
  /// reading would be one more change to the file system for each commit, and cost as much as the whole examination of
  /// the file.
  static let noAccessTime: Int32 = 0o1_000_000

  private static func modificationTime(_ status: stat) -> timespec { status.st_mtim }

  /// Returns the status of a name, or of an open file if the name is empty, without its times; `nil` if the system does
  /// not support this.
  ///
  /// A file whose times were requested gets a new time at its next write (from Linux 6.13 on). The new time has to
  /// reach the disk, so the sync of an append then takes 40 % longer.
  static func statusWithoutTime(_ descriptor: Int32, _ name: String) -> (status: FileStatus, errorNumber: Int32)? {
    var result = file_status()
    let errorNumber = name.withCString { file_status(descriptor, $0, &result) }
    // An old kernel does not know the call, and a sandbox may forbid it.
    guard errorNumber != ENOSYS, errorNumber != EPERM else { return nil }
    let status = FileStatus(
      kind: kind(ofMode: mode_t(result.mode)),
      device: file_status_device(&result),
      inode: result.inode,
      size: Int(truncatingIfNeeded: result.size),
      modified: nil,
      permissions: UInt32(result.mode) & 0o777,
      owner: result.owner,
      group: result.group,
      linkCount: Int(result.link_count)
    )
    return (status, errorNumber)
  }

  static func renameWithoutReplacing(_ name: String, _ newName: String, in folder: Int32) -> Int32 {
    file_rename_without_replacing(folder, name, newName)
  }

  static func create(_ name: UnsafePointer<CChar>, in folder: Int32, _ flags: Int32) -> Int32 {
    openat(folder, name, flags, 0o600)
  }

  /// `fsync` goes through to the disk, and nothing weaker keeps the order.
  static func sync(_ descriptor: Int32, _ strength: SyncStrength) -> Int32 {
    switch strength {
    case .flush, .barrier: fsync(descriptor)
    case .data: fdatasync(descriptor)
    }
  }

  /// The prefixes of attributes that users attach to files, and of access control lists. The other kinds of attributes
  /// are labels of the kernel's security modules, which label new files by their own rules.
  private static let keptPrefixes = ["user.", "system.posix_acl_"]

  static func copyAttributes(from source: Int32, to destination: Int32) -> Int32 {
    let length = flistxattr(source, nil, 0)
    guard length > 0 else { return length == 0 || errno == ENOTSUP ? 0 : -1 }
    var list = [CChar](repeating: 0, count: length)
    let filled = flistxattr(source, &list, length)
    guard filled >= 0 else { return -1 }
    var rest = list.prefix(filled)
    while let end = rest.firstIndex(of: 0) {
      let name = Array(rest[...end])
      rest = rest[(end + 1)...]
      guard keptPrefixes.contains(where: { strncmp(name, $0, $0.utf8.count) == 0 }) else { continue }
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

  /// Returns a comparison by bytes. Folders that are set up to ignore case (ext4's `casefold`) are not detected.
  static func nameComparison(atPath path: String) -> NameComparison { .bytes }
}

#endif
