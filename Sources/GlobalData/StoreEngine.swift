import Foundation

/// What all `GlobalData` actors over one file share: the contents in memory, the file, and the queue of changes.
///
/// Readers take the lock for as long as a lookup takes. Writers hold it only to queue a change and to publish a commit;
/// the disk is waited for without the lock, and on the executor only. So a reader never waits for a write.
///
/// The one place where the lock is held around a read of the file is the first use, which has nothing to show before.
final class StoreEngine: Sendable {
  private struct State {
    /// `nil` until the first use, after `close()`, and as long as the file cannot be read.
    var contents: StoreContents?
    /// What reads have worked out from the contents.
    var cache = ReadCache()
    /// What kept the file from being read, as long as there are no contents.
    var failure: GlobalData.State?
    /// What was kept of a damaged file; it stays when the damage is mended.
    var recovery: GlobalData.Recovery?
    var mustRewrite = false
    var compaction = Compaction.notExpected
    /// Whether the file is going to be written anew ahead of time.
    enum Compaction {
      case notExpected
      case expected
      /// It is left to the commit that cannot do without, whose caller then hears why it fails.
      case failed
    }

    /// The file is another one now, or is looked at anew.
    mutating func forgetFailedCompaction() {
      if compaction == .failed { compaction = .notExpected }
    }
  }

  let location: StoreLocation
  let configuration: GlobalData.Configuration
  let executor: StoreExecutor
  let diagnostics: StoreDiagnostics
  let declarations = KeyDeclarations()
  let observers = StoreObservers()
  let queue = WriteQueue()
  let file: ArchiveFile?
  /// What commits leave open for the next one; see ``beginVisit(_:)``.
  let keptPlace = Locked<KeptPlace?>(nil)
  /// The commit whose lock is held for an update; see ``holdLock(_:for:)``.
  ///
  /// `unsafe` is right because only commits use it, each of which holds the executor's turn.
  nonisolated(unsafe) var heldVisit = HeldVisit()
  private let state = Locked(State())

  /// An engine that no other store finds; ``engine(for:_:)`` makes those that are shared.
  init(
    _ location: StoreLocation, _ configuration: GlobalData.Configuration,
    system: any SystemCalls = POSIXSystemCalls(),
    activitySource: ExpiringActivity.Source? = ExpiringActivity.systemSource
  ) {
    self.location = location
    self.configuration = configuration
    diagnostics = StoreDiagnostics(handler: configuration.diagnosticHandler)
    file = location.url.map { [diagnostics] url in
      ArchiveFile(
        url: url, system: system, protection: configuration.fileProtection,
        backupExclusion: configuration.isExcludedFromBackup ? .reporting(to: diagnostics, url) : nil,
        activitySource: activitySource)
    }
    executor = StoreExecutor(label: "GlobalData \(location.url?.lastPathComponent ?? "in memory")")
  }

  // MARK: Reading

  /// Calls a function with the contents, which are read from the file if this is the first use.
  ///
  /// - Throws: Why the file cannot be read. Nothing is remembered then, so that the next use tries again.
  func withContents<Result>(_ body: (StoreContents) throws -> Result) throws -> Result {
    try withContentsAndCache { contents, _ in try body(contents) }
  }

  /// Calls a function with the contents, as above, and with what reads have worked out from them.
  func withContentsAndCache<Result>(_ body: (StoreContents, inout ReadCache) throws -> Result) throws -> Result {
    var isLoading = false
    defer { if isLoading { diagnostics.letGo() } }
    return try state.withLock { state in
      if let contents = state.contents { return try body(contents, &state.cache) }
      isLoading = true
      diagnostics.hold()
      let (contents, recovery) = try load(notingFailureIn: &state.failure)
      state.contents = contents
      state.cache = ReadCache()
      state.recovery = recovery ?? state.recovery
      return try body(contents, &state.cache)
    }
  }

