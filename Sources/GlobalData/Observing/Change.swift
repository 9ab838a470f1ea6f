import Foundation

extension GlobalData {
  /// What a commit, or another process, changed in a store.
  public struct Change: Hashable, Sendable {
    /// Who made a change.
    public enum Origin: String, Hashable, Sendable, CaseIterable {
      /// A write through this store, or another one of this process at the same place.
      case thisStore
      /// Another process wrote the file, which was noticed at a write or by `refresh()`.
      case otherProcess
      /// The store was cleared.
      case clear
      /// A damaged file was recovered.
      case recovery
    }

    /// The keys whose values were set, changed or removed.
    public private(set) var keys: Set<String>

    /// The keys that have no value any more.
    public private(set) var removedKeys: Set<String>

    /// The keys that have a new value.
    public var setKeys: Set<String> { keys.subtracting(removedKeys) }

    /// Who made the change.
    public let origin: Origin

    /// What was under the keys before.
    private var oldEntries: [String: StoredEntry]
    /// How the store that was changed decodes.
    private let decoding: (configuration: Configuration, url: URL?)?

    init(keys: Set<String>, removed: Set<String> = [], origin: Origin) {
      (self.keys, removedKeys, self.origin) = (keys, removed, origin)
      (oldEntries, decoding) = ([:], nil)
    }

    init(
      keys: Set<String>, removed: Set<String>, origin: Origin, old: [String: StoredEntry],
      _ configuration: Configuration,
      in url: URL?
    ) {
      (self.keys, removedKeys, self.origin) = (keys, removed, origin)
      (oldEntries, decoding) = (old, (configuration, url))
    }

    /// The value that was under a key before the change, as a type that the caller names; `nil` where there was none, or where the
    /// change is not of this key.
    ///
    /// - Throws: ``GlobalDataError`` when there was a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func oldValue<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      guard let entry = oldEntries[key], let decoding else { return nil }
      return try entry.decode(type, decoding.configuration, in: decoding.url).value
    }

    /// The value of a declared key before the change, or its default where there was none.
    ///
    /// - Throws: ``GlobalDataError`` when there was a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func oldValue<Value>(for key: Key<Value>) throws -> Value {
      try oldValue(Value.self, forKey: key.name) ?? key.defaultValue
    }

    /// Changes are equal when their keys and origins are.
    public static func == (one: Change, other: Change) -> Bool {
      one.keys == other.keys && one.removedKeys == other.removedKeys && one.origin == other.origin
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(keys)
      hasher.combine(origin)
    }

    /// Adds a later change.
    ///
    /// - Complexity: O(*m*) in the number of keys of the later change.
    mutating func merge(_ later: Change) {
      for key in later.keys where keys.insert(key).inserted {
        if let entry = later.oldEntries[key] { oldEntries[key] = entry }
      }
      removedKeys.subtract(later.keys)
      removedKeys.formUnion(later.removedKeys)
    }
  }
}

/// Whoever wants to hear of changes to a store.
final class StoreObservers: Sendable {
  typealias Observer = @Sendable (GlobalData.Change) -> Void

  private struct State {
    var lastNumber: UInt64 = 0
    var observers: [UInt64: Observer] = [:]
  }

  private let state = Locked(State())

  /// Adds an observer, which is called after each change until what is returned is gone.
  func add(_ observer: @escaping Observer) -> Registration {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.observers[state.lastNumber] = observer
      return state.lastNumber
    }
    return Registration(observers: self, number: number)
  }

  /// Keeps an observer as long as it lives.
  final class Registration: Sendable {
    private let observers: StoreObservers
    private let number: UInt64

    fileprivate init(observers: StoreObservers, number: UInt64) {
      self.observers = observers
      self.number = number
    }

    deinit {
      observers.state.withLock { $0.observers[number] = nil }
    }
  }

  var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

  /// Calls all observers, outside of every lock, so that an observer may read and ask for writes.
  func notify(_ change: GlobalData.Change) {
    let observers = state.withLock { Array($0.observers.values) }
    for observer in observers { observer(change) }
  }
}

