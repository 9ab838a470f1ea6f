import KeyedArchive

/// A commit before it is made. It does not hold the contents, which are changed in place when it is.
struct PreparedCommit {
  let draft: StoreDraft
  let changes: KeyChanges
  let output: Output
  /// Whether the file that is there has to be kept under another name.
  let setsAside: Bool

  /// What is to be written.
  enum Output {
    /// The whole file.
    case image(ArchiveImage)
    /// What is appended to a file.
    case append(PreparedAppend)
    case nothing
  }
}

/// What is to be appended to a file.
struct PreparedAppend {
  var bytes: ByteBuffer
  var point: AppendPoint
  /// Whether all bytes before it have to be synced first.
  var syncsBefore: Bool
  /// Where the next one is written.
  var nextPoint: AppendPoint
  var stamp: FileStamp
  /// Whether it was made before the file was looked at, so that it is not looked at once more.
  var wasMadeBefore = false
  /// Whether the file is to be written anew when no caller waits for it.
  var isCompactionDue: Bool
}

/// A file after a commit.
struct WrittenFile {
  var stamp: FileStamp
  var appendPoint: AppendPoint
}
