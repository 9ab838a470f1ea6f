import Foundation

/// What all `GlobalData` actors over one file share: the contents in memory, the file, and the queue of changes.
///
/// Readers take the lock for as long as a lookup takes. Writers hold it only to queue a change and to publish a commit;
/// the disk is waited for without the lock, on the executor. So a reader never waits for a write.
///
/// The one place where the lock is held around a read of the file is the first use, which has nothing to show before.
final class StoreEngine: Sendable {
  /// One change that waits for its commit, or its outcome.
  final class Ticket: Sendable {
    /// The position of the call among all calls; a clear with a greater one outlives this change.
    let number: UInt64
    let change: @Sendable (inout StoreDraft, StoreContents) throws -> Void
    fileprivate let outcome = Locked<Result<Void, any Error>?>(nil)

    fileprivate init(number: UInt64, change: @escaping @Sendable (inout StoreDraft, StoreContents) throws -> Void) {
      self.number = number
      self.change = change
    }
  }

  private struct State {
    /// `nil` until the first use, after `close()`, and as long as the file cannot be read.
    var contents: StoreContents?
    var queue: [Ticket] = []
    var lastNumber: UInt64 = 0
    /// The number of the latest clear that was asked for, and the keys that it keeps.
    var lastClear: (number: UInt64, keeping: Set<String>) = (0, [])
  }

  let location: StoreLocation
  private let limits: ArchiveLimits
  private let durability: Durability
  let executor: StoreExecutor
  private let file: ArchiveFile?
  private let state = Locked(State())

  /// An engine that no other store finds; ``engine(for:_:)`` makes those that are shared.
  init(
    _ location: StoreLocation, _ configuration: GlobalData.Configuration, system: any SystemCalls = POSIXSystemCalls()
  ) {
    self.location = location
    limits = configuration.limits
    durability = configuration.durability
    file = location.url.map { ArchiveFile(url: $0, system: system) }
    executor = StoreExecutor(label: "GlobalData \(location.url?.lastPathComponent ?? "in memory")")
  }

  // MARK: One engine for one file

  private struct WeakEngine {
    weak var engine: StoreEngine?
  }

  private static let engines = Locked<[String: WeakEngine]>([:])

  /// The engine of a location: the one that is in use for the same file, also through a symbolic link, or a new one.
  ///
  /// The first store at a place decides how its file is written.
  static func engine(for location: StoreLocation, _ configuration: GlobalData.Configuration) -> StoreEngine {
    guard let url = location.url else { return StoreEngine(location, configuration) }
    let path = url.standardizedFileURL.resolvingSymlinksInPath().path
    return engines.withLock { engines in
      if let engine = engines[path]?.engine { return engine }
      let engine = StoreEngine(location, configuration)
      engines = engines.filter { $0.value.engine != nil }
      engines[path] = WeakEngine(engine: engine)
      return engine
    }
  }

  // MARK: Reading

  /// Calls a function with the contents, which are read from the file if this is the first use.
  ///
  /// - Throws: Why the file cannot be read. Nothing is remembered then, so that the next use tries again.
  func withContents<Result>(_ body: (StoreContents) throws -> Result) throws -> Result {
    try state.withLock { try body(loadedContents(&$0)) }
  }

  private func loadedContents(_ state: inout State) throws -> StoreContents {
    if let contents = state.contents { return contents }
    let contents = try load()
    state.contents = contents
    return contents
  }

  private func load() throws -> StoreContents {
    if case .invalid(let error) = location { throw error }
    guard let file else { return StoreContents() }
    do {
      try file.removeLeftovers()
    } catch {
      // They take room and harm nothing; a store that cannot remove them can do all else.
      FailureLog.report(error)
    }
    let stamp = try file.stamp()
    guard let data = try file.read(limit: limits.maximumFileSize) else { return StoreContents() }
    let parsed: ArchiveImage.Contents
    do {
      parsed = try ArchiveImage.parse(data, limits: limits)
    } catch {
      throw GlobalDataError.cannotParse(error, file.url)
    }
    guard parsed.damage.isEmpty else { throw GlobalDataError.damaged(parsed.damage, file.url) }
    return StoreContents(parsed.image, stamp: stamp)
  }

  // MARK: Writing

