#if canImport(Darwin)

import FoundationCore

// The calls on Apple's systems that make decisions based on the system's answer. `.ci/darwin_run.py` compiles this file
// on any system with stand-ins for the C library, and runs it. So the file uses nothing of Foundation except the C
// library. Each function returns 0, or -1 with errno, as a C function does. Source: the manual pages fcntl(2),
// fsync(2), copyfile(3) and pathconf(2).

extension PlatformCalls {
  /// Syncs through the drive's own cache. On this system, `fsync` goes only as far as that cache.
  ///
  /// On a file system without barriers, a barrier becomes a flush, which does more. `fsync` is used only if the file
  /// system has neither.
  static func sync(_ descriptor: Int32, _ strength: SyncStrength) -> Int32 {
    if strength == .barrier, let answer = sync(descriptor, by: F_BARRIERFSYNC) { return answer }
    return sync(descriptor, by: F_FULLFSYNC) ?? fsync(descriptor)
  }

  /// Returns the result of a command; `nil` if the file system does not support the command. File systems report that
  /// by different errors.
  private static func sync(_ descriptor: Int32, by command: Int32) -> Int32? {
    guard fcntl(descriptor, command) == -1 else { return 0 }
    switch errno {
    case EIO, ENOSPC, EDQUOT, EINTR, EBADF: return -1
    default: return nil
    }
  }

  /// Copies both kinds of attributes, even if one fails: the system's call stops at the first attribute that the file
  /// may not have.
  static func copyAttributes(from source: Int32, to destination: Int32) -> Int32 {
    var number: Int32 = 0
    for kind in [COPYFILE_ACL, COPYFILE_XATTR]
    where fcopyfile(source, destination, nil, copyfile_flags_t(kind)) != 0 {
      number = errno
    }
    errno = number
    return number == 0 ? 0 : -1
  }

  /// Returns whether the volume ignores case. All volumes treat canonically equivalent spellings of a letter as one.
  static func nameComparison(atPath path: String) -> NameComparison {
    // Only 0 is certain. A volume that cannot answer fails, and is treated as case-sensitive.
    pathconf(path, _PC_CASE_SENSITIVE) == 0 ? .caseless : .normalized
  }
}

// Mac Catalyst and simulators keep their files on a Mac's volumes.
#if !os(macOS) && !targetEnvironment(macCatalyst) && !targetEnvironment(simulator)

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

  /// Returns `nil` if the file or its volume has no class.
  private static func protectionClass(of descriptor: Int32) -> Int32? {
    let number = fcntl(descriptor, F_GETPROTECTIONCLASS)
    return number > 0 ? number : nil
  }

  static func protect(_ descriptor: Int32, _ protection: GlobalData.FileProtection?, like earlier: Int32?) -> Int32 {
    // A new file is readable from the first unlock after a restart, so that work in the background finds its data.
    let wanted =
      protection.map(number) ?? earlier.flatMap(protectionClass) ?? number(of: .completeUntilFirstUserAuthentication)
    guard fcntl(descriptor, F_SETPROTECTIONCLASS, wanted) == -1 else { return 0 }
    switch errno {
    case EINTR: return -1
    case ENOTSUP, EINVAL, ENOTTY: return 0  // Volumes without encryption have no classes.
    default: return protection == nil ? 0 : -1  // Without a requested class, the file can do without one.
    }
  }

  /// Creates a file as `openat` does, also if the device is locked and the folder's files are `complete` by default.
  ///
  /// A new file has its folder's class until it gets another one, and a locked device creates no file with the class
  /// `complete`. `mkstemp_dprotected_np` creates a file with a given class. It chooses the name, so the file is
  /// renamed. Swift cannot call `open_dprotected_np`, which has variable arguments.
  static func create(_ name: UnsafePointer<CChar>, in folder: Int32, _ flags: Int32) -> Int32 {
    let descriptor = openat(folder, name, flags, 0o600)
    guard descriptor == -1, errno == EPERM else { return descriptor }
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 16)
    guard fcntl(folder, F_GETPATH, &path) != -1 else { return -1 }
    strlcat(&path, "/.as-XXXXXX", path.count)
    let file = mkstemp_dprotected_np(&path, number(of: .completeUntilFirstUserAuthentication), 0)
    guard file != -1 else { return -1 }
    if fcntl(file, F_SETFD, FD_CLOEXEC) != -1, renameatx_np(AT_FDCWD, path, folder, name, UInt32(RENAME_EXCL)) == 0 {
      return file
    }
    let number = errno
    unlink(path)
    close(file)
    errno = number
    return number == EEXIST && flags & O_EXCL == 0 ? openat(folder, name, flags, 0o600) : -1
  }
}

#else

extension PlatformCalls {
  static func create(_ name: UnsafePointer<CChar>, in folder: Int32, _ flags: Int32) -> Int32 {
    openat(folder, name, flags, 0o600)
  }

  static func protect(_ descriptor: Int32, _ protection: GlobalData.FileProtection?, like earlier: Int32?) -> Int32 {
    0
  }
}

#endif

#endif