  /// The object that holds what a value was decoded as; see ``ReadCache/decoded(_:forKey:)``. There is none before the first use.
  func decoded(_ type: ObjectIdentifier, forKey key: String) -> Remembered? {
    state.withLock { $0.cache.decoded(type, forKey: key) }
  }

  /// What was kept of a damaged file, and what was lost.
  var recovery: GlobalData.Recovery? { state.withLock { $0.recovery } }

  private func load(
    notingFailureIn failure: inout GlobalData.State?
  ) throws -> (StoreContents, GlobalData.Recovery?) {
    do {
      let loaded = try load()
      failure = nil
      return loaded
    } catch {
      failure = GlobalData.State(error)
      throw error
    }
  }

  /// Reads the file.
  private func load() throws -> (StoreContents, GlobalData.Recovery?) {
    if case .invalid(let error) = location { throw error }
    guard let file else { return (StoreContents(.ready), nil) }
    let leftovers = Result { try file.removeLeftovers() }
    let reading = try file.readArchive(configuration.limits, isStamped: true)
    // They take room and harm nothing; a store that cannot remove them can do all else. Where the file cannot be read either,
    // that is thrown, and the same cause need not be reported before.
    if case .failure(let error) = leftovers {
      diagnostics.report(.leftovers, "left-over temporary files could not be removed", error)
    }
    guard let reading else {
      return (StoreContents(.absent), nil)
    }
    let parsed: ArchiveImage.Contents
    do {
      parsed = try reading.outcome.get()
    } catch {
      throw GlobalDataError.cannotParse(error, file.url)
    }
    let accepted = try accept(parsed, of: file, stamp: reading.stamp)
    // Only now: what is not a store's file is to stay as it is.
    try file.excludeFromBackups()
    return accepted
  }

  private func accept(
    _ parsed: ArchiveImage.Contents, of file: ArchiveFile, stamp: FileStamp?
  ) throws -> (StoreContents, GlobalData.Recovery?) {
    guard parsed.version <= ArchiveImage.version else {
      // Without the part that could not be read, "no such key" would be a guess.
      guard parsed.damage.isEmpty else {
        throw GlobalDataError.cannotParse(.newerFormat(version: parsed.version), file.url)
      }
      return (StoreContents(parsed.image, .newer(version: parsed.version), stamp: stamp), nil)
    }
    guard !parsed.damage.isEmpty else {
      return (StoreContents(parsed.image, .ready, stamp: stamp, appendPoint: parsed.appendPoint), nil)
    }
    guard configuration.recoveryPolicy == .keepIntactEntries else {
      throw GlobalDataError.damaged(parsed.damage, file.url)
    }
    let recovery = GlobalData.Recovery(parsed, file.url)
    diagnostics.report(
      .recovered, "\(recovery.keptKeys.count) entries were kept and \(recovery.lostEntryCount) lost",
      GlobalDataError.damaged(parsed.damage, file.url))
    return (StoreContents(parsed.image, .damaged, stamp: stamp), recovery)
  }

  /// The contents of the file as it is now: read again if something else has replaced it since it was read.
  ///
  /// Runs on the executor only.
  func currentContents(_ visit: ArchiveVisit?) throws -> StoreContents {
    let contents = try withContents { $0 }
    guard let visit, try isOutdated(contents, visit) else { return contents }
    try visit.followAgain()
    if configuration.isShared, visit.isForWriting {
      try visit.lockFileAhead(isForUpdating: configuration.persistence == .appending && !mustRewrite)
    }
    let (newContents, recovery) = try load()
    noteReplacement(of: contents, by: newContents)
    noteRepeatedReading(of: contents, newContents)
    let changed = observers.isEmpty ? [] : contents.keysChanged(to: newContents)
    let old = oldEntries(of: changed)
    publish(newContents, recovery: recovery.flatMap { isKnown($0, newContents, contents) ? nil : $0 })
    notifyObservers(of: changed, .otherProcess, old: old)
    return newContents
  }

