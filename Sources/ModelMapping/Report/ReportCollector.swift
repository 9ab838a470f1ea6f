import CodingSupport

/// Collects what is done to values while models are read by any decoder.
///
/// `decode(json:)` uses one by itself. For another decoder, put one into its `userInfo`:
///
/// ```swift
/// let collector = ReportCollector()
/// decoder.userInfo[.reportCollector] = collector
/// let member = try decoder.decode(Member.self, from: data)
/// print(collector.report)
/// ```
public final class ReportCollector: Sendable {
  private struct State {
    var entries: [DecodingReport.Entry] = []
    var omitted = 0
    /// The nodes of the path that a coder gave last.
    var path: [PathNode] = []
  }

  private let state = Locked(State())
  private let limit: Int

  /// A collector without entries.
  public init() {
    limit = .max
  }

  /// A collector that keeps the first entries and counts the others: a small text may have very many.
  package init(limit: Int) {
    self.limit = limit
  }

  /// What was collected so far.
  public var report: DecodingReport {
    DecodingReport(state.withLock { $0.entries })
  }

  package var omittedCount: Int { state.withLock { $0.omitted } }

  var count: Int { state.withLock { $0.entries.count + $0.omitted } }

  /// Keeps or counts an entry, which is only made if there is room for it.
  package func add(_ entry: () -> DecodingReport.Entry) {
    let hasRoom = state.withLock { state in
      let hasRoom = state.entries.count < limit
      if !hasRoom { state.omitted += 1 }
      return hasRoom
    }
    // What makes an entry is the models' code, and may not run under the lock.
    guard hasRoom else { return }
    let entry = entry()
    state.withLock { $0.entries.append(entry) }
  }

  /// The node of a decoder's path, which shares those of the path before it.
  func node(of codingPath: [any CodingKey]) -> PathNode? {
    state.withLock { PathNode.node(codingPath, after: &$0.path) }
  }

  /// Forgets the last entries, because what they are about is read once more.
  func removeAll(after count: Int) {
    state.withLock { state in
      let surplus = max(0, state.entries.count + state.omitted - count)
      let uncounted = min(surplus, state.omitted)
      state.omitted -= uncounted
      state.entries.removeLast(surplus - uncounted)
    }
  }
}

extension CodingUserInfoKey {
  /// The key of a decoder's `userInfo` under which models find the ``ReportCollector`` to report to.
  public static let reportCollector = CodingUserInfoKey(named: "ModelMapping.reportCollector")
}

/// What the fields of a model have to know about the decoding.
struct DecodingContext {
  let keys: ModelKeys
  let collector: ReportCollector?
  /// Whether the decoder reads JSON exactly, and reports itself what it cannot.
  let isExactJSON: Bool

  init(keys: ModelKeys, collector: ReportCollector?, isExactJSON: Bool) {
    self.keys = keys
    self.collector = collector
    self.isExactJSON = isExactJSON
  }

  init(_ decoder: any Decoder) {
    if let decoder = decoder as? JSONValueDecoder {
      self = decoder.source.context
    } else {
      let userInfo = decoder.userInfo
      self.init(
        keys: ModelKeys(userInfo), collector: userInfo[.reportCollector] as? ReportCollector, isExactJSON: false)
    }
  }

  /// The node of a decoder's path, if anyone wants to know; `nil` also for the top-level value.
  func node(of decoder: any Decoder) -> PathNode? {
    if let decoder = decoder as? JSONValueDecoder { return decoder.path }
    return collector?.node(of: decoder.codingPath)
  }

  /// Whether a value that failed to be read may be left out or replaced where its field asks for that. Only in JSON,
  /// which belongs to others. What is stored is the user's: a value that a later version of the program wrote, or whose
  /// migration failed, would be gone for good with the next write.
  func allowsLoss(over error: any Error) -> Bool {
    keys == .json && !(error is ModelError)
  }

  var mark: Int { collector?.count ?? 0 }

  func forget(since mark: Int) {
    collector?.removeAll(after: mark)
  }

  /// Reports what was done, if anyone wants to know.
  func report(
    _ kind: DecodingReport.Kind, _ path: @autoclosure () -> ValuePath, found: @autoclosure () -> String = "",
    made: @autoclosure () -> String? = nil
  ) {
    guard let collector else { return }
    collector.add { DecodingReport.Entry(kind: kind, path: path(), found: found(), made: made()) }
  }

  /// Reports what was done to all of what a decoder has.
  func report(
    _ kind: DecodingReport.Kind, at decoder: any Decoder, found: @autoclosure () -> String = "",
    made: @autoclosure () -> String? = nil
  ) {
    report(kind, ValuePath(node(of: decoder)), found: found(), made: made())
  }

  /// Reports that a set or dictionary has fewer elements than there were, because some are equal.
  func reportMerging(_ count: Int, into merged: Int, _ path: @autoclosure () -> ValuePath) {
    guard merged < count else { return }
    report(.dropped, path(), found: "\(count - merged) of \(count) elements, which equal others")
  }
}
