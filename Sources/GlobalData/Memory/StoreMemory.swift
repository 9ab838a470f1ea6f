import CodingSupport
import FoundationCore

/// The state of a store that its readers see: contents, cached values, and known damage.
///
/// Readers hold the lock for a lookup, and the writer holds it to publish a commit. The file is read under the lock
/// only on first use, when there are no contents yet.
final class StoreMemory: Sendable {
  private struct State: ~Copyable {
    /// The contents. `nil` until the first use, after `close()`, and as long as the file cannot be read.
    var contents: StoreContents?
    var publicationCount: UInt64 = 0
    var cache = ReadCache()
    /// The reason why the file could not be read, as long as there are no contents.
    var failure: GlobalData.State?
    /// The result of the last recovery, which is kept after the damage is repaired.
    var recovery: GlobalData.Recovery?
    /// What observers have seen, if that is not the contents: those before `close()`, or none if the file could not be
    /// read. `nil` once what has changed since is reported to them.
    var seen: StoreContents?
    var onLoad: (@Sendable () -> Void)?
  }

  /// The memory whose reads on this thread do not open a closed store. See ``withoutOpening(_:)``.
  private static let unopened = ThreadPointer()

  private let reader: StoreReader
  private let state = Locked(State())
  /// Whether the file is being read, which may take long, while the lock of the state is held.
  private let isReading = Locked(false)

  init(_ reader: StoreReader) { self.reader = reader }

  var location: StoreLocation { reader.location }

