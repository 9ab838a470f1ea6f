import Foundation

/// What a store holds in memory: the entries of its file, in the order in which their keys were first set.
///
/// A key is its UTF-8 bytes. Swift takes two texts for equal that are composed differently; so that they cannot be taken
/// for each other, a key that equals another one but has other bytes is refused when it is set.
struct StoreContents: Sendable {
  let identity: UUID
  /// Grows by one with each commit.
  private(set) var generation: UInt64
  /// The entries by position; a removed one leaves a gap until enough have gathered.
  private var entries: [StoredEntry?]
  private var positions: [String: Int]
  /// What the file looked like when it was read or written last.
  var stamp: FileStamp?
  /// Where the file can be appended to; `nil` where it has to be written anew.
  private(set) var appendPoint: AppendPoint?
  /// The bytes of all entries.
  private(set) var recordBytes = 0
  /// What the file was found to be. A commit makes it ready.
  private(set) var condition = Condition.ready

  enum Condition: Hashable, Sendable {
    case absent
    case ready
    /// The entries are the intact ones of a file that has to be set aside before it is replaced.
    case damaged
    /// The entries are what could be read of a newer version's file.
    case newer(version: UInt64)
  }

  /// A store that has no file yet, or none at all.
  init(_ condition: Condition) {
    self.condition = condition
    identity = UUID()
    generation = 0
    entries = []
    positions = [:]
  }

  init(_ image: ArchiveImage, _ condition: Condition, stamp: FileStamp?, appendPoint: AppendPoint? = nil) {
    self.condition = condition
    self.appendPoint = appendPoint
    identity = image.identity
    generation = image.generation
    entries = image.entries
    positions = Dictionary(image.entries.enumerated().map { ($1.key, $0) }) { first, _ in first }
    self.stamp = stamp
    recordBytes = entries.reduce(0) { $0 + ($1?.record.count ?? 0) }
  }

  var isEmpty: Bool { positions.isEmpty }

  /// The entries in the order in which their keys were first set.
  var allEntries: [StoredEntry] { entries.compactMap { $0 } }

  /// Makes a change that was appended to the file.
  mutating func apply(_ change: ArchiveChange) {
    for key in change.removedKeys { remove(key) }
    for entry in change.entries { set(entry) }
    generation = change.generation
  }

  /// The keys in the order in which they were first set.
  var keys: [String] { entries.compactMap { $0?.key } }

  subscript(key: String) -> StoredEntry? {
    positions[key].flatMap { entries[$0] }
  }

  func contains(_ key: String) -> Bool {
    positions[key] != nil
  }

  /// Refuses a key that Swift takes for another one that is there.
  func checkSpelling(of key: String, in url: URL?) throws(GlobalDataError) {
    if let other = self[key]?.key, !other.utf8.elementsEqual(key.utf8) {
      throw GlobalDataError.ambiguousKey(key, in: url)
    }
  }

  /// The entries after a draft's changes, in order: those that stay, then those that are new.
  func entries(applying draft: StoreDraft) -> [StoredEntry] {
    var result: [StoredEntry] = []
    result.reserveCapacity(entries.count + draft.changes.count)
    for case let entry? in entries {
      switch draft.changes[entry.key] {
      case .set(let newEntry): result.append(newEntry)
      case .remove: break
      case nil: if draft.keeps(entry.key) { result.append(entry) }
      }
    }
    for key in draft.order where positions[key] == nil {
      if case .set(let entry) = draft.changes[key] { result.append(entry) }
    }
    return result
  }

  /// Makes a draft's changes, once the file has them.
  ///
  /// - Complexity: O(*m*) in the number of changes; O(*n*) in the number of entries for a draft that clears.
  mutating func apply(_ draft: StoreDraft, stamp: FileStamp?, appendPoint: AppendPoint? = nil) {
    if draft.clearsOthers {
      for key in keys where draft.changes[key] == nil && !draft.keeps(key) { remove(key) }
    }
    for key in draft.order {
      switch draft.changes[key] {
      case .set(let entry): set(entry)
      case .remove: remove(key)
      case nil: break
      }
    }
    generation += 1
    self.stamp = stamp
    self.appendPoint = appendPoint
    condition = .ready
    compactIfNeeded()
  }

  private mutating func set(_ entry: StoredEntry) {
    recordBytes += entry.record.count
    if let position = positions[entry.key] {
      recordBytes -= entries[position]?.record.count ?? 0
      entries[position] = entry
    } else {
      positions[entry.key] = entries.count
      entries.append(entry)
    }
  }

  private mutating func remove(_ key: String) {
    guard let position = positions.removeValue(forKey: key) else { return }
    recordBytes -= entries[position]?.record.count ?? 0
    entries[position] = nil
  }

  private mutating func compactIfNeeded() {
    guard entries.count > 16, entries.count > 2 * positions.count else { return }
    entries = entries.filter { $0 != nil }
    positions = Dictionary(entries.enumerated().map { ($1?.key ?? "", $0) }) { first, _ in first }
  }
}

/// The changes that the next commit will make, on top of what the store holds.
struct StoreDraft: Sendable {
  enum Change: Sendable {
    case set(StoredEntry)
    case remove
  }

  private(set) var changes: [String: Change] = [:]
  /// The keys of the changes, in the order in which they were first changed.
  private(set) var order: [String] = []
  /// Whether all entries go that are neither changed nor kept.
  private(set) var clearsOthers = false
  private var keptKeys: Set<String> = []

  /// Whether nothing is left of what was there before.
  var keepsNothing: Bool { clearsOthers && keptKeys.isEmpty }

  /// Whether nothing at all is left.
  var clearsAll: Bool { keepsNothing && changes.isEmpty }

  func keeps(_ key: String) -> Bool {
    !clearsOthers || keptKeys.contains(key)
  }

  mutating func set(_ entry: StoredEntry) {
    change(entry.key, to: .set(entry))
  }

  mutating func remove(_ key: String) {
    change(key, to: .remove)
  }

  mutating func clear(keeping kept: Set<String>) {
    keptKeys = clearsOthers ? keptKeys.intersection(kept) : kept
    clearsOthers = true
    order.removeAll { !kept.contains($0) }
    changes = changes.filter { kept.contains($0.key) }
  }

  private mutating func change(_ key: String, to change: Change) {
    if changes.updateValue(change, forKey: key) == nil { order.append(key) }
  }
}

extension String {
  /// Whether the text begins with the bytes of another one.
  ///
  /// `hasPrefix` compares characters: a slash before a combining mark is not a slash to it.
  func hasBytes(_ prefix: String) -> Bool {
    utf8.starts(with: prefix.utf8)
  }
}
