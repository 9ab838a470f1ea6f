/// An open file of a store, with its status when it was examined.
final class ExaminedFile {
  let file: OpenFile
  /// The status of the file, without a time if the file is open for updating.
  var status: FileStatus
  /// The checksum of the archive's head; `nil` if the head was not read.
  var head: UInt64?
  let isForUpdating: Bool
  /// Whether the file was appended to since its examination, and left open. No other process writes it, so it counts as
  /// unchanged while it is fresh.
  var isKept = false
  /// The time at which the file was found under its name; `nil` for a file that does not stay open.
  private let time: Duration?

  /// How long a file that stays open counts as the one with its name. No other process writes it, but a user may move
  /// or remove it. This duration limits the loss in that case.
  private static let lifetime = Duration.milliseconds(100)

  init(_ file: OpenFile, _ status: FileStatus, isForUpdating: Bool, staysOpen: Bool) {
    self.file = file
    self.status = status
    self.isForUpdating = isForUpdating
    time = staysOpen && isForUpdating ? SteadyClock.now : nil
  }

  var stamp: FileStamp { FileStamp(status, head: head) }

  var mayStayOpen: Bool { time != nil }

  var isFresh: Bool { time.map { SteadyClock.now - $0 < ExaminedFile.lifetime } ?? false }
}
