import FoundationCore

struct StoreDraft: Sendable {
  enum Edit: Sendable {
    /// Sets an entry in the position of the entry with the same key, or after all others if that entry was removed
    /// before.
    case set(StoredEntry, movesToEnd: Bool)
    case remove
  }

  /// The steps, in the order in which their keys were changed. A key that was removed and then set is included twice.
  /// Its earlier step no longer has a change.
  private var steps: [(key: String, change: Edit?)] = []
  /// The index of each key's step, once there are so many steps that searching all of them takes longer.
  private var places: [String: Int]?
  private(set) var clearsOthers = false
  private var keptKeys: Set<String> = []
  private(set) var clears: [StoreClear] = []

  var isEmpty: Bool { steps.isEmpty && !clearsOthers }

  /// The number of bytes that the draft adds.
  var size: Int {
    steps.reduce(0) { size, step in
      if case .set(let entry, _)? = step.change { size + entry.record.count } else { size }
    }
  }

  var keepsNothing: Bool { clearsOthers && keptKeys.isEmpty }

  var clearsAll: Bool {
    keepsNothing && steps.allSatisfy { if case .set? = $0.change { false } else { true } }
  }

  /// The change of each key, in the order in which the keys were first set or were removed for good.
  var changes: some Sequence<(key: String, change: Edit)> {
    steps.lazy.compactMap { step in step.change.map { (key: step.key, change: $0) } }
  }

  subscript(key: String) -> Edit? { place(of: key).flatMap { steps[$0].change } }

  func keeps(_ key: String) -> Bool {
    !clearsOthers || keptKeys.contains(key)
  }

  /// Returns whether a clear in the draft removes a change to a key. Such a change was requested before the clear but
  /// is applied after it.
  func takesAway(_ key: String, since number: UInt64) -> Bool {
    clears.contains { $0.takesAway(key, since: number) }
  }

  mutating func clear(_ clear: StoreClear) {
    clears.append(clear)
    self.clear(keeping: clear.keptKeys)
  }

  mutating func set(_ entry: StoredEntry) { set(entry, at: place(of: entry.key)) }

  private mutating func set(_ entry: StoredEntry, at place: Int?) {
    let movesToEnd =
      switch place.flatMap({ steps[$0].change }) {
      case .set(_, let movesToEnd): movesToEnd
      case .remove: true
      case nil: !keeps(entry.key)
      }
    change(entry.key, at: place, to: .set(entry, movesToEnd: movesToEnd))
  }

  /// Sets an entry. Throws if an equal key with different bytes exists or was set before.
  mutating func set(_ entry: StoredEntry, on contents: StoreContents, in url: URL?) throws(GlobalDataError) {
    let place = place(of: entry.key)
    try checkSpelling(of: entry, at: place, on: contents, in: url)
    set(entry, at: place)
  }

  private func checkSpelling(
    of entry: StoredEntry, at place: Int?, on contents: StoreContents, in url: URL?
  ) throws(GlobalDataError) {
    if contents.hasOtherSpelling(of: entry.key) { throw .ambiguousKey(entry.key, in: url) }
    if let place, case .set(let other, _)? = steps[place].change, !other.key.utf8.elementsEqual(entry.key.utf8) {
      throw .ambiguousKey(entry.key, in: url)
    }
  }

  mutating func remove(_ key: String) {
    change(key, at: place(of: key), to: .remove)
  }

  /// Applies the changes of another draft after those of this one. Throws like ``set(_:on:in:)``.
  mutating func apply(_ other: StoreDraft, on contents: StoreContents, in url: URL?) throws(GlobalDataError) {
    // Check all keys first, so that either all changes apply or none do. This way, the existing changes need not be
    // copied.
    for case (_, .set(let entry, _)) in other.changes {
      try checkSpelling(of: entry, at: place(of: entry.key), on: contents, in: url)
    }
    if isEmpty, clears.isEmpty, !other.clearsOthers {
      // There are no earlier changes.
      (steps, places) = (other.steps, other.places)
      return
    }
    if other.clearsOthers { clear(keeping: other.keptKeys) }
    for (key, change) in other.changes {
      switch change {
      case .set(let entry, let movesToEnd):
        if movesToEnd { remove(key) }
        set(entry)
      case .remove: remove(key)
      }
    }
  }

  mutating func clear(keeping kept: Set<String>) {
    keptKeys = clearsOthers ? keptKeys.intersection(kept) : kept
    clearsOthers = true
    steps = steps.filter { $0.change != nil && kept.contains($0.key) }
    if places != nil { findPlaces() }
  }

  private mutating func change(_ key: String, at place: Int?, to change: Edit) {
    if let place {
      guard case (.remove?, .set) = (steps[place].change, change) else {
        steps[place].change = change
        return
      }
      steps[place].change = nil  // A key that is set again follows the keys that were set in between.
    }
    steps.append((key, change))
    if places != nil {
      places?[key] = steps.count - 1
    } else if steps.count > 8 {
      findPlaces()
    }
  }

  private func place(of key: String) -> Int? {
    if let places { return places[key] }
    return steps.firstIndex { $0.change != nil && $0.key == key }
  }

  private mutating func findPlaces() {
    var places: [String: Int] = .init()
    for (place, step) in steps.enumerated() where step.change != nil { places[step.key] = place }
    self.places = places
  }
}
