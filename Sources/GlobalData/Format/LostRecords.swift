/// The records that damage has cost, as far as they can be known.
///
/// Losses are recorded in the order of the file, so that what a later record says of a key makes an earlier loss good.
struct LostRecords {
  /// The keys whose newest record is lost.
  private var keys: Set<String> = []
  /// The keys above, and perhaps others, in the order in which they were lost.
  private var order: [String] = []
  /// The number of lost records whose keys cannot be read.
  private var unnamedCount: UInt64 = 0
  /// Whether a record was lost that may have changed any key.
  private var isAnyKeySuspect = false
  /// The keys that were set since then.
  private var freshKeys: Set<String> = []

  /// Which keys are not what they were.
  struct Result: Hashable, Sendable {
    /// The keys that have no value any more.
    var lostKeys: [String] = []
    /// The keys whose value may be an older one, or should be gone.
    var outdatedKeys: [String] = []
    /// The number of records that are lost and leave no older value, with those whose keys cannot be read.
    var lostCount = 0
  }

  var isEmpty: Bool { keys.isEmpty && unnamedCount == 0 && !isAnyKeySuspect }

  /// Records the loss of what a file said of a key.
  mutating func lose(_ key: String) {
    if keys.insert(key).inserted { order.append(key) }
    freshKeys.remove(key)
  }

  /// Records the loss of records whose keys cannot be read: as many as the file claims. With `areChanges` they may have
  /// changed or removed any key.
  mutating func loseUnnamed(_ count: UInt64, areChanges: Bool) {
    unnamedCount = unnamedCount.addingReportingOverflow(count).overflow ? .max : unnamedCount + count
    guard areChanges else { return }
    isAnyKeySuspect = true
    freshKeys = []
  }

  /// Forgets the loss of a key that a later record sets or removes.
  mutating func makeGood(_ key: String) {
    if !keys.isEmpty { keys.remove(key) }
    if isAnyKeySuspect { freshKeys.insert(key) }
  }

  /// The losses, beside the entries that are left. There can have been `limit` records at most.
  func result(beside entries: EntryTable, limit: Int) -> Result {
    var (result, rest) = (Result(), keys)
    for key in order where rest.remove(key) != nil && !entries.contains(key) { result.lostKeys.append(key) }
    if isAnyKeySuspect || !keys.isEmpty {
      result.outdatedKeys = entries.map { $0.key }.filter { key in
        keys.contains(key) || isAnyKeySuspect && !freshKeys.contains(key)
      }
    }
    let unnamed = min(unnamedCount, UInt64(max(0, limit - result.lostKeys.count)))
    result.lostCount = result.lostKeys.count + Int(truncatingIfNeeded: unnamed)
    return result
  }
}