extension StoreEngine {
  /// The entries that observers may ask for after a change; none where nothing observes.
  ///
  /// - Complexity: O(*m*) in the number of keys.
  func oldEntries(of keys: some Sequence<String>) -> [String: StoredEntry] {
    guard !observers.isEmpty, let contents = knownContents else { return [:] }
    var entries: [String: StoredEntry] = [:]
    for key in keys { entries[key] = contents[key] }
    return entries
  }

  /// Tells observers of a change that readers see now.
  func notifyObservers(
    of keys: Set<String>, _ origin: GlobalData.Change.Origin, old: [String: StoredEntry]
  ) {
    guard !keys.isEmpty, !observers.isEmpty else { return }
    let contents = knownContents
    let removed = keys.filter { contents?.contains($0) != true }
    observers.notify(
      GlobalData.Change(keys: keys, removed: removed, origin: origin, old: old, configuration, in: location.url))
  }
}

extension StoreContents {
  /// The keys whose entries are not the same in other contents.
  ///
  /// - Complexity: O(*n*) in the number of entries; bytes are compared only where checksums are equal.
  func keysChanged(to other: StoreContents) -> Set<String> {
    var changed: Set<String> = []
    for key in keys {
      if let old = self[key], other.holds(old) != true { changed.insert(key) }
    }
    for key in other.keys where !contains(key) { changed.insert(key) }
    return changed
  }
}

/// What a commit does to the keys of a store.
struct KeyChanges: Sendable {
  /// Keys that had no value, in the order of the contents.
  var added: [String] = []
  /// Keys that get another value.
  var replaced: [String] = []
  /// Keys that have no value any more.
  var removed: [String] = []
  /// Keys that keep a value, the same or another one, and come after all others: they were removed and set again.
  var moved: [String] = []
  /// The keys that come after all others, in order: those that were added or moved.
  var appended: [String] = []

  var isEmpty: Bool { added.isEmpty && replaced.isEmpty && removed.isEmpty && moved.isEmpty }

  var keys: Set<String> { Set(added).union(replaced).union(removed).union(moved) }
}

extension StoreDraft {
  /// Returns what the draft does to the keys of contents. What would stay the same is not in it.
  ///
  /// - Complexity: O(*m*) in the number of changes; O(*n*) in the number of entries where it clears or moves any.
  func changes(to contents: StoreContents) -> KeyChanges {
    var result = KeyChanges()
    // Each as it is spelled where it is stored, which may be another spelling than that of the change.
    for (key, change) in changes {
      switch change {
      case .set(let entry, let movesToEnd):
        let isSame = contents.holds(entry)
        if isSame == nil { result.added.append(entry.key) }
        if isSame == false { result.replaced.append(entry.key) }
        if isSame != nil, movesToEnd { result.moved.append(entry.key) }
        if isSame == nil || movesToEnd { result.appended.append(entry.key) }
      case .remove: if let old = contents[key] { result.removed.append(old.key) }
      }
    }
    if clearsOthers {
      for key in contents.keys where self[key] == nil && !keeps(key) { result.removed.append(key) }
    }
    if !result.moved.isEmpty, keepsOrder(of: contents, result) {
      (result.moved, result.appended) = ([], result.added)
    }
    return result
  }

  /// Returns whether the keys that come after all others were the last ones before, in the same order.
  private func keepsOrder(of contents: StoreContents, _ changes: KeyChanges) -> Bool {
    let removed = Set(changes.removed)
    return contents.keys.filter { !removed.contains($0) } + changes.added == contents.entries(applying: self).map(\.key)
  }

  /// Returns the steps that make these changes in a file.
  func steps(_ changes: KeyChanges, on contents: StoreContents) -> [ArchiveChange.Step] {
    let moved = Set(changes.moved)
    var steps: [ArchiveChange.Step] = []
    for (key, change) in self.changes {
      switch change {
      case .set(let entry, _):
        let isMoved = !moved.isEmpty && moved.contains(key)
        if isMoved { steps.append(.remove(key)) }
        if isMoved || contents.holds(entry) != true { steps.append(.set(entry)) }
      case .remove: if let old = contents[key] { steps.append(.remove(old.key)) }
      }
    }
    return steps
  }
}