  /// Sets the function to call after the file was read, or could not be read, because there were no contents in memory.
  func onLoad(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onLoad = body } }

  // MARK: Reading

  /// Calls a function that shows a change. If the store was closed since the change, reads of this memory in the
  /// function return what observers have seen, and do not open the store.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  func withoutOpening<Result>(_ body: () throws -> Result) rethrows -> Result {
    // Not specialized, because each copy would add code and save no time that counts beside a read.
    let outer = StoreMemory.unopened.exchange(address)
    defer { StoreMemory.unopened.exchange(outer) }
    return try body()
  }

  private var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  func load() throws { try withContents { _ in } }

  /// Calls a function with the contents, which are read from the file on first use. A failure is not remembered, so the
  /// next use tries again.
  func withContents<Result>(_ body: (StoreContents) throws -> Result) throws -> Result {
    var isLoading = false
    defer { if isLoading { finishLoading() } }
    return try state.withLock { try body(contents(of: &$0, &isLoading)) }
  }

  func withContentsAndCache<Result>(_ body: (StoreContents, inout ReadCache) throws -> Result) throws -> Result {
    var isLoading = false
    defer { isLoading ? finishLoading() : emptyReleased() }
    return try state.withLock { try body(contents(of: &$0, &isLoading), &$0.cache) }
  }

  /// Releases what has left the cache. Call this after each change of the cache, when the lock is free.
  @inline(never)
  private func emptyReleased() {
    let released = state.withLock { state in
      defer { state.cache.released = [] }
      return state.cache.released
    }
    withExtendedLifetime(released) {}
  }

  /// Returns the contents. If they must be read from the file, sets `isLoading` to true; diagnostics are then deferred
  /// until the lock is free.
  @inline(never)
  private func contents(of state: inout State, _ isLoading: inout Bool) throws -> StoreContents {
    // Observers that have seen no values because the file could not be read have yet to see them.
    let isSeen = state.contents == nil && StoreMemory.unopened.value == address && state.seen?.areUncertain == false
    if let contents = isSeen ? state.seen : state.contents { return contents }
    isLoading = true
    reader.diagnostics.deferReports()
    setReading(true)
    defer { setReading(false) }
    do {
      let (contents, recovery) = try reader.read()
      state.contents = contents
      state.cache.reset()  // It may have values of a closed store.
      state.recovery = recovery ?? state.recovery
      if state.seen != nil { state.publicationCount += 1 }
      return contents
    } catch {
      state.failure = GlobalData.State(error)
      // From now on, new observers see no values, although earlier ones may have seen some.
      state.seen = state.seen ?? StoreContents(.absent)
      state.seen?.areUncertain = true
      throw error
    }
  }

  @inline(never)
  private func setReading(_ isNow: Bool) { isReading.withLock { $0 = isNow } }

  private func finishLoading() {
    emptyReleased()
    reader.diagnostics.sendDeferredReports()
    state.withLock { $0.onLoad }?()
  }

  /// Returns the contents, and what observers have seen instead, if the difference must be reported to them. While the
  /// file cannot be read, there are no contents. If there are observers, only the writer may call this, because it
  /// reports this difference before its own changes.
  func takeSeen() -> (seen: StoreContents?, contents: StoreContents?) {
    state.withLock { state in
      defer { if state.contents != nil { state.seen = nil } }
      return (state.seen, state.contents)
    }
  }

  /// Returns the object that holds a decoded value. See ``ReadCache/decoded(_:forKey:)``. Returns `nil` before the
  /// first use, and after `close()`.
  func decoded(_ type: ObjectIdentifier, forKey key: String) -> Remembered? {
    state.withLock { $0.contents == nil ? nil : $0.cache.decoded(type, forKey: key) }
  }

  var recovery: GlobalData.Recovery? { state.withLock { $0.recovery } }

  /// The contents, or `nil` if they must be read first.
  var knownContents: StoreContents? { state.withLock { $0.contents } }

  /// The condition in which the file was found when it was read, or its condition after a later commit. Does not wait
  /// for a reading that has begun, whose lock is held for as long as it takes.
  @inline(never)
  var condition: GlobalData.State {
    guard !location.isMemory else { return .ready }
    guard !isReading.withLock({ $0 }) else { return .notOpened }
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

  var isOpen: Bool { state.withLock { $0.contents != nil } }

  var isKnownToBeAbsent: Bool { state.withLock { $0.contents?.condition == .absent } }

  /// Calls a function with the contents, or with what observers have seen. Does not read the file.
  func withSeenContents<Result>(_ body: (StoreContents) -> Result) -> Result {
    state.withLock { body($0.contents ?? $0.seen ?? StoreContents(.absent)) }
  }

  // MARK: Publishing

  /// The number of times that new contents were published. While a writer has the turn, this is the number of its own
  /// last publication, because only it publishes.
  var publicationCount: UInt64 { state.withLock { $0.publicationCount } }

  /// Publishes contents whose changes are unknown. Returns what observers have seen before.
  func publish(_ contents: StoreContents, recovery: GlobalData.Recovery?) -> StoreContents {
    defer { emptyReleased() }
    return state.withLock { state in
      let seen = state.seen ?? state.contents ?? StoreContents(.absent)
      state.publicationCount += 1
      state.cache.follow(from: state.contents, to: contents)
      state.contents = contents
      state.seen = nil
      state.recovery = recovery ?? state.recovery
      return seen
    }
  }

  /// Publishes the changes that are now in the file. Takes O(*m*) in the number of changes, unless a reader holds the
  /// contents, which are then copied. `written` is `nil` if there is no file or if its state is unknown.
  ///
  /// Returns the earlier entries under the changed keys if the contents are observed, and otherwise `nil`.
  func publish(_ plan: CommitPlan, _ written: WrittenFile?, areObserved: () -> Bool) -> [String: StoredEntry]? {
    defer { emptyReleased() }
    var old: [String: StoredEntry]?
    state.withLock { state in
      // An observer that was added before this may have read the earlier contents. One that is added later reads the
      // new ones.
      if areObserved() { old = state.contents?.copies(forKeys: plan.changes.keys) }
      state.publicationCount += 1
      state.cache.follow(plan.changes)
      if case .replace(let image, _) = plan.action {
        state.contents?.become(image, stamp: written?.stamp, appendPoint: written?.appendPoint)
      } else {
        state.contents?.apply(plan.draft, stamp: written?.stamp, appendPoint: written?.appendPoint)
      }
    }
    return old
  }

  func recordSynced(_ point: AppendPoint) { state.withLock { $0.contents?.recordSynced(point) } }

  func recordSetAside(at url: URL) {
    state.withLock { state in
      // Not `recovery?.setAsideURL = url`: the compiler of Swift 6.0 stops at it.
      guard var recovery = state.recovery else { return }
      recovery.setAsideURL = url
      state.recovery = recovery
    }
  }

  /// Forgets the recovery, because its keys reveal the existence of values that must be gone.
  func forgetRecovery() { state.withLock { $0.recovery = nil } }

  /// Forgets the contents, so that the next use reads the file again. If they are observed, they are kept until then,
  /// so that observers learn what has changed.
  func forgetContents(areObserved: () -> Bool) {
    defer { emptyReleased() }
    state.withLock { state in
      state.seen = areObserved() ? state.seen ?? state.contents : nil
      state.contents = nil
      state.failure = nil
      state.cache.reset()
    }
  }
}
