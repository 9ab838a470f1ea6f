import FoundationCore

/// A store's file: its location, and the properties of new files. Each operation opens it in a ``FileSession``.
///
/// All operations act on the file that the path leads to at that moment, through links; side files are created in that
/// file's folder. A link that is switched cannot direct a write to a file that was not read: the lock belongs to the
/// file that the path leads to, and is checked again right before the write.
final class ArchiveFile: Sendable {
  let url: URL
  let system: any SystemCalls
  /// The protection of new files; `nil` for that of the earlier file.
  let protection: GlobalData.FileProtection?
  /// Creates the activities within which locks in shared containers are held; `nil` where the system suspends no
  /// processes.
  let activitySource: ExpiringActivity.Source?
  /// Reports a file that could not be excluded from backups; `nil` where new files are not to be excluded.
  private let reportUnexcluded: (@Sendable (SystemCallError) -> Void)?

  private struct Followed {
    var location: FileLocation?
    /// Whether the file was removed, but not the link that leads to it.
    var leavesLink = false
  }

  private let followed: Locked<Followed>

  /// `followed` is where the path leads, if it was followed a moment ago.
  init(
    url: URL, system: any SystemCalls = POSIXSystemCalls(), protection: GlobalData.FileProtection? = nil,
    excludingFromBackups reportUnexcluded: (@Sendable (SystemCallError) -> Void)? = nil,
    activitySource: ExpiringActivity.Source? = ExpiringActivity.systemSource, followed: FileLocation? = nil
  ) {
    self.followed = Locked(Followed(location: followed))
    self.url = url.absoluteURL
    self.system = system
    self.protection = protection
    self.activitySource = activitySource
    self.reportUnexcluded = reportUnexcluded
  }

  @discardableResult
  func followPath() throws(GlobalDataError) -> FileLocation {
    let location = try FileLocation(following: url, system)
    followed.withLock { $0 = Followed(location: location) }
    return location
  }

  func location() throws(GlobalDataError) -> FileLocation {
    if let location = followed.withLock({ $0.location }) { return location }
    return try followPath()
  }

  /// Returns where the path leads now. Only a path that is a link itself is followed again; opening the folder follows
  /// the others.
  func currentLocation() throws(GlobalDataError) -> FileLocation {
    let followed = followed.withLock { $0 }
    if let location = followed.location, !location.isBehindLink { return location }
    do {
      return try followPath()
    } catch {
      // The link leads nowhere because the file was removed through it. The next write goes through it as before.
      guard error.code == .danglingLink, followed.leavesLink, let location = followed.location else { throw error }
      return location
    }
  }

  func recordRemoval() {
    followed.withLock { $0.leavesLink = $0.location?.isBehindLink ?? false }
  }

  func forgetLocation() {
    followed.withLock { $0 = Followed() }
  }

  /// Excludes a file from backups where the store is to be; reports a failure, which is not an error.
  func excludeFromBackups(_ name: String, in folder: String) {
    guard let reportUnexcluded else { return }
    do {
      try retryingInterruptions(system.excludeFromBackups(folder == "/" ? "/\(name)" : "\(folder)/\(name)"))
    } catch {
      reportUnexcluded(error)
    }
  }

  /// Whether its lock may need an activity, as far as is known. Asking the system for one takes time.
  var mayNeedActivity: Bool {
    activitySource != nil && followed.withLock { $0.location?.isInSharedContainer ?? true }
  }
}