  func isOutdated(_ contents: StoreContents, _ visit: ArchiveVisit) throws -> Bool {
    switch try look(visit, contents) {
    case .absent: return contents.stamp != nil
    case .somethingElse: return true
    case .file(let stamp):
      guard let known = contents.stamp, stamp.agrees(with: known) else { return true }
      // What is appended within the room of a file changes neither its beginning nor its size, and perhaps not its time.
      if let point = contents.appendPoint { return try !visit.isEnd(point, of: known) }
    }
    guard configuration.isShared else { return false }
    // Reading takes no lock: another process may have been in the middle of its change, and have finished it since.
    return contents.condition == .ready || contents.condition == .damaged
  }

  private func look(_ visit: ArchiveVisit, _ contents: StoreContents) throws -> ArchiveVisit.Look {
    let isForUpdating =
      visit.isForWriting && configuration.persistence == .appending && contents.appendPoint != nil && !mustRewrite
    do {
      return try visit.look(isForUpdating: isForUpdating)
    } catch {
      // A file that may not be written in place can still be replaced.
      if isForUpdating, error.code == .writeFailed { noteAppending(hasFailed: true) }
      throw error
    }
  }

  /// Forgets the damage of a file that is the same and intact: it was read while another process was writing it.
  private func noteRepeatedReading(of old: StoreContents, _ new: StoreContents) {
    if old.condition == .damaged, new.condition == .ready, isSameFile(old, new) { forgetRecovery() }
  }

  /// Whether damage is the one that is known, so that what has become of the file is known too.
  private func isKnown(_ recovery: GlobalData.Recovery, _ new: StoreContents, _ old: StoreContents) -> Bool {
    var known = self.recovery
    known?.setAsideURL = nil
    return known == recovery && isSameFile(old, new)
  }

  private func isSameFile(_ old: StoreContents, _ new: StoreContents) -> Bool {
    guard let oldStamp = old.stamp, let newStamp = new.stamp else { return old.stamp == nil && new.stamp == nil }
    return oldStamp.agrees(with: newStamp)
  }

  /// Tells of a file that is not a later state of the one before it.
  private func noteReplacement(of old: StoreContents, by new: StoreContents) {
    guard old.condition != .absent, new.condition != .absent, let url = location.url else { return }
    if new.identity != old.identity {
      diagnostics.report(.otherStore, "\(url.path) was replaced by the file of another store")
    } else if new.generation < old.generation {
      diagnostics.report(
        .olderCopy,
        "\(url.path) was replaced by an older copy: generation \(new.generation) in place of \(old.generation)")
    }
  }

  /// The contents, unless they have to be read first.
  var knownContents: StoreContents? { state.withLock { $0.contents } }

  /// What was found when the file was read, as it is now.
  var condition: GlobalData.State {
    guard !location.isMemory else { return .ready }
    return state.withLock { state in
      switch state.contents?.condition {
      case .absent: .absent
      case .ready: .ready
      case .damaged: .damaged
      case .newer: .newer
      case nil: state.failure ?? .notOpened
      }
    }
  }

  /// Whether the contents are in memory.
  var isOpen: Bool { state.withLock { $0.contents != nil } }

  /// Whether the store was opened and there was no file.
  var isKnownToBeAbsent: Bool { state.withLock { $0.contents?.condition == .absent } }

  /// The keys that readers see now; none as long as the file cannot be read.
  var knownKeys: Set<String> { state.withLock { Set($0.contents?.keys ?? []) } }

  /// Makes contents those that readers see, of which it is not known what has changed.
  func publish(_ contents: StoreContents, recovery: GlobalData.Recovery? = nil) {
    state.withLock { state in
      state.cache.follow(from: state.contents, to: contents)
      state.contents = contents
      state.forgetFailedCompaction()
      state.recovery = recovery ?? state.recovery
    }
  }

