import FoundationCore

extension GlobalData {
  /// What a commit, or another process, changed in a store.
  public struct Change: Hashable, Sendable {
    /// Who made a change.
    public enum Origin: String, Hashable, Sendable, CaseIterable {
      /// A write through this store, or another one of this process at the same place.
      case thisStore
      /// Another process wrote the file.
      case otherProcess
      /// The store was cleared.
      case clear
      /// A damaged file was recovered.
      case recovery
      /// A snapshot or a backup was restored.
      case restore
      /// Two snapshots were compared.
      case comparison
    }

    /// The keys whose values were set, changed or removed.
    public private(set) var keys: Set<String>

    /// The keys that have no value any more.
    public private(set) var removedKeys: Set<String>

    /// The keys that have a new value.
    public var setKeys: Set<String> { keys.filter { !removedKeys.contains($0) } }

    /// Who made the change.
    public let origin: Origin

    private var oldEntries: [String: StoredEntry]
    /// How the store that was changed decodes.
    private let reader: StoreReader?

    init(keys: Set<String>, removed: Set<String> = [], origin: Origin) {
      (self.keys, removedKeys, self.origin) = (keys, removed, origin)
      (oldEntries, reader) = (.init(), nil)
    }

    init(
      keys: Set<String>, removed: Set<String>, origin: Origin, old: [String: StoredEntry], _ reader: StoreReader
    ) {
      (self.keys, removedKeys, self.origin) = (keys, removed, origin)
      (oldEntries, self.reader) = (old, reader)
    }

    /// The value that was under a key before the change, as a type that the caller names; `nil` where there was none,
    /// or where the change is not of this key.
    ///
    /// - Throws: ``GlobalDataError`` when there was a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func oldValue<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      guard let entry = oldEntries[key], let reader else { return nil }
      return try entry.decode(type, reader.configuration, in: reader.location.url).value
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

    /// Takes O(*m*) in the number of keys of the later change.
    mutating func merge(_ later: Change) {
      for key in later.keys where keys.insert(key).inserted {
        if let entry = later.oldEntries[key] { oldEntries[key] = entry }
      }
      for key in later.keys { removedKeys.remove(key) }
      for key in later.removedKeys { removedKeys.insert(key) }
    }
  }
}
