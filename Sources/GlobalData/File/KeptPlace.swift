/// A store's folder and the file of its lock, which stay open from one commit to the next.
///
/// Only stores that append have one: what it spares, opening both again, is a fifth of what an append without a sync takes. The lock
/// itself is given back after each commit, so that an app that is suspended between commits holds none (0xdead10cc on iOS), and the store's own
/// file is closed: on a network, what others have written to it shows when it is opened.
///
/// The descriptors are closed with the last reference.
final class KeptPlace: Sendable {
  struct Lock: Sendable {
    var descriptor: FileDescriptor
    var identity: FileIdentity
    var path: String
  }

  let path: String
  let folder: OpenFolder
  private let identity: FileIdentity
  /// `nil` where no other process writes.
  let lock: Lock?
  private let processID: Int32
  private let system: any SystemCalls

  init(_ path: String, _ folder: OpenFolder, _ identity: FileIdentity, _ lock: Lock?, _ system: any SystemCalls) {
    self.path = path
    self.folder = folder
    self.identity = identity
    self.lock = lock
    processID = system.processID
    self.system = system
  }

  deinit {
    system.closeUnwritten(folder.descriptor)
    if let lock { system.closeUnwritten(lock.descriptor) }
  }

  /// Whether it was kept for a path, and by this process: what one that was forked off inherits is locked by both.
  func isOwn(at path: String) -> Bool {
    path == self.path && system.processID == processID
  }

  /// Whether the folder is still the one under its path: it may have been moved, and another one made.
  func isCurrent(at path: String) -> Bool {
    guard isOwn(at: path) else { return false }
    do {
      // The dot has a link in the last component followed.
      return try retryingInterruptions(system.status(ofPath: path + "/.")).identity == identity
    } catch {
      return false  // Whoever opens the folder again meets the same.
    }
  }
}
