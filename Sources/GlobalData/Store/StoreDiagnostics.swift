import CodingSupport
import FoundationCore

extension GlobalData {
  /// A problem that a store noticed but could not report by throwing an error, or an event that is worth knowing about.
  public struct Diagnostic: Sendable, CustomStringConvertible {
    /// A kind of diagnostic. Later versions may add more kinds.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
      private let name: String

      /// A read that cannot throw could not return the stored value.
      public static let readFailed = Kind(name: "readFailed")
      /// A value that was set through an ``ObservableValue`` or a view could not be written, and was reverted. With the
      /// code `durabilityUnknown`, it was written but may not survive a power cut.
      public static let writeFailed = Kind(name: "writeFailed")
      /// A damaged file was opened, and its intact entries were kept.
      public static let recovered = Kind(name: "recovered")
      /// The file is an older copy of the file that was read before, for example after a backup was restored.
      public static let olderCopy = Kind(name: "olderCopy")
      /// The file belongs to a different store from the file that was read before, or another process cleared the store
      /// and wrote again before this store noticed the clear.
      public static let otherStore = Kind(name: "otherStore")
      /// The store works, but with a limitation. For example, the file's group could not be kept, or the file could not
      /// be excluded from backups.
      public static let concession = Kind(name: "concession")
      /// Two declared keys have the same name and different types. Detected only in debug builds.
      public static let keyClash = Kind(name: "keyClash")
      /// A store was created for a file that already has a store with another configuration, which stays in effect.
      public static let configuration = Kind(name: "configuration")
      /// Files beside the store that are no longer needed could not be removed: temporary files of writers that died,
      /// or files that were set aside.
      public static let leftovers = Kind(name: "leftovers")
      /// A file in appending mode could not be rewritten ahead of time. Nothing is lost. A later commit that requires
      /// the rewrite tries again, and throws if the rewrite fails again.
      public static let compactionFailed = Kind(name: "compactionFailed")

      /// The name of the kind, for example `readFailed`.
      public var description: String { name }
    }

    /// The kind of diagnostic.
    public let kind: Kind

    /// A description of the diagnostic, as a sentence without its final period.
    public let message: String

    /// The error that caused the diagnostic, if there is one.
    public let error: GlobalDataError?

    /// The key of the affected entry, if there is one.
    public let key: String?

    /// The message, followed by the description of the error if there is one.
    public var description: String { error.map { "\(message): \($0)" } ?? message }
  }
}

/// Delivers the diagnostics of a store to the handler or the log, and to all listeners. Delivers each event, and each
/// lasting condition once: conditions with the same text are the same, so the text must not contain what changes.
final class StoreDiagnostics: Sendable {
  private struct State: ~Copyable {
    var reported: Set<String> = []
    var listeners: [(identifier: UUID, continuation: AsyncStream<GlobalData.Diagnostic>.Continuation)] = []
    /// The number of callers that hold a lock that a handler may need.
    var deferrals = 0
    var deferred: [GlobalData.Diagnostic] = []
  }

  private let state = Locked(State())
  private let handler: @Sendable (GlobalData.Diagnostic) -> Void

  init(handler: (@Sendable (GlobalData.Diagnostic) -> Void)?) {
    self.handler = handler ?? { SystemLog.report("\($0.kind)", "\($0)", from: "GlobalData") }
  }

  /// The number of reported conditions after which a failed read is not reported. No condition is reported after twice
  /// as many: a thousand values of a later version, which cannot be read, must not hide that the disk is full.
  private static let capacity = 1000

  @inline(never)
  func report(_ kind: GlobalData.Diagnostic.Kind, _ message: String, _ error: (any Error)? = nil, key: String? = nil) {
    let diagnostic = GlobalData.Diagnostic(kind: kind, message: message, error: error as? GlobalDataError, key: key)
    // Not under the lock, because the description of a type's own error may read the store.
    let text = "\(diagnostic)"
    let isEvent = kind == .writeFailed || kind == .olderCopy || kind == .otherStore
    let isImmediate = state.withLock { state in
      let capacity = kind == .readFailed ? StoreDiagnostics.capacity : 2 * StoreDiagnostics.capacity
      guard isEvent || state.reported.count < capacity && state.reported.insert(text).inserted else { return false }
      guard state.deferrals == 0 else {
        state.deferred.append(diagnostic)
        return false
      }
      return true
    }
    if isImmediate { send(diagnostic) }
  }

  private func send(_ diagnostic: GlobalData.Diagnostic) {
    handler(diagnostic)
    for (_, listener) in state.withLock({ $0.listeners }) { listener.yield(diagnostic) }
  }

  /// Defers reports until ``sendDeferredReports()``. The caller is about to take a lock that a handler may need to read
  /// the store.
  func deferReports() { state.withLock { $0.deferrals += 1 } }

  func sendDeferredReports() {
    let deferred = state.withLock { state in
      state.deferrals -= 1
      guard state.deferrals == 0 else { return [GlobalData.Diagnostic]() }
      defer { state.deferred = [] }
      return state.deferred
    }
    for diagnostic in deferred { send(diagnostic) }
  }

  func stream() -> AsyncStream<GlobalData.Diagnostic> {
    AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
      let identifier = UUID()
      state.withLock { $0.listeners.append((identifier, continuation)) }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.listeners.removeAll { $0.identifier == identifier } }
      }
    }
  }

  deinit {
    state.withLock { state in
      for (_, listener) in state.listeners { listener.finish() }
    }
  }
}

/// The types that a store's keys were declared with, used to detect names that are declared with different types.
final class KeyDeclarations: Sendable {
  private let types = Locked(SharedCodeDictionary<String, String>())

  /// Records the use of a declared key. Always returns true, because this method is only called in `assert`, and a
  /// clash must not stop the program.
  func notes(_ name: String, as type: Any.Type, _ diagnostics: StoreDiagnostics) -> Bool {
    let type = String(reflecting: type)
    let other: String? = types.withLock { types in
      if let other = types[name], other != type { return other }
      types[name] = type
      return nil
    }
    if let other {
      diagnostics.report(.keyClash, "the key \(name.quoted) is declared with the types \(other) and \(type)", key: name)
    }
    return true
  }
}
