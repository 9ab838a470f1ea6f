import FoundationCore

extension GlobalData {
  /// A change in a store that was made by a commit or by another process.
  public struct Change: Hashable, Sendable {
    /// The origin of a change.
    public enum Origin: String, Hashable, Sendable, CaseIterable {
      /// A write through this store, or through another store in this process at the same path.
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

    /// The keys whose values were set, changed, or removed.
    public private(set) var keys: Set<String>

    /// The keys that no longer have a value.
    public private(set) var removedKeys: Set<String>

    /// The keys that have a new value.
    @_alwaysEmitIntoClient
    public var setKeys: Set<String> { keys.filter { !removedKeys.contains($0) } }

    /// The origin of the change.
    public let origin: Origin

    private var oldEntries: [String: StoredEntry]
    /// The reader that decodes values as the changed store does.
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

    /// Returns the value for a key before the change, decoded as the given type. Returns `nil` if there was no value,
    /// or if the change does not affect this key.
    ///
    /// - Throws: ``GlobalDataError`` if there was a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func oldValue<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      guard let entry = oldEntries[key], let reader else { return nil }
      return try entry.decode(type, reader.configuration, in: reader.location.url).value
    }

    /// Returns the value of a declared key before the change, or the key's default if there was no value.
    ///
    /// - Throws: ``GlobalDataError`` if there was a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func oldValue<Value>(for key: Key<Value>) throws -> Value {
      try oldValue(Value.self, forKey: key.name) ?? key.defaultValue
    }

    /// Returns whether two changes have the same keys and the same origin.
    public static func == (one: Change, other: Change) -> Bool {
      one.keys == other.keys && one.removedKeys == other.removedKeys && one.origin == other.origin
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(keys)
      hasher.combine(origin)
    }

    /// Merges a later change into this one, in O(*m*) in the number of keys of the later change.
    mutating func merge(_ later: Change) {
      for key in later.keys where keys.insert(key).inserted {
        if let entry = later.oldEntries[key] { oldEntries[key] = entry }
      }
      for key in later.keys { removedKeys.remove(key) }
      for key in later.removedKeys { removedKeys.insert(key) }
    }
  }
}
