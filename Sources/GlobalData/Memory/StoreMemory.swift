import FoundationCore

/// What readers of a store see: its contents, cached values, and known damage.
///
/// Readers hold the lock for a lookup, the writer to publish a commit. The file is read with the lock held only at the
/// first use, when there is nothing to show yet.
final class StoreMemory: Sendable {
  private struct State {
    /// `nil` until the first use, after `close()`, and as long as the file cannot be read.
    var contents: StoreContents?
    var cache = ReadCache()
    /// Why the file could not be read, as long as there are no contents.
    var failure: GlobalData.State?
    /// Stays when the damage is repaired.
    var recovery: GlobalData.Recovery?
    var onLoad: (@Sendable () -> Void)?
  }

  let location: StoreLocation
  private let reader: StoreReader
  private let diagnostics: StoreDiagnostics
  private let state = Locked(State())

  init(_ location: StoreLocation, _ reader: StoreReader, _ diagnostics: StoreDiagnostics) {
    self.location = location
    self.reader = reader
    self.diagnostics = diagnostics
  }

  /// Sets what is called each time that the file has been read because there was nothing in memory.
  func onLoad(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.onLoad = body }
  }

  // MARK: Reading

  func load() throws {
    try withContents { _ in }
  }

  /// Calls a function with the contents, reading them from the file at the first use. A failure is not remembered: the
  /// next use tries again.
  func withContents<Result>(_ body: (StoreContents) throws -> Result) throws -> Result {
    try withContentsAndCache { contents, _ in try body(contents) }
  }

  func withContentsAndCache<Result>(_ body: (StoreContents, inout ReadCache) throws -> Result) throws -> Result {
    var isLoading = false
    defer { if isLoading { finishLoading() } }
    return try state.withLock { state in
      let contents = try state.contents ?? read(into: &state, &isLoading)
      return try body(contents, &state.cache)
    }
  }

  /// `isLoading` is true afterwards: diagnostics are held until the lock is free.
  @inline(never)
  private func read(into state: inout State, _ isLoading: inout Bool) throws -> StoreContents {
    isLoading = true
    diagnostics.hold()
    do {
      let (contents, recovery) = try reader.read()
      state.contents = contents
      state.cache.reset()
      state.failure = nil
      state.recovery = recovery ?? state.recovery
      return contents
    } catch {
      state.failure = GlobalData.State(error)
      throw error
    }
  }

  private func finishLoading() {
    diagnostics.letGo()
    let onLoad = state.withLock { $0.contents == nil ? nil : $0.onLoad }
    onLoad?()
  }

  /// The object that holds what a value was decoded as; see ``ReadCache/decoded(_:forKey:)``. There is none before the
  /// first use.
  func decoded(_ type: ObjectIdentifier, forKey key: String) -> Remembered? {
    state.withLock { $0.cache.decoded(type, forKey: key) }
  }

  var recovery: GlobalData.Recovery? { state.withLock { $0.recovery } }

  /// `nil` where they have to be read first.
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

  var isOpen: Bool { state.withLock { $0.contents != nil } }

  var isKnownToBeAbsent: Bool { state.withLock { $0.contents?.condition == .absent } }

  /// Empty as long as the file cannot be read.
  var knownKeys: Set<String> { state.withLock { Set($0.contents?.keys ?? []) } }

  // MARK: Publishing

  /// Publishes contents of which it is not known what has changed.
  func publish(_ contents: StoreContents, recovery: GlobalData.Recovery? = nil) {
    state.withLock { state in
      state.cache.follow(from: state.contents, to: contents)
      state.contents = contents
      state.recovery = recovery ?? state.recovery
    }
  }

  /// Publishes the changes that the file has now, in O(*m*) changes, unless a reader holds the contents: then they are
  /// copied. `written` is `nil` if there is no file, or its state is not known.
  func publish(_ plan: CommitPlan, _ written: WrittenFile?) {
    state.withLock { state in
      state.cache.follow(plan.changes)
      if case .replace(let image, _) = plan.action {
        state.contents?.become(image, stamp: written?.stamp, appendPoint: written?.appendPoint)
      } else {
        state.contents?.apply(plan.draft, stamp: written?.stamp, appendPoint: written?.appendPoint)
      }
    }
  }

  func recordSynced(_ point: AppendPoint) {
    state.withLock { $0.contents?.noteSynced(point) }
  }

  func recordSetAside(at url: URL) {
    state.withLock { $0.recovery?.setAsideURL = url }
  }

  /// Forgets what was lost: its keys tell of values that are to be gone.
  func forgetRecovery() {
    state.withLock { $0.recovery = nil }
  }

  /// The next use reads the file again.
  func forgetContents() {
    state.withLock { state in
      state.contents = nil
      state.failure = nil
      state.cache.reset()
    }
  }
}
