import CodingSupport

/// A collector of the findings of models that any decoder reads.
///
/// `decode(json:)` uses one automatically. For another decoder, put one into its `userInfo`:
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
    /// The nodes of the path that a coder passed last.
    var path: [PathNode] = []
  }

  private let state = Locked(State())
  private let limit: Int

  /// Creates a collector without entries.
  public init() { limit = .max }

  /// Creates a collector that keeps the first entries and counts the others, because a small text can have many
  /// entries.
  package init(limit: Int) { self.limit = limit }

  /// The findings so far.
  public var report: DecodingReport { DecodingReport(state.withLock { $0.entries }) }

  package var omittedCount: Int { state.withLock { $0.omitted } }

  var count: Int { state.withLock { $0.entries.count + $0.omitted } }

  /// Keeps or counts an entry, which is only created if there is room for it.
  fileprivate func add(_ entry: () -> DecodingReport.Entry) {
    let hasRoom = state.withLock { state in
      let hasRoom = state.entries.count < limit
      if !hasRoom { state.omitted += 1 }
      return hasRoom
    }
    // Creating an entry runs the models' code, which must not run under the lock.
    guard hasRoom else { return }
    let entry = entry()
    state.withLock { $0.entries.append(entry) }
  }

  /// Returns the node of a decoder's path, which shares nodes with the previous path.
  fileprivate func node(of codingPath: [any CodingKey]) -> PathNode? {
    state.withLock { PathNode.node(codingPath, after: &$0.path) }
  }

  /// Removes the last entries, because their values are read again.
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
  /// The key of a decoder's `userInfo` for the ``ReportCollector`` that models report to.
  public static let reportCollector = CodingUserInfoKey(named: "ModelMapping.reportCollector")
}

/// The state of decoding that fields of a model need.
struct DecodingContext {
  let keys: ModelKeys
  let collector: ReportCollector?
  /// Whether the decoder reads JSON exactly, and reports its own rounding.
  let isExactJSON: Bool
  /// Whether the decoder may want to know the fields that are not read.
  var notesUnreadFields = false
}

extension DecodingContext {
  /// Creates the context of a decoder, which is also passed as `direct` if its fields can be read without a container.
  init(_ decoder: any Decoder, direct: (any TextFieldsDecoder)? = nil) {
    if let direct, direct.isOnlyStorage {
      self.init(keys: .stored, collector: nil, isExactJSON: false)
    } else if let decoder = decoder as? JSONValueDecoder {
      self = decoder.source.context
    } else {
      let userInfo = decoder.userInfo
      self.init(
        keys: userInfo.modelKeys, collector: userInfo[.reportCollector] as? ReportCollector, isExactJSON: false,
        notesUnreadFields: direct != nil)
    }
  }

  /// Returns the node of a decoder's path if there is a report; `nil` also for the top-level value.
  func node(of decoder: any Decoder) -> PathNode? {
    if let decoder = decoder as? JSONValueDecoder { return decoder.path }
    return collector?.node(of: decoder.codingPath)
  }

  /// Returns whether a field may leave out or replace an unreadable value. Only in JSON: the next write would lose a
  /// stored value of a later version, or one whose migration failed.
  func allowsLoss(over error: any Error) -> Bool { keys == .json && !(error is ModelError) }

  var mark: Int { collector?.count ?? 0 }

  func forget(since mark: Int) { collector?.removeAll(after: mark) }

  /// Adds an entry, if there is a report.
  func report(
    _ kind: DecodingReport.Kind, _ path: @autoclosure () -> ValuePath, found: @autoclosure () -> String = "",
    made: @autoclosure () -> String? = nil
  ) {
    guard let collector else { return }
    collector.add { DecodingReport.Entry(kind: kind, path: path(), found: found(), made: made()) }
  }

  /// Adds an entry about the decoder's whole value.
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