  /// Takes the number that orders a call among the others; taken before any work that the call needs.
  func takeNumber() -> UInt64 {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// Queues a change for the next commit.
  func enqueue(
    number: UInt64, _ change: @escaping @Sendable (inout StoreDraft, StoreContents) throws -> Void
  ) -> Ticket {
    let ticket = Ticket(number: number, change: change)
    state.withLock { $0.queue.append(ticket) }
    return ticket
  }

  /// Queues the removal of all entries but those kept. Changes that were asked for before cannot come back after it.
  func enqueueClear(keeping kept: Set<String>) -> Ticket {
    state.withLock { state in
      state.lastNumber += 1
      state.lastClear = (state.lastNumber, kept)
      let ticket = Ticket(number: state.lastNumber) { draft, _ in draft.clear(keeping: kept) }
      state.queue.append(ticket)
      return ticket
    }
  }

  /// Whether a change of a key was overtaken by a clear that was asked for later.
  func isCleared(_ key: String, since number: UInt64) -> Bool {
    state.withLock { $0.lastClear.number > number && !$0.lastClear.keeping.contains(key) }
  }

  /// Commits all queued changes as one, unless an earlier call already committed this one, and returns its outcome.
  ///
  /// Blocks for as long as the disk takes; runs on the executor only.
  func commit(_ ticket: Ticket) throws {
    if ticket.outcome.withLock({ $0 == nil }) { commitQueue() }
    try ticket.outcome.withLock { outcome in try outcome?.get() }
  }

  /// - Returns: Why the commit failed; a change that failed by itself, and left the others alone, does not count.
  @discardableResult
  private func commitQueue() -> (any Error)? {
    let tickets = state.withLock { state in
      defer { state.queue = [] }
      return state.queue
    }
    do {
      let contents = try currentContents()
      var draft = StoreDraft()
      var accepted: [Ticket] = []
      for ticket in tickets {
        do {
          var next = draft
          try ticket.change(&next, contents)
          draft = next
          accepted.append(ticket)
        } catch {
          ticket.outcome.withLock { $0 = .failure(error) }
        }
      }
      try commit(draft, on: contents)
      for ticket in accepted { ticket.outcome.withLock { $0 = .success(()) } }
      return nil
    } catch {
      for ticket in tickets {
        ticket.outcome.withLock { outcome in
          if outcome == nil { outcome = .failure(error) }
        }
      }
      return error
    }
  }

  /// The contents that a commit starts from: those of the file as it is now.
  ///
  /// If something else has replaced the file since it was read, it is read again, so that the changes are made to what
  /// is there. Two processes that write in the same moment can still lose a change: there is no lock between them yet.
  private func currentContents() throws -> StoreContents {
    let contents = try withContents { $0 }
    guard let file, try file.stamp() != contents.stamp else { return contents }
    let newContents = try load()
    state.withLock { $0.contents = newContents }
    return newContents
  }

  /// Writes a draft's outcome to the file, and only then publishes it.
  private func commit(_ draft: StoreDraft, on contents: StoreContents) throws {
    guard !draft.changesNothing(in: contents) else { return }
    do {
      publish(draft, on: contents, stamp: try write(draft, on: contents))
    } catch let error as GlobalDataError where error.code == .durabilityUnknown {
      // The file has the new contents, so memory must have them too; the callers are told what is not certain. What
      // the file looks like now is unknown, so that the next commit reads it again.
      publish(draft, on: contents, stamp: nil)
      throw error
    }
  }

  private func publish(_ draft: StoreDraft, on contents: StoreContents, stamp: FileStamp?) {
    var contents = contents
    contents.apply(draft, stamp: stamp)
    state.withLock { [contents] in $0.contents = contents }
  }

  /// - Returns: What the file looks like afterwards; `nil` when there is none.
  private func write(_ draft: StoreDraft, on contents: StoreContents) throws -> FileStamp? {
    guard let file else { return nil }
    let entries = contents.entries(applying: draft)
    if entries.isEmpty && draft.clearsOthers {
      try file.remove(durability: durability)
      return nil
    }
    let image = ArchiveImage(identity: contents.identity, generation: contents.generation + 1, entries: entries)
    let size = image.byteCount
    guard size <= limits.maximumFileSize else { throw GlobalDataError.tooLarge(file.url, size: size, limits: limits) }
    return try file.replace(with: image.pieces(), durability: durability).stamp
  }

  /// Finishes what is queued and forgets the contents; the next use reads the file again. A store in memory stays.
  ///
  /// Blocks for as long as the disk takes; runs on the executor only.
  func close() throws {
    let hasQueue = state.withLock { !$0.queue.isEmpty }
    let failure = hasQueue ? commitQueue() : nil
    if file != nil { state.withLock { $0.contents = nil } }
    if let failure { throw failure }
  }
}
