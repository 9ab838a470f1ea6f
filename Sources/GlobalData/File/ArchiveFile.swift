import Foundation

/// A store's file: where it is, and what its files are to have.
///
/// It opens nothing; each operation has a ``FileSession``, which does. All operations act on the file that the path leads to at that moment,
/// through links, and side files are created in that file's folder: a store behind a link stays behind the link. A link that is switched
/// cannot direct a write to a file that was not read, because the lock belongs to the file that the path leads to, and is checked again
/// right before the write.
final class ArchiveFile: Sendable {
  let url: URL
  let system: any SystemCalls
  /// The protection of new files; `nil` for that of the earlier file.
  let protection: GlobalData.FileProtection?
  /// Creates the activities within which locks in shared containers are held; `nil` where the system suspends no processes.
  let activitySource: ExpiringActivity.Source?
  /// Whether new files are kept out of backups: then this reports a file that could not be excluded.
  private let reportUnexcluded: (@Sendable (SystemCallError) -> Void)?

  private struct Followed {
    var location: FileLocation?
    /// Whether the file was removed there, and not the link that leads to it.
    var leavesLink = false
  }

  private let followed: Locked<Followed>

  /// Describes the file at a URL. `followed` is where the path leads, if it was followed a moment ago.
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

  /// Follows the path, through links, to where the file is or would be.
  @discardableResult
  func followPath() throws(GlobalDataError) -> FileLocation {
    let location = try FileLocation(following: url, system)
    followed.withLock { $0 = Followed(location: location) }
    return location
  }

  /// Returns where the path led when it was last followed.
  func location() throws(GlobalDataError) -> FileLocation {
    if let location = followed.withLock({ $0.location }) { return location }
    return try followPath()
  }

  /// Returns where the path leads now. It is followed again only where it is a link itself: links before that are followed when the folder
  /// is opened.
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

  /// Records that the file was removed. If a link led to it, that leads nowhere now.
  func recordRemoval() {
    followed.withLock { $0.leavesLink = $0.location?.isBehindLink ?? false }
  }

  func forgetLocation() {
    followed.withLock { $0 = Followed() }
  }

  /// Excludes a file from backups where the store is to be. A file that cannot be excluded is worth having all the
  /// same.
  func excludeFromBackups(_ name: String, in folder: String) {
    guard let reportUnexcluded else { return }
    do {
      try retryingInterruptions(system.excludeFromBackups(folder == "/" ? "/\(name)" : "\(folder)/\(name)"))
    } catch {
      reportUnexcluded(error)
    }
  }

  /// Whether its lock may be held only within an activity, as far as is known. Asking the system for one takes time.
  var mayNeedActivity: Bool {
    activitySource != nil && followed.withLock { $0.location?.isInSharedContainer ?? true }
  }
}
