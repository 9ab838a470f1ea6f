import Foundation

// One factory for each step at the file that can fail, so that call sites stay one line.

extension GlobalDataError {
  // MARK: The path

  /// The path could not be followed to its end.
  static func cannotResolve(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    switch error.number {
    case ELOOP: danglingLink(url, error)
    case ENOTDIR:
      GlobalDataError(.notAFile, "a part of the path \(url.path) is not a folder", fileURL: url, error)
    case ENAMETOOLONG:
      GlobalDataError(.notAFile, "the path \(url.path) is too long", advice: "Use a shorter path.", fileURL: url, error)
    default: unreadable("follow the path", error, url)
    }
  }

  /// The URL is none that a file can have.
  static func notAPath(_ url: URL) -> GlobalDataError {
    GlobalDataError(.notAFile, "\(url.absoluteString) is not the URL of a file", fileURL: url)
  }

  static func danglingLink(_ url: URL, _ error: SystemCallError? = nil) -> GlobalDataError {
    GlobalDataError(
      .danglingLink,
      "the path \(url.path) goes through a symbolic link that leads nowhere",
      fileURL: url,
      error
    )
  }

  /// Something other than a file stands where the file should be.
  static func notRegular(_ kind: FileStatus.Kind, _ url: URL) -> GlobalDataError {
    GlobalDataError(.notAFile, "\(url.path) is \(kind.rawValue), not a file", fileURL: url)
  }

  // MARK: Reading

  static func cannotOpen(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    switch error.number {
    case ELOOP:
      GlobalDataError(
        .danglingLink,
        "a symbolic link has taken the place of \(url.path)",
        advice: "Nothing was overwritten. Try again: the link is followed then.",
        fileURL: url,
        error
      )
    case EISDIR, ENXIO, ENODEV, ENOTDIR:
      GlobalDataError(.notAFile, "\(url.path) is not a file", fileURL: url, error)
    default: unreadable("open", error, url)
    }
  }

  static func cannotRead(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    unreadable("read", error, url)
  }

  static func tooLarge(limit: Int, _ url: URL) -> GlobalDataError {
    GlobalDataError(.fileTooLarge, "\(url.path) is larger than the limit of \(limit) bytes", fileURL: url)
  }

  /// Tells the right that is missing, which may come back, from a failure.
  private static func unreadable(_ verb: String, _ error: SystemCallError, _ url: URL) -> GlobalDataError {
    GlobalDataError(
      error.isDenied ? .locked : .readFailed,
      "could not \(verb) \(url.path)",
      advice: readingAdvice(error),
      fileURL: url,
      error
    )
  }

  // MARK: Writing

  static func cannotMakeFolder(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    GlobalDataError(
      .writeFailed,
      "could not make or open the folder of \(url.path)",
      advice: writingAdvice(error),
      fileURL: url,
      error
    )
  }

  /// Another process has held the lock for too long.
  static func busy(_ url: URL, after timeout: Duration) -> GlobalDataError {
    GlobalDataError(.busy, "another process has been writing \(url.path) for \(timeout)", fileURL: url)
  }

  static func aboutToBeSuspended(_ url: URL) -> GlobalDataError {
    GlobalDataError(
      .busy, "the system is about to suspend this process, which may hold no lock of \(url.path) then",
      advice: "Nothing was changed. Write again when the app runs again, or within a background task.", fileURL: url)
  }

  static func cannotLock(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    GlobalDataError(
      .writeFailed,
      "could not lock \(url.path) against other processes",
      advice: error.number == ENOLCK || error.isUnsupported ? lockingAdvice : writingAdvice(error),
      fileURL: url,
      error
    )
  }

  /// Something other than a file stands where the lock's file should be.
  static func notALock(_ error: SystemCallError, _ path: String, _ url: URL) -> GlobalDataError {
    GlobalDataError(
      .writeFailed,
      "could not lock \(url.path) against other processes: \(path) is not a file",
      advice: "Memory and file keep the earlier state. Remove what is at \(path), then write again.",
      fileURL: url,
      error
    )
  }

  /// The file or its lock became another one before anything was written. It ends an attempt, after which the commit begins again; a caller
  /// gets it if that goes on for too long.
  static func mustBeginAgain(_ url: URL) -> GlobalDataError {
    GlobalDataError(
      .busy, "\(url.path), or the file beside it that locks it, is removed or replaced again and again",
      advice: "Nothing was changed. Let nothing remove or replace these files, then try again.", fileURL: url)
  }

  private static let lockingAdvice =
    "The file system has no locks. Keep the store elsewhere, or set isShared to false in its configuration if no other "
    + "process writes the file."

  static func cannotSetAside(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    GlobalDataError(
      .writeFailed,
      "could not set the damaged file \(url.path) aside",
      advice: writingAdvice(error),
      fileURL: url,
      error
    )
  }

  static func cannotWrite(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    GlobalDataError(.writeFailed, "could not write \(url.path)", advice: writingAdvice(error), fileURL: url, error)
  }

  /// A change is in the file, but the system could not be made to keep it.
  static func cannotSyncChange(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    GlobalDataError(
      .durabilityUnknown, "\(url.path) was appended to, but the change could not be sent to the medium", fileURL: url,
      systemCall: error.call.rawValue, errorNumber: error.number)
  }

  /// The file was replaced or removed, but the folder's new contents may not be on the medium.
  static func cannotSyncFolder(_ error: SystemCallError, _ url: URL, after deed: String) -> GlobalDataError {
    GlobalDataError(
      .durabilityUnknown,
      "\(deed) \(url.path), but could not send its folder to the medium",
      fileURL: url,
      error
    )
  }

  static func cannotRemove(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    GlobalDataError(.removeFailed, "could not remove \(url.path)", advice: writingAdvice(error), fileURL: url, error)
  }

  static func cannotRemoveLeftovers(_ error: SystemCallError, _ url: URL) -> GlobalDataError {
    GlobalDataError(
      .removeFailed,
      "could not remove left-over temporary files beside \(url.path)",
      advice: writingAdvice(error),
      fileURL: url,
      error
    )
  }

  // MARK: Advice

  /// What the system's reason lets one say beyond the advice of the code.
  private static func readingAdvice(_ error: SystemCallError) -> String? {
    switch error.number {
    case EMFILE, ENFILE: tooManyFiles
    case EIO: "The disk or its connection may be failing. Nothing was overwritten; save a backup while you can."
    default: nil
    }
  }

  private static func writingAdvice(_ error: SystemCallError) -> String? {
    switch error.number {
    case ENOSPC: "Free some space on the disk, then write again. Memory and file keep the earlier state."
    case EDQUOT: "Free some of your quota on the disk, then write again. Memory and file keep the earlier state."
    case EACCES, EPERM: "Give this process the right to write in the folder of the file, then try again."
    case EROFS: "The disk is mounted read-only. Mount it for writing or choose another path for the store."
    case EMFILE, ENFILE: tooManyFiles
    default: nil
    }
  }

  private static let tooManyFiles = "Too many files are open. Close some or raise the limit, then try again."

  /// An error with what is known of the failed call.
  private init(
    _ code: Code,
    _ message: String,
    advice: String? = nil,
    fileURL: URL,
    _ error: SystemCallError?
  ) {
    self.init(
      code,
      message,
      advice: advice,
      fileURL: fileURL,
      systemCall: error?.call.rawValue,
      errorNumber: error?.number
    )
  }
}
