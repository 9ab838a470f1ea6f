import Foundation

/// What readers of a store see: its contents, what they were decoded as, and what is known of damage.
///
/// Readers hold the lock for as long as a lookup takes, the writer for as long as it takes to publish a commit. The one time that the file
/// is read with the lock held is the first use, which has nothing to show before.
final class StoreMemory: Sendable {
  private struct State {
    /// `nil` until the first use, after `close()`, and as long as the file cannot be read.
    var contents: StoreContents?
    /// What reads have worked out from the contents.
    var cache = ReadCache()
    /// What kept the file from being read, as long as there are no contents.
    var failure: GlobalData.State?
    /// What was kept of a damaged file; it stays when the damage is repaired.
    var recovery: GlobalData.Recovery?
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

  // MARK: Reading

  func load() throws {
    try withContents { _ in }
  }

  /// Calls a function with the contents, which are read from the file if this is the first use. Where that fails,
  /// nothing is remembered, so that the next use tries again.
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
      let (contents, recovery) = try read(notingFailureIn: &state.failure)
      state.contents = contents
      state.cache.reset()
      state.recovery = recovery ?? state.recovery
      return try body(contents, &state.cache)
    }
  }

  private func read(notingFailureIn failure: inout GlobalData.State?) throws -> (StoreContents, GlobalData.Recovery?) {
    do {
      let read = try reader.read()
      failure = nil
      return read
    } catch {
      failure = GlobalData.State(error)
      throw error
    }
  }

  /// The object that holds what a value was decoded as; see ``ReadCache/decoded(_:forKey:)``. There is none before the first use.
  func decoded(_ type: ObjectIdentifier, forKey key: String) -> Remembered? {
    state.withLock { $0.cache.decoded(type, forKey: key) }
  }

  /// What was kept of a damaged file, and what was lost.
  var recovery: GlobalData.Recovery? { state.withLock { $0.recovery } }

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

  var isOpen: Bool { state.withLock { $0.contents != nil } }

  /// Whether the store was opened and there was no file.
  var isKnownToBeAbsent: Bool { state.withLock { $0.contents?.condition == .absent } }

  /// The keys that readers see now; none as long as the file cannot be read.
  var knownKeys: Set<String> { state.withLock { Set($0.contents?.keys ?? []) } }

  // MARK: Publishing

  /// Shows readers other contents, of which it is not known what has changed.
  func publish(_ contents: StoreContents, recovery: GlobalData.Recovery? = nil) {
    state.withLock { state in
      state.cache.follow(from: state.contents, to: contents)
      state.contents = contents
      state.recovery = recovery ?? state.recovery
    }
  }

  /// Shows readers the changes that the file has now. `written` is `nil` if there is no file, or its state is not
  /// known.
  ///
  /// - Complexity: O(*m*) in the number of changes, unless a reader holds the contents at this moment: then they are
  ///   copied.
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

  /// Records how much of the file is on stable storage for certain.
  func recordSynced(_ point: AppendPoint) {
    state.withLock { $0.contents?.noteSynced(point) }
  }

  /// Records where the damaged file was set aside.
  func recordSetAside(at url: URL) {
    state.withLock { $0.recovery?.setAsideURL = url }
  }

  /// Forgets what was lost: its keys tell of values that are to be gone.
  func forgetRecovery() {
    state.withLock { $0.recovery = nil }
  }

  /// Forgets the contents; the next use reads the file again.
  func forgetContents() {
    state.withLock { state in
      state.contents = nil
      state.failure = nil
      state.cache.reset()
    }
  }
}
