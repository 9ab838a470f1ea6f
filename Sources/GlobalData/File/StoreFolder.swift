import FoundationCore

/// An open folder. It is closed with the last reference to it.
///
/// Its functions repeat a system call while signals interrupt it, and act on this folder, even if its path leads
/// elsewhere by then.
final class StoreFolder {
  let path: String
  /// Whether this process may list the names in the folder and sync it. Permissions may forbid both.
  let canBeListed: Bool
  private let system: any SystemCalls
  private let descriptor: FileDescriptor
  private var identity: FileIdentity?

  init(_ path: String, _ system: any SystemCalls) throws(SystemCallError) {
    self.path = path
    self.system = system
    (descriptor, canBeListed) = try StoreFolder.open(path, system)
  }

  deinit { system.closeUnwritten(descriptor) }

  private static func open(
    _ path: String, _ system: any SystemCalls
  ) throws(SystemCallError) -> (FileDescriptor, canBeListed: Bool) {
    do {
      return (try retryingInterruptions(system.openDirectory(path, forListing: true)), true)
    } catch {
      guard error.isDenied else { throw error }
      return (try retryingInterruptions(system.openDirectory(path, forListing: false)), false)
    }
  }

  // MARK: The folder itself

  /// Returns whether this is the folder at a path now. The folder may have been moved, and another one created.
  func isAt(_ path: String) throws(SystemCallError) -> Bool {
    if identity == nil {
      identity = try retryingInterruptions(system.status(of: descriptor, withTime: false)).identity
    }
    // The dot makes the system follow a link in the last component.
    return try ifPresent(retryingInterruptions(system.status(ofPath: path + "/.")))?.identity == identity
  }

  /// Syncs the folder. Returns whether the file system and the permissions of this process allow a sync.
  func sync() throws(SystemCallError) -> Bool {
    guard canBeListed else { return false }
    do {
      try retryingInterruptions(system.sync(descriptor, .flush))
      return true
    } catch {
      guard error.isUnsupported else { throw error }
      return false
    }
  }

  func names() throws(SystemCallError) -> [String] {
    try retryingInterruptions(system.names(in: descriptor))
  }

  // MARK: Its files

  func status(of name: String, withTime: Bool = false) throws(SystemCallError) -> FileStatus {
    try retryingInterruptions(system.status(of: name, in: descriptor, withTime: withTime))
  }

  func openExisting(_ name: String, isForUpdating: Bool = false) throws(SystemCallError) -> OpenFile {
    OpenFile(try retryingInterruptions(system.openExisting(name, in: descriptor, isForUpdating: isForUpdating)), system)
  }

  /// Creates a file for its owner only. The file must not exist.
  func create(_ name: String) throws(SystemCallError) -> OpenFile {
    OpenFile(try retryingInterruptions(system.create(name, in: descriptor)), system)
  }

  /// Opens the lock file. Creates it if it is missing.
  func openLock(_ name: String) throws(SystemCallError) -> OpenFile {
    OpenFile(try retryingInterruptions(system.openLock(name, in: descriptor)), system)
  }

  /// Gives a file another name. Replaces the file that has the new name, or throws `EEXIST`. Does not repeat the call:
  /// an interrupted rename may have happened.
  func rename(_ name: String, to newName: String, replacing: Bool) throws(SystemCallError) {
    try replacing
      ? system.rename(name, to: newName, in: descriptor)
      : system.renameWithoutReplacing(name, to: newName, in: descriptor)
  }

  /// Gives a file one more name, which must be free.
  func link(_ name: String, as newName: String) throws(SystemCallError) {
    try retryingInterruptions(system.link(name, as: newName, in: descriptor))
  }

  func unlink(_ name: String) throws(SystemCallError) {
    try retryingInterruptions(system.unlink(name, in: descriptor))
  }
}
