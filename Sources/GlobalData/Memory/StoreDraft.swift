import FoundationCore

/// Changes that are not in a file yet: those of an update's closure, or those of all tickets of a commit.
struct StoreDraft: Sendable {
  enum Edit: Sendable {
    /// Sets an entry in the position of the entry with the same key, or after all others if that entry was removed
    /// before.
    case set(StoredEntry, movesToEnd: Bool)
    case remove(String)

    var key: String {
      switch self {
      case .set(let entry, _): entry.key
      case .remove(let key): key
      }
    }
  }

  /// The change of each key, in the order in which the keys were first set or were removed for good. A key that was
  /// removed and then set leaves `nil` in its earlier position.
  private(set) var edits: [Edit?] = []
  /// The position of each key's edit, once there are so many edits that searching all of them takes longer.
  private var positions: [String: Int]?
  private(set) var clearsOthers = false
  private var keptKeys: Set<String> = []
  private(set) var clears: [StoreClear] = []

  var isEmpty: Bool { edits.isEmpty && !clearsOthers }

  /// The number of bytes that the draft adds.
  var size: Int {
    edits.reduce(0) { size, edit in
      if case .set(let entry, _)? = edit { size + entry.record.count } else { size }
    }
  }

  var keepsNothing: Bool { clearsOthers && keptKeys.isEmpty }

  var clearsAll: Bool {
    keepsNothing && edits.allSatisfy { if case .set? = $0 { false } else { true } }
  }

  subscript(key: String) -> Edit? { position(of: key).flatMap { edits[$0] } }

  func keeps(_ key: String) -> Bool { !clearsOthers || keptKeys.contains(key) }

  /// Returns whether a clear in the draft removes a change to a key. Such a change was requested before the clear but
  /// is applied after it.
  func removesChange(of key: String, since number: UInt64) -> Bool {
    clears.contains { $0.removesChange(of: key, since: number) }
  }

  mutating func clear(_ clear: StoreClear) {
    clears.append(clear)
    self.clear(keeping: clear.keptKeys)
  }

  /// Records the clear of an update's draft, if there is one, with the update's number. Removes nothing.
  mutating func recordClear(of update: StoreDraft, number: UInt64) {
    if update.clearsOthers { clears.append(StoreClear(number: number, keptKeys: update.keptKeys)) }
  }

  /// Reserves space for a number of changes, if they are most of all.
  mutating func reserve(_ count: Int) {
    guard count > max(edits.count, StoreDraft.mostToSearch) else { return }
    edits.reserveCapacity(edits.count + count)
    findPositions(reserving: count)
  }

  mutating func set(_ entry: StoredEntry) { set(entry, at: position(of: entry.key)) }

  /// Sets an entry whose key has no change yet.
  mutating func insert(_ entry: StoredEntry) { set(entry, at: nil) }

  private mutating func set(_ entry: StoredEntry, at position: Int?) {
    let movesToEnd =
      switch position.flatMap({ edits[$0] }) {
      case .set(_, let movesToEnd): movesToEnd
      case .remove: true
      case nil: !keeps(entry.key)
      }
    change(at: position, to: .set(entry, movesToEnd: movesToEnd))
  }

  /// Sets an entry. Throws if an equal key with different bytes exists, or was set before, and was not removed since.
  mutating func set(_ entry: StoredEntry, on contents: StoreContents, in url: URL?) throws(GlobalDataError) {
    let position = position(of: entry.key)
    try checkSpelling(of: entry, at: position, on: contents, in: url)
    set(entry, at: position)
  }

  func checkSpelling(of entry: StoredEntry, on contents: StoreContents, in url: URL?) throws(GlobalDataError) {
    try checkSpelling(of: entry, at: position(of: entry.key), on: contents, in: url)
  }

  private func checkSpelling(
    of entry: StoredEntry, at position: Int?, on contents: StoreContents, in url: URL?
  ) throws(GlobalDataError) {
    let isAmbiguous =
      switch position.flatMap({ edits[$0] }) {
      case .set(let other, _): ExactText(other.key) != ExactText(entry.key)
      case .remove: false
      case nil: keeps(entry.key) && contents.entries.hasOtherSpelling(of: entry.key)
      }
    if isAmbiguous { throw .ambiguousKey(entry.key, in: url) }
  }

  mutating func remove(_ key: String) { change(at: position(of: key), to: .remove(key)) }

  /// Applies the changes of another draft after those of this one. Throws like ``set(_:on:in:)``.
  mutating func apply(_ other: StoreDraft, on contents: StoreContents, in url: URL?) throws(GlobalDataError) {
    // Check all keys first, so that either all changes apply or none do. This way, the existing changes need not be
    // copied. An entry that moves to the end replaces one that was removed.
    for case .set(let entry, false)? in other.edits {
      try checkSpelling(of: entry, on: contents, in: url)
    }
    if isEmpty, !other.clearsOthers {
      // There are no earlier changes.
      (edits, positions) = (other.edits, other.positions)
      return
    }
    if other.clearsOthers { clear(keeping: other.keptKeys) }
    for case let edit? in other.edits {
      switch edit {
      case .set(let entry, let movesToEnd):
        if movesToEnd { remove(entry.key) }
        set(entry)
      case .remove(let key): remove(key)
      }
    }
  }

  mutating func clear(keeping kept: Set<String>) {
    if clearsOthers {
      for key in keptKeys where !kept.contains(key) { keptKeys.remove(key) }
    } else {
      (clearsOthers, keptKeys) = (true, kept)
    }
    edits = edits.filter { $0.map { kept.contains($0.key) } ?? false }
    if positions != nil { findPositions() }
  }

  private mutating func change(at position: Int?, to change: Edit) {
    if let position, let earlier = edits[position] {
      switch (earlier, change) {
      case (.remove, .set):
        // A key that is set again follows the keys that were set in between.
        edits[position] = nil
      case (.set, .remove), (.remove, .remove):
        edits[position] = .remove(earlier.key)
        return
      case (.set, .set):
        edits[position] = change
        return
      }
    }
    if positions == nil, edits.count >= StoreDraft.mostToSearch { findPositions() }
    positions?[change.key] = edits.count
    edits.append(change)
  }

  /// The greatest number of edits that are searched one by one.
  private static let mostToSearch = 8

  @inline(never)
  private func position(of key: String) -> Int? {
    if let positions { return positions[key] }
    return edits.firstIndex { $0?.key == key }
  }

  private mutating func findPositions(reserving more: Int = 0) {
    var positions: [String: Int] = .init(minimumCapacity: edits.count + more)
    for case (let position, let edit?) in edits.enumerated() { positions[edit.key] = position }
    self.positions = positions
  }
}
