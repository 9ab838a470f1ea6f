import FoundationCore

/// A store's file: its location, and the properties of new files. Each operation opens the file in a ``FileSession``.
///
/// All operations act on the file that the path leads to at that moment, through links. Side files are created in that
/// file's folder. Switching a link cannot direct a write to a file that was not read: the lock belongs to the file that
/// the path leads to, and is checked again right before the write.
final class ArchiveFile: Sendable {
  let url: URL
  let system: any SystemCalls
  /// The protection of new files; `nil` to keep that of the earlier file.
  let protection: GlobalData.FileProtection?
  /// Creates the activities within which locks in shared containers are held; `nil` if the system does not suspend
  /// processes.
  let activitySource: ExpiringActivity.Source?
  /// Reports a file that could not be excluded from backups; `nil` if new files are not to be excluded.
  private let reportUnexcluded: (@Sendable (SystemCallError) -> Void)?

  private let followed: Locked<FileLocation?>
  private let isLinked = Locked(false)

  /// `followed` is the location that the path leads to, if the path was followed a moment ago.
  init(
    url: URL, system: any SystemCalls = POSIXSystemCalls(), protection: GlobalData.FileProtection? = nil,
    excludingFromBackups reportUnexcluded: (@Sendable (SystemCallError) -> Void)? = nil,
    activitySource: ExpiringActivity.Source? = ExpiringActivity.systemSource, followed: FileLocation? = nil
  ) {
    self.followed = Locked(followed)
    self.url = url.absoluteURL
    self.system = system
    self.protection = protection
    self.activitySource = activitySource
    self.reportUnexcluded = reportUnexcluded
  }

  @discardableResult
  func followPath() throws(GlobalDataError) -> FileLocation {
    let location = try FileLocation(following: url, system)
    followed.withLock { $0 = location }
    return location
  }

  func location() throws(GlobalDataError) -> FileLocation {
    if let location = followed.withLock({ $0 }) { return location }
    return try followPath()
  }

  /// Returns the location that the path leads to now. Follows the path again only if it is a link itself. The links in
  /// other paths are followed when the folder is opened.
  func currentLocation() throws(GlobalDataError) -> FileLocation {
    if let location = followed.withLock({ $0 }), !location.isBehindLink { return location }
    return try followPath()
  }

  /// Records that a store uses the file through a link.
  func recordLink() { isLinked.withLock { $0 = true } }

  /// Returns whether a store uses the file through a link, which must not lead to nothing.
  func hasLink() throws(GlobalDataError) -> Bool {
    if isLinked.withLock({ $0 }) { return true }
    return try location().isBehindLink
  }

  /// Excludes a file from backups if the store is to be excluded. Reports a failure, which is not an error.
  func excludeFromBackups(_ name: String, in folder: String) {
    guard let reportUnexcluded else { return }
    do {
      try retryingInterruptions(system.excludeFromBackups(FileLocation.path(of: name, in: folder)))
    } catch {
      reportUnexcluded(error)
    }
  }

  /// Whether the file's lock may need an activity, as far as is known. Requesting an activity from the system takes
  /// time.
  var mayNeedActivity: Bool {
    activitySource != nil && followed.withLock { $0?.isInSharedContainer ?? true }
  }
}
