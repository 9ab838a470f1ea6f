/// What a store that appends leaves open from one commit to the next: opening it again would be a fifth of an append.
///
/// The lock is not held meanwhile, so that an app that is suspended between commits holds none (0xdead10cc). The store's own file stays open
/// only where no other process writes it: on a network, what others have written shows when the file is opened.
struct KeptFiles {
  let folder: StoreFolder
  let location: FileLocation
  /// The folder's identity, so that another one at its path is noticed.
  let folderIdentity: FileIdentity
  /// `nil` where no other process writes.
  let lock: LockFile?
  var file: KeptFile?
  /// The process that opened them. A child that was forked off has them, too, and must not use them.
  let processID: Int32

  /// The store's own file.
  struct KeptFile {
    let file: OpenFile
    /// When it was last found to be the file under its name.
    let time: ContinuousClock.Instant

    /// How long that counts. No other process writes it, but a person may move or remove it: this limits what is lost then.
    private static let lifetime = Duration.milliseconds(100)

    var isFresh: Bool { ContinuousClock.now - time < KeptFile.lifetime }
  }
}
