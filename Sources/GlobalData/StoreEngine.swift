import Dispatch
import FoundationCore

/// The state that all `GlobalData` actors of one file share. Each part is confined by its type:
///
/// - ``StoreMemory``: the contents that readers see, protected by a lock that is never held while waiting for the disk,
///   except at the first use.
/// - ``WriteQueue``: the calls that wait for a commit, protected by a separate lock.
/// - ``StoreWriter``: the file. The writer has no lock, because only code that holds the executor's turn gets it.
final class StoreEngine: Sendable {
  let location: StoreLocation
  let configuration: GlobalData.Configuration
  let executor: StoreExecutor
  let diagnostics: StoreDiagnostics
  let declarations = KeyDeclarations()
  let observers = StoreObservers()
  let queue = WriteQueue()
  let memory: StoreMemory
  let file: ArchiveFile?
  /// `nonisolated(unsafe)` is safe because only the functions below pass on the writer: to jobs of the executor, and to
  /// code that holds the executor's turn.
  nonisolated(unsafe) private let writer: StoreWriter

  /// Creates an engine that no other store finds. ``engine(for:_:system:)`` creates shared engines.
  ///
  /// This initializer is `dynamic` so that the compiler does not create a second copy for the only `SystemCalls` type
  /// that it knows.
  dynamic init(
    _ location: StoreLocation, _ configuration: GlobalData.Configuration,
    system: any SystemCalls = POSIXSystemCalls(), followed: FileLocation? = nil,
    activitySource: ExpiringActivity.Source? = ExpiringActivity.systemSource
  ) {
    self.location = location
    self.configuration = configuration
    let diagnostics = StoreDiagnostics(handler: configuration.diagnosticHandler)
    self.diagnostics = diagnostics
    file = location.url.map { url in
      let reportUnexcluded: @Sendable (SystemCallError) -> Void = { error in
        diagnostics.report(
          .concession,
          "\(url.path): the file could not be excluded from backups (\(SystemCallError.text(of: error.number)))")
      }
      return ArchiveFile(
        url: url, system: system, protection: configuration.fileProtection,
        excludingFromBackups: configuration.isExcludedFromBackup ? reportUnexcluded : nil,
        activitySource: activitySource, followed: followed)
    }
    executor = StoreExecutor(label: "GlobalData \(location.url?.lastPathComponent ?? "in memory")")
    let reader = StoreReader(location, file, configuration, diagnostics)
    memory = StoreMemory(reader)
    writer = StoreWriter(reader, memory, queue, observers)
    writer.schedule = { [unowned self] delay, work in
      executor.run(after: delay) { [self] in work(writer) }
    }
    guard file != nil else { return }
    let onFileEvent: @Sendable (Bool) -> Void = { [weak self, executor] mustWatchAgain in
      executor.runInTurn { self?.writer.fileMayHaveChanged(mustWatchAgain) }
    }
    writer.watchFolders = { [executor] paths throws(SystemCallError) in
      try FolderWatch(paths, on: executor.queue, onFileEvent)
    }
    let updateWatching: @Sendable () -> Void = { [weak self] in
      guard let self else { return }
      executor.run(after: nil) { [self] in writer.updateWatching() }
    }
    observers.onNeedChange(updateWatching)
    memory.onLoad { [weak self] in
      guard let self else { return }
      guard !observers.isEmpty else {
        _ = memory.takeSeen()
        return
      }
      executor.run(after: nil) { [self] in writer.fileWasLoaded() }
    }
  }

  // MARK: The writer

  /// Calls a function with the writer, in a job of the actor `store`, which has the executor's turn.
  func withWriter<Result>(_ store: isolated GlobalData, _ work: (StoreWriter) throws -> Result) rethrows -> Result {
    assert(store.engine === self)
    return try work(writer)
  }

  /// Calls a function with the writer on the calling thread. Returns `nil` if the executor is busy.
  func withWriterImmediately<Result>(_ work: (StoreWriter) throws -> Result) rethrows -> Result? {
    try executor.runImmediately { try work(writer) }
  }

  // MARK: Changes

  /// Returns the contents that readers will see when everything before the ticket of an update is committed.
  func contents(before ticket: StoreTicket) throws -> DraftedContents {
    // Read the queue first: a change that is committed in between is applied a second time, which has no effect.
    let earlier = queue.tickets(before: ticket)
    var next = DraftedContents(contents: try memory.withContents { $0 })
    for ticket in earlier {
      do {
        if let change = ticket.request { try next.apply(change, number: ticket.number, queue, in: location.url) }
      } catch {
        continue  // This change has no part in the commit either.
      }
    }
    return next
  }

  // MARK: Commits on the thread of the caller

  // Only stores in memory, and stores that append without a sync, commit on the thread of the caller. Switching to the
  // store's own thread and back takes two thread wake-ups, several times as long as such a commit itself.
  //
  // Such a commit does not wait. Nothing is synced, only a few pages that the system has in memory are read and
  // written, the lock is free, and there is no observer to call. If any of these conditions is not met, nothing has
  // been done, and the store's own thread does all of the work. On a network file system, each call may take some time.

  /// Commits a change on the calling thread without queueing it, if the commit does not block. Call this method only if
  /// ``mayCommitImmediately`` is `true`. Returns `false` if nothing was done. Returns `nil` if other changes are
  /// waiting or being committed, and this change may be committed with them.
  func commitImmediately(_ change: StoreTicket.Request, number: UInt64) throws -> Bool? {
    guard change.size <= sizeLimit else { return false }
    return try withWriterImmediately { writer -> Bool? in
      // Queued changes were requested earlier, and may include a clear.
      guard queue.isEmpty else { return nil }
      return try writer.commitImmediately(change, number: number)
    } ?? nil
  }

  /// Commits the queue on the calling thread, if the commit does not block. Returns `false` if the changes are still
  /// queued.
  func commitQueueImmediately() -> Bool {
    guard mayCommitImmediately else { return false }
    return withWriterImmediately { $0.commitQueueImmediately(ofSize: sizeLimit) } ?? false
  }

  var mayCommitImmediately: Bool {
    // Observers are called on the store's own thread, regardless of their number.
    guard observers.isEmpty else { return false }
    guard let file else { return true }
    return configuration.persistence == .appending && configuration.durability != .powerLoss && !file.mayNeedActivity
  }

  /// The maximum size of a change that is committed on the calling thread, in bytes.
  private var sizeLimit: Int { file == nil ? .max : AppendPolicy.roomLength }
}

/// Shows only the location in mirrors, which would read the other properties while another thread changes them.
extension StoreEngine: CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: ["location": location]) }
}
