import KeyedArchive

/// The records that were lost to damage, as far as they are known.
///
/// Losses are recorded in the order of the file. A later record of a key makes up for an earlier loss.
struct LostRecords: ~Copyable {
  /// The keys whose newest record is lost.
  private var keys: Set<String> = []
  /// The keys in `keys`, and perhaps others, in the order in which they were lost.
  private var order: [String] = []
  private var unnamedCount: UInt64 = 0
  /// Whether a lost record may have changed any key.
  private var isAnyKeySuspect = false
  private var freshKeys: Set<String> = []

  struct Result: Equatable, Sendable {
    var lostKeys: [String] = []
    /// The keys whose value may be outdated or should have been removed.
    var outdatedKeys: [String] = []
    /// The number of lost records. Includes records whose keys cannot be read. Excludes records whose loss leaves an
    /// older value.
    var lostCount = 0
  }

  var isEmpty: Bool { keys.isEmpty && unnamedCount == 0 && !isAnyKeySuspect }

  mutating func lose(_ key: String) {
    if keys.insert(key).inserted { order.append(key) }
  }

  /// Records the loss of a number of records, as claimed by the file, whose keys cannot be read. If `areChanges` is
  /// true, the records may have changed or removed any key.
  mutating func loseUnnamed(_ count: UInt64, areChanges: Bool) {
    unnamedCount = unnamedCount.addingReportingOverflow(count).overflow ? .max : unnamedCount + count
    guard areChanges else { return }
    isAnyKeySuspect = true
    freshKeys = []
  }

  /// Records that a later record sets or removes the key, so that its loss does not matter.
  mutating func recordLaterChange(of key: String) {
    if !keys.isEmpty { keys.remove(key) }
    if isAnyKeySuspect { freshKeys.insert(key) }
  }

  /// Returns the losses. `limit` is the greatest possible number of records.
  func result(beside entries: EntryTable, limit: Int) -> Result {
    var (result, rest) = (Result(), keys)
    for key in order where rest.remove(key) != nil && !entries.contains(key) { result.lostKeys.append(key) }
    if isAnyKeySuspect || !keys.isEmpty {
      result.outdatedKeys = entries.keys.filter { key in
        keys.contains(key) || isAnyKeySuspect && !freshKeys.contains(key)
      }
    }
    let unnamed = min(unnamedCount, UInt64(max(0, limit - result.lostKeys.count)))
    result.lostCount = result.lostKeys.count + Int(truncatingIfNeeded: unnamed)
    return result
  }
}