  /// Lets readers see the changes that the file has now.
  ///
  /// - Complexity: O(*m*) in the number of changes, unless somebody holds the contents at this moment: then they are copied.
  func publish(_ commit: PreparedCommit, _ written: WrittenFile?) {
    state.withLock { state in
      state.cache.follow(commit.changes)
      if case .image(let image) = commit.output {
        state.contents?.become(image, stamp: written?.stamp, appendPoint: written?.appendPoint)
        state.forgetFailedCompaction()
      } else {
        state.contents?.apply(commit.draft, stamp: written?.stamp, appendPoint: written?.appendPoint)
      }
    }
  }

  /// A file after a commit.
  struct WrittenFile {
    var stamp: FileStamp
    var appendPoint: AppendPoint
  }

  /// Whether an append has failed, so that what is behind the file's last change is unknown until it is written anew.
  var mustRewrite: Bool { state.withLock { $0.mustRewrite } }

  func noteAppending(hasFailed: Bool) {
    state.withLock { $0.mustRewrite = hasFailed }
  }

  /// - Returns: Whether whoever asks has to see to a compaction: none is expected, and none has failed.
  func expectCompaction() -> Bool {
    state.withLock { state in
      guard state.compaction == .notExpected else { return false }
      state.compaction = .expected
      return true
    }
  }

  /// Notes that the compaction begins that was expected.
  func takeExpectedCompaction() {
    state.withLock { $0.compaction = .notExpected }
  }

  func noteCompactionFailed() {
    state.withLock { $0.compaction = .failed }
  }

  /// Notes how much of the file is on the medium for certain.
  func noteSynced(_ point: AppendPoint) {
    state.withLock { $0.contents?.noteSynced(point) }
  }

  /// Notes where the damaged file was set aside.
  func noteSetAside(at url: URL) {
    state.withLock { $0.recovery?.setAsideURL = url }
  }

  /// Forgets what was lost: the keys tell of values that are to be gone.
  func forgetRecovery() {
    state.withLock { $0.recovery = nil }
  }

  // MARK: Changes

  /// Makes the change of a ticket, unless a clear that was asked for later has overtaken it.
  ///
  /// - Throws: ``GlobalDataError`` where Swift takes a new key for another one that is there.
  func apply(_ change: StoreTicket.Change, number: UInt64, to next: inout DraftedContents) throws {
    switch change {
    case .set(let entry):
      guard !next.draft.takesAway(entry.key, since: number), !queue.isCleared(entry.key, since: number) else { return }
      try next.draft.set(entry, on: next.contents, in: location.url)
    case .remove(let key): next.draft.remove(key)
    case .clear(let kept): next.draft.clear(StoreClear(number: number, keptKeys: kept))
    case .update(let update):
      try next.apply(update.draft, in: location.url)
    }
  }

  /// What readers will see when everything before the ticket of an update is committed.
  func contents(before ticket: StoreTicket) throws -> DraftedContents {
    // First the queue: what is committed in between is made once more, which changes nothing.
    let earlier = queue.tickets(before: ticket)
    var next = DraftedContents(contents: try withContents { $0 })
    for ticket in earlier {
      do {
        if let change = ticket.change { try apply(change, number: ticket.number, to: &next) }
      } catch {
        continue  // It has no part in the commit either.
      }
    }
    return next
  }

  /// Finishes what is queued and forgets the contents; the next use reads the file again. A store in memory stays.
  ///
  /// Blocks for as long as the disk takes; runs on the executor only.
  func close() throws {
    let failure = commitQueue()
    endHeldVisit()
    keptPlace.withLock { $0 = nil }
    if file != nil {
      state.withLock { state in
        state.contents = nil
        state.failure = nil
        state.cache = ReadCache()
        state.forgetFailedCompaction()
      }
    }
    if let failure { throw failure }
  }
}

extension ArchiveFile.BackupExclusion {
  /// Reports a file that could not be excluded as a diagnostic.
  fileprivate static func reporting(to diagnostics: StoreDiagnostics, _ url: URL) -> Self {
    Self { error in
      diagnostics.report(
        .concession,
        "\(url.path): the file could not be excluded from backups (\(SystemCallError.text(of: error.number)))")
    }
  }
}
