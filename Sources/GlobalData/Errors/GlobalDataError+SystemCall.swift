import FoundationCore

/// A step of an operation on a store's file.
enum FileStep {
  case open, read, lock, createFolder, setAside, write, remove, removeLeftovers
  /// Syncs a change that is in the file by then.
  case syncChange
  /// Syncs the folder after the file was replaced or removed, which may not be on the disk without this step.
  case syncFolder(after: String)
}

extension GlobalDataError {
  @inline(never)
  static func cannot(_ step: FileStep, _ error: SystemCallError, _ url: URL) -> GlobalDataError {
    switch step {
    case .open: cannotOpen(error, url)
    case .read: reading("read", error, url)
    case .lock: cannotLock(error, url)
    case .createFolder: writing("create or open the folder of \(url.path)", error, url)
    case .setAside: writing("set \(url.path) aside", error, url)
    case .write: writing("write \(url.path)", error, url)
    case .remove: writing("remove \(url.path)", error, url, .removeFailed)
    case .removeLeftovers: writing("remove leftover files beside \(url.path)", error, url, .removeFailed)
    case .syncChange:
      failed(
        .durabilityUnknown, "\(url.path) was appended to, but the change could not be synced to the disk", url, error)
    case .syncFolder(let deed):
      failed(.durabilityUnknown, "\(url.path) was \(deed), but its folder could not be synced to the disk", url, error)
    }
  }

  // MARK: The path

  static func cannotResolve(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    switch error.number {
    case ELOOP: danglingLink(url, error)
    case ENOTDIR: failed(.notAFile, "a part of the path \(url.path) is not a folder", url, error)
    case ENAMETOOLONG: failed(.notAFile, "the path \(url.path) is too long", advice: "Use a shorter path.", url, error)
    default: reading("follow the path", error, url)
    }
  }

  static func notAPath(_ url: URL) -> GlobalDataError {
    failed(
      .notAFile, "the URL \(url.absoluteString) is not a file URL",
      advice: "Create the URL of a path with URL(fileURLWithPath:).", url)
  }

  static func danglingLink(_ url: URL, _ error: SystemCallError? = nil) -> GlobalDataError {
    failed(.danglingLink, "the path \(url.path) goes through a symbolic link that leads to nothing", url, error)
  }

  static func notRegular(_ kind: FileStatus.Kind, _ url: URL) -> GlobalDataError {
    let name =
      switch kind {
      case .regular: "a file"
      case .folder: "a folder"
      case .link: "a symbolic link"
      case .pipe: "a pipe"
      case .other: "a device or socket"
      }
    return failed(.notAFile, "\(url.path) is \(name), not a file", url)
  }

  // MARK: Reading

  private static func cannotOpen(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    switch error.number {
    case ELOOP:
      failed(
        .danglingLink, "\(url.path) was replaced by a symbolic link",
        advice: "Nothing was overwritten. Try again; the store then follows the link.", url, error)
    case EISDIR, ENXIO, ENODEV, ENOTDIR: failed(.notAFile, "\(url.path) is not a file", url, error)
    default: reading("open", error, url)
    }
  }

  static func tooLarge(limit: Int, _ url: URL) -> GlobalDataError {
    failed(.fileTooLarge, "\(url.path) is larger than the limit of \(limit) bytes", url)
  }

  // MARK: The lock

  static func busy(_ url: URL, after timeout: Duration) -> GlobalDataError {
    failed(.busy, "another process has been writing \(url.path) for \(timeout)", url)
  }

  static func aboutToBeSuspended(_ url: URL) -> GlobalDataError {
    failed(
      .busy, "the system is about to suspend this process, which must not hold the lock of \(url.path) then",
      advice: "Nothing was changed. Write again when the app resumes or within a background task.", url)
  }

  private static func cannotLock(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    let advice = error.number == ENOLCK || error.isUnsupported ? lockingAdvice : nil
    return writing("lock \(url.path) against other processes", error, url, advice: advice)
  }

  static func notALock(_ error: SystemCallError, _ path: String, _ url: URL) -> GlobalDataError {
    writing(
      "lock \(url.path) against other processes: \(path) is not a file", error, url,
      advice: "The store and its file are unchanged. Remove the item at \(path), then write again.")
  }

  /// Returns the error for a file or lock file that was replaced before anything was written, at every attempt.
  static func keepsBeingReplaced(_ url: URL) -> GlobalDataError {
    failed(
      .busy, "\(url.path), or its lock file, keeps being removed or replaced",
      advice: "Nothing was changed. Stop the program that removes or replaces these files, then try again.", url)
  }

  private static let lockingAdvice =
    "The file system does not support locks. Move the store elsewhere, or set isShared to false in its configuration if no other "
    + "process writes the file."

  // MARK: With advice for the system's reason

  /// Returns the error for a read that failed.
  ///
  /// A missing permission has a code of its own because the permission may return.
  static func reading(_ deed: String, _ error: SystemCallError, _ url: URL) -> GlobalDataError {
    let advice: String? =
      switch error.number {
      case EMFILE, ENFILE: tooManyFiles
      case EBUSY: mountedFile
      case EIO:
        "The disk or its connection may be failing. Nothing was overwritten. If the store is open, restore its snapshot() elsewhere."
      default: nil
      }
    return failed(error.isDenied ? .locked : .readFailed, "could not \(deed) \(url.path)", advice: advice, url, error)
  }

  @inline(never)
  private static func writing(
    _ deed: String, _ error: SystemCallError, _ url: URL, _ code: Code = .writeFailed, advice: String? = nil
  ) -> GlobalDataError {
    failed(code, "could not \(deed)", advice: advice ?? writingAdvice(error, code), url, error)
  }

  private static func writingAdvice(_ error: SystemCallError, _ code: Code) -> String? {
    // A removal that fails in a later step has already removed the values.
    let (state, retry) = code == .writeFailed ? ("The store and its file are unchanged. ", "write") : ("", "try")
    return switch error.number {
    case ENOSPC: "\(state)Free some space on the disk, then \(retry) again."
    case EDQUOT: "\(state)Free some of your disk quota, then \(retry) again."
    case EACCES, EPERM:
      "Give this process permission to write to the file's folder and the store's files in it, then try again."
    case EBUSY: mountedFile
    case ENAMETOOLONG: "The files that a store keeps next to its own have longer paths. Use a shorter path."
    case EROFS: "The disk is mounted read-only. Remount it for writing or choose another path."
    case EMFILE, ENFILE: tooManyFiles
    default: nil
    }
  }

  private static let mountedFile = """
    Another file system may be mounted at this path, as when a container has this one file mounted. Mount the file's \
    folder instead.
    """
  private static let tooManyFiles = "Too many files are open. Close some or raise the limit, then try again."

  @inline(never)
  private static func failed(
    _ code: Code, _ message: String, advice: String? = nil, _ url: URL, _ error: SystemCallError? = nil
  ) -> GlobalDataError {
    GlobalDataError(
      code, message, advice: advice, fileURL: url, systemCall: error?.call.rawValue, errorNumber: error?.number)
  }
}
