/// The files that an appending store keeps open from one commit to the next. Opening them again would take a fifth of
/// the time of an append.
///
/// The lock is not held in the meantime, so that an app that is suspended between commits holds no lock (0xdead10cc).
/// The store's own file stays open only if no other process writes it: on a network file system, changes by others
/// become visible when the file is opened.
struct KeptFiles {
  let folder: StoreFolder
  let location: FileLocation
  /// `nil` if no other process writes.
  let lock: LockFile?
  /// The store's own file, for appends that wait for nothing; `nil` if other processes write it, too.
  var file: ExaminedFile?
  /// The process that opened the files. A child process that was forked off has them, too, and must not use them.
  let processID: Int32
}
