import Dispatch
import FoundationCore

/// The writer of a store's file.
///
/// The writer has no lock, because only code that holds the executor's turn gets a writer. See
/// ``StoreEngine/withWriter(_:_:)``. Unless stated otherwise, its methods block for as long as the disk takes.
final class StoreWriter {
  private let reader: StoreReader
  let memory: StoreMemory
  let queue: WriteQueue
  let observers: StoreObservers
  /// Runs work with this writer on the store's thread, after the work that is already waiting there, or after a delay.
  /// Set once, when the store is created.
  var schedule: (_ delay: DispatchTimeInterval?, _ work: @escaping @Sendable (StoreWriter) -> Void) -> Void = { _, _ in
  }

  /// Whether an append has failed. The bytes after the file's last change are then unknown until the file is rewritten.
  var mustRewrite = false
  var compaction = Compaction.notExpected
  /// The files left open for the next commit. See ``beginSession(_:_:)``.
  var keptFiles: KeptFiles?
  /// The session whose lock is held for an update, and which only has to be ended. See ``holdLock(_:for:)``.
  var heldSession: FileSession?
  /// The number of sessions that were held so far.
  var heldCount: UInt64 = 0

  /// The watch that reports writes by other processes while the store is observed. See ``updateWatching()``.
  var watch: FolderWatch?
  /// The location whose folder is watched; `nil` if only a folder that contains it is watched.
  var watchedLocation: FileLocation?
  /// Whether the system refused to watch, which was reported.
  var isWatchRefused = false
  /// Whether the file could not be read, for a reason that may pass.
  var mustReadAgain = false
  /// Whether the next attempt to watch or to read the file is scheduled. See ``retryLater()``.
  var isRetryExpected = false
  /// Creates a watch that makes the writer read the file on the store's thread. Set once, when the store is created.
  var watchFolders: ([WatchedPath]) throws(SystemCallError) -> FolderWatch? = { _ in nil }

  init(_ reader: StoreReader, _ memory: StoreMemory, _ queue: WriteQueue, _ observers: StoreObservers) {
    self.reader = reader
    self.memory = memory
    self.queue = queue
    self.observers = observers
  }

  var location: StoreLocation { reader.location }
  var configuration: GlobalData.Configuration { reader.configuration }
  var file: ArchiveFile? { reader.file }
  var diagnostics: StoreDiagnostics { reader.diagnostics }

  // MARK: The file as it is now

  /// Returns the contents of the file, which is read again if another writer has changed it.
  func currentContents(_ session: FileSession?) throws -> StoreContents {
    let contents = try memory.withContents { $0 }
    reportLoading()  // Before this commit's own changes are reported.
    guard let session, try isOutdated(contents, session) else { return contents }
    try session.followAgain()
    let (newContents, recovery) = try reader.read(session, isForUpdating: mayAppend && session.access != .reading)
    reportReplacement(of: contents, by: newContents)
    // If the same file is intact now, its damage is forgotten: the file was read while another process was writing it.
    if contents.condition == .damaged, newContents.condition == .ready, isSameFile(contents, newContents) {
      memory.forgetRecovery()
    }
    publish(newContents, recovery: recovery.flatMap { isKnown($0, newContents, contents) ? nil : $0 }, .otherProcess)
    return newContents
  }

  /// Returns whether the file was replaced or changed since the contents were read.
  func isOutdated(_ contents: StoreContents, _ session: FileSession) throws -> Bool {
    switch try examine(session, contents) {
    case .absent: return contents.condition != .absent
    case .somethingElse: return true
    case .file(let examined) where examined.isKept: return false
    case .file(let examined):
      guard let known = contents.stamp, examined.stamp.agrees(with: known) else { return true }
      // This check is also made in a store that only rewrites, because another process may append. An append within the
      // room of a file changes neither the head nor the size of the file, and perhaps not its time. After a
      // rewrite, the length gives the answer without a read. An intact file without a point ends in an incomplete
      // change, and is read again below.
      if let point = contents.appendPoint { return try !session.isEnd(point, of: examined, since: known) }
    }
    guard configuration.isShared else { return false }
    // Reading takes no lock, so another process may have been in the middle of a change that it has since finished.
    return contents.condition == .ready || contents.condition == .damaged
  }

  private func examine(_ session: FileSession, _ contents: StoreContents) throws -> FileSession.Examination {
    let isForUpdating = mayAppend && session.access != .reading && contents.appendPoint != nil
    let examination = try session.examine(isForUpdating: isForUpdating)
    // A file that may not be written in place can still be replaced.
    if isForUpdating, case .file(let examined) = examination, !examined.isForUpdating { mustRewrite = true }
    return examination
  }

  private var mayAppend: Bool { configuration.persistence == .appending && !mustRewrite }

  /// Returns whether the damage, and therefore the location of the kept damaged file, is already known.
  private func isKnown(_ recovery: GlobalData.Recovery, _ new: StoreContents, _ old: StoreContents) -> Bool {
    var known = memory.recovery
    known?.setAsideURL = nil
    return known == recovery && isSameFile(old, new)
  }

  private func isSameFile(_ old: StoreContents, _ new: StoreContents) -> Bool {
    guard let oldStamp = old.stamp, let newStamp = new.stamp else { return old.stamp == nil && new.stamp == nil }
    return oldStamp.agrees(with: newStamp)
  }

  /// Reports a new file that is not a later state of the previous one.
  private func reportReplacement(of old: StoreContents, by new: StoreContents) {
    guard old.condition != .absent, new.condition != .absent, let url = location.url else { return }
    if new.identity != old.identity {
      diagnostics.report(.otherStore, "\(url.path) was replaced by another store's file, or cleared and written again")
    } else if new.generation < old.generation {
      diagnostics.report(
        .olderCopy,
        "\(url.path) was replaced by an older copy: generation \(new.generation) instead of \(old.generation)")
    }
  }

  // MARK: Publishing

  /// Reports to observers what has changed since they saw the contents of a store that was closed, or whose file could
  /// not be read. Returns `false` if it still cannot be read.
  @discardableResult
  func reportLoading() -> Bool {
    let (seen, contents) = memory.takeSeen()
    if let seen, let contents { notifyObservers(of: contents, since: seen, .otherProcess) }
    return contents != nil
  }

  /// Publishes new contents, and reports to observers what differs from what they have seen. The file was replaced or
  /// read again, so compaction may be tried again.
  func publish(_ contents: StoreContents, recovery: GlobalData.Recovery? = nil, _ origin: GlobalData.Change.Origin) {
    let seen = memory.publish(contents, recovery: recovery)
    forgetFailedCompaction()
    keptFiles?.file = nil  // It may not be the file from which these contents were read.
    notifyObservers(of: contents, since: seen, origin)
  }

  /// Tells observers what differs in the published contents from what they have seen. An observer that is added before
  /// the contents are published has seen the earlier ones, so ask for observers only afterward.
  func notifyObservers(of contents: StoreContents, since seen: StoreContents, _ origin: GlobalData.Change.Origin) {
    guard !observers.isEmpty else { return }
    let keys = seen.keysChanged(to: contents)
    notifyObservers(of: keys, origin, old: seen.copies(forKeys: keys))
  }

  @inline(never)
  func notifyObservers(of keys: Set<String>, _ origin: GlobalData.Change.Origin, old: [String: StoredEntry]) {
    guard !keys.isEmpty, !observers.isEmpty else { return }
    let removed = memory.knownContents?.missing(keys) ?? keys
    observers.notify(
      GlobalData.Change(
        keys: keys, removed: removed, origin: origin, number: memory.publicationCount, old: old, reader))
  }
}
