/// What a store that appends leaves open from one commit to the next: opening it again would be a fifth of an append.
///
/// The lock is not held meanwhile, so that an app that is suspended between commits holds none (0xdead10cc). The
/// store's own file stays open only where no other process writes it: on a network, what others have written shows when
/// the file is opened.
final class KeptFiles {
  let folder: StoreFolder
  let location: FileLocation
  /// The folder's identity, so that another one at its path is noticed.
  let folderIdentity: FileIdentity
  /// `nil` where no other process writes.
  let lock: LockFile?
  /// The store's own file, for appends that wait for nothing; `nil` where other processes write it, too.
  var file: ExaminedFile?
  /// The process that opened them. A child that was forked off has them, too, and must not use them.
  let processID: Int32

  init(
    _ folder: StoreFolder, _ location: FileLocation, _ folderIdentity: FileIdentity, _ lock: LockFile?, processID: Int32
  ) {
    self.folder = folder
    self.location = location
    self.folderIdentity = folderIdentity
    self.lock = lock
    self.processID = processID
  }
}
