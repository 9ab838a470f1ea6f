import FoundationCore

extension GlobalData {
  /// Something that a store noticed where it had no way to throw, or that is worth knowing although all went well.
  public struct Diagnostic: Sendable, CustomStringConvertible {
    /// The kinds of diagnostics. More may come with later versions.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
      private let name: String

      /// A read that cannot throw could not deliver.
      public static let readFailed = Kind(name: "readFailed")
      /// A value that an ``ObservableValue`` or a view was set to could not be written, and was taken back.
      public static let writeFailed = Kind(name: "writeFailed")
      /// A damaged file was opened, and its intact entries were kept.
      public static let recovered = Kind(name: "recovered")
      /// The file is an older copy than the one that was read before, as after a restored backup.
      public static let olderCopy = Kind(name: "olderCopy")
      /// The file is of another store than the one that was read before.
      public static let otherStore = Kind(name: "otherStore")
      /// The store works, but its file is not all that it should be: its group could not be kept, or it could not be
      /// excluded from backups.
      public static let concession = Kind(name: "concession")
      /// Two declared keys have one name and different types; looked for in debug builds.
      public static let keyClash = Kind(name: "keyClash")
      /// A store was made for a file that another one has open with another configuration, which stays in force.
      public static let configuration = Kind(name: "configuration")
      /// Temporary files of writers that died could not be removed.
      public static let leftovers = Kind(name: "leftovers")
      /// A file that is appended to could not be written anew ahead of time. Nothing is lost; the commit that
      /// cannot do without tries again, and throws where it fails, too.
      public static let compactionFailed = Kind(name: "compactionFailed")

      /// The name of the kind, for example `readFailed`.
      public var description: String { name }
    }

    /// What it is about.
    public let kind: Kind

    /// What was noticed, as a sentence without its full stop.
    public let message: String

    /// The error behind it, where there is one.
    public let error: GlobalDataError?

    /// The key of the entry that it is about, where it is about one.
    public let key: String?

    /// The message, and what is known of the error.
    public var description: String { error.map { "\(message): \($0)" } ?? message }
  }
}

/// Hands each of a store's diagnostics once to its handler, or else to the log, and to all listeners.
final class StoreDiagnostics: Sendable {
  private struct State {
    var given: Set<String> = []
    var listeners: [(identifier: UUID, continuation: AsyncStream<GlobalData.Diagnostic>.Continuation)] = []
    /// The number of holders of a lock that a handler may need.
    var holders = 0
    var waiting: [GlobalData.Diagnostic] = []
  }

  private let state = Locked(State())
  private let handler: @Sendable (GlobalData.Diagnostic) -> Void

  init(handler: (@Sendable (GlobalData.Diagnostic) -> Void)?) {
    self.handler = handler ?? { SystemLog.report("\($0.kind)", "\($0)", from: "GlobalData") }
  }

  /// The number of distinct diagnostics; those beyond it are dropped.
  private static let capacity = 1000

  func report(_ kind: GlobalData.Diagnostic.Kind, _ message: String, _ error: (any Error)? = nil, key: String? = nil) {
    let diagnostic = GlobalData.Diagnostic(
      kind: kind, message: message, error: error as? GlobalDataError, key: key)
    let isForNow = state.withLock { state in
      guard state.given.count < StoreDiagnostics.capacity, state.given.insert("\(diagnostic)").inserted else {
        return false
      }
      guard state.holders == 0 else {
        state.waiting.append(diagnostic)
        return false
      }
      return true
    }
    if isForNow { give(diagnostic) }
  }

  private func give(_ diagnostic: GlobalData.Diagnostic) {
    handler(diagnostic)
    for (_, listener) in state.withLock({ $0.listeners }) { listener.yield(diagnostic) }
  }

  /// Keeps reports until ``letGo()``: the caller takes a lock, and a handler may read the store.
  func hold() {
    state.withLock { $0.holders += 1 }
  }

  func letGo() {
    let waiting = state.withLock { state in
      state.holders -= 1
      guard state.holders == 0 else { return [GlobalData.Diagnostic]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for diagnostic in waiting { give(diagnostic) }
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

/// The types that a store's keys were declared with, to find names that are declared twice.
final class KeyDeclarations: Sendable {
  private let types = Locked<[String: String]>(.init())

  /// Records the use of a declared key. Returns true, since a clash is no reason to stop: called in `assert` only.
  func notes(_ name: String, as type: Any.Type, _ diagnostics: StoreDiagnostics) -> Bool {
    let type = String(reflecting: type)
    let other: String? = types.withLock { types in
      if let other = types[name], other != type { return other }
      types[name] = type
      return nil
    }
    if let other {
      diagnostics.report(
        .keyClash, "the key \(name.quoted) is declared with the types \(other) and \(type)", key: name)
    }
    return true
  }
}
