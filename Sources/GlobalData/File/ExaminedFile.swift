final class ExaminedFile {
  let file: OpenFile
  /// Without a time if the file is open for updating.
  var status: FileStatus
  let isForUpdating: Bool
  /// Whether it was appended to since it was examined, and left open. It counts as unchanged while it is fresh.
  var isKept = false
  /// When it was found under its name; `nil` for a file that does not stay open.
  private let time: Duration?

  /// How long a file that stays open counts as the one under its name. No other process writes it, but a person may
  /// move or remove it: this limits what is lost then.
  private static let lifetime = Duration.milliseconds(100)

  init(_ file: OpenFile, _ status: FileStatus, isForUpdating: Bool, staysOpen: Bool) {
    self.file = file
    self.status = status
    self.isForUpdating = isForUpdating
    time = staysOpen && isForUpdating ? SteadyClock.now : nil
  }

  var mayStayOpen: Bool { time != nil }

  var isFresh: Bool { time.map { SteadyClock.now - $0 < ExaminedFile.lifetime } ?? false }
}
