import Foundation

/// The one door to a store's file: reads it, replaces it as a whole, appends to it, removes it.
///
/// The file under the path always has the state before a replacement or the state after it, never a mix, whatever happens in
/// between. What is appended counts once it is there to its end. This type knows nothing of what the bytes mean.
///
/// Everything happens to the file that the path leads to at that moment, through whatever links, beside which temporary files are
/// made: a store behind a link stays behind the link. A link that is switched elsewhere cannot direct a write onto a
/// file that was not read: the lock, too, belongs to the file that the path leads to, and is looked at again before the write.
///
/// All calls block. They may come from any thread; those that change the file must come one at a time.
final class ArchiveFile: Sendable {
  let url: URL
  let system: any SystemCalls
  /// What new files are protected with; `nil` for what the earlier file has.
  let protection: GlobalData.FileProtection?
  /// Makes the activities within which locks in shared containers are held; `nil` where the system suspends no processes.
  let activitySource: ExpiringActivity.Source?
  /// What keeps new files out of backups; `nil` where nothing does.
  let backupExclusion: BackupExclusion?

  private struct Followed {
    var location: FileLocation?
    /// Whether the file was removed there, and not the link that leads to it.
    var leavesLink = false
  }

  private let followed = Locked(Followed())

  init(
    url: URL, system: any SystemCalls = POSIXSystemCalls(), protection: GlobalData.FileProtection? = nil,
    backupExclusion: BackupExclusion? = nil,
    activitySource: ExpiringActivity.Source? = ExpiringActivity.systemSource
  ) {
    self.url = url.absoluteURL
    self.system = system
    self.protection = protection
    self.activitySource = activitySource
    self.backupExclusion = backupExclusion
  }

  // MARK: Where it is

  /// Follows the path, through links, to where the file is or would be.
  func followPath() throws(GlobalDataError) -> FileLocation {
    let location = try FileLocation(following: url, system)
    followed.withLock { $0 = Followed(location: location) }
    return location
  }

  /// Where the path led when it was last followed.
  func location() throws(GlobalDataError) -> FileLocation {
    if let location = followed.withLock({ $0.location }) { return location }
    return try followPath()
  }

  /// Where the path leads now. It is followed again only where it is a link itself: links before that are followed when the folder is
  /// opened.
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

  /// Notes that the file was removed. Where it is behind a link, that leads nowhere now.
  func noteRemoval() {
    followed.withLock { $0.leavesLink = $0.location?.isBehindLink ?? false }
  }

  func forgetLocation() {
    followed.withLock { $0 = Followed() }
  }

  /// Opens the folder of the file.
  ///
  /// A folder in which one may do everything but list its names serves too, only that it cannot be synced or swept.
  func openFolder(_ path: String) throws(SystemCallError) -> OpenFolder {
    do {
      let descriptor = try retryingInterruptions(system.openDirectory(path, forListing: true))
      return OpenFolder(descriptor: descriptor, canBeListed: true)
    } catch {
      guard error.isDenied else { throw error }
      let descriptor = try retryingInterruptions(system.openDirectory(path, forListing: false))
      return OpenFolder(descriptor: descriptor, canBeListed: false)
    }
  }

  /// Whether its lock is held only within an activity, as far as is known: asking for one may take its time.
  var mayNeedActivity: Bool {
    activitySource != nil && followed.withLock { $0.location?.isInSharedContainer ?? true }
  }

  // MARK: Asking

  /// What tells this file from a later one, or `nil` if there is none.
  ///
  /// - Throws: ``GlobalDataError`` with a code of reading.
  func stamp() throws(GlobalDataError) -> FileStamp? {
    let location = try location()
    do {
      let folder = try openFolder(location.folder)
      defer { system.closeUnwritten(folder.descriptor) }
      let status = try status(of: location.name, in: folder, withTime: true)
      guard status.kind == .regular else { return FileStamp(status, beginning: Data()) }
      // Another file may come between the two looks; then the stamp is that of none, and the file is read once more.
      let descriptor = try openForReading(location.name, in: folder)
      defer { system.closeUnwritten(descriptor) }
      return FileStamp(status, beginning: try bytes(of: descriptor, at: 0, count: FileStamp.beginningLength))
    } catch {
      guard error.isAbsent else { throw .cannotOpen(error, url) }
      return nil
    }
  }

  /// Whether there is a file, or anything else under its name.
  ///
  /// - Throws: ``GlobalDataError`` with a code of reading.
  func exists() throws(GlobalDataError) -> Bool {
    let location = try currentLocation()
    do {
      let folder = try openFolder(location.folder)
      defer { system.closeUnwritten(folder.descriptor) }
      _ = try status(of: location.name, in: folder, withTime: false)
      return true
    } catch {
      guard error.isAbsent else { throw .cannotOpen(error, url) }
      return false
    }
  }

  /// A few bytes of an open file; fewer, where it ends before.
  func bytes(
    of descriptor: FileDescriptor, at offset: Int, count: Int
  ) throws(SystemCallError) -> Data {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    let read = try retryingInterruptions(system.read(descriptor, into: buffer, at: offset))
    return Data(buffer.prefix(read))
  }

  func status(of name: String, in folder: OpenFolder, withTime: Bool) throws(SystemCallError) -> FileStatus {
    try retryingInterruptions(system.status(of: name, in: folder.descriptor, withTime: withTime))
  }
}

/// A folder while one operation lasts.
struct OpenFolder: Sendable {
  var descriptor: FileDescriptor
  var canBeListed: Bool
}
