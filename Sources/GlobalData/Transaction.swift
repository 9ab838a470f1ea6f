import Foundation

extension GlobalData {
  /// A store while several changes are made to it as one; see `update(_:)`.
  ///
  /// It reads what the store holds and what calls before the update do, with the changes made in it so far. Nothing of it is in the
  /// store before the update is complete, and nothing if it throws.
  public struct Transaction {
    /// What the closure started from.
    private let base: DraftedContents
    private(set) var draft = StoreDraft()
    private let log = ReadLog()
    private let configuration: Configuration
    private let engine: StoreEngine
    /// Why something failed in a place that cannot throw; the update throws it.
    var failure: (any Error)?

    init(on base: DraftedContents, _ configuration: Configuration, _ engine: StoreEngine) {
      self.base = base
      self.configuration = configuration
      self.engine = engine
    }

    private var url: URL? { engine.location.url }

    /// What was read and changed so far.
    var update: StoreUpdate { StoreUpdate(draft: draft, basis: log.basis) }

    // MARK: Reading

    /// The value under a key as what it was when it was set, or `nil` when there is none.
    ///
    /// - Throws: ``GlobalDataError`` when there is a value that cannot be made.
    public func object(forKey key: String) throws -> (any Sendable)? {
      try StoredEntry.check(key, configuration.limits)
      return try entry(forKey: key)?.object(configuration, in: url)
    }

    /// The value under a key, as a type that the caller names, or `nil` when there is none.
    ///
    /// - Throws: ``GlobalDataError`` when there is a value of another type.
    public func object<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      try object(type, forKey: key, .onMainThread)
    }

    /// The value under a key, as a type that the caller names, or `nil` when there is none.
    ///
    /// - Throws: ``GlobalDataError`` when there is a value of another type.
    public func object<Value: Codable & Sendable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      try object(type, forKey: key, .anywhere)
    }

    func object<Value: Codable>(_ type: Value.Type, forKey key: String, _ reuse: Reuse) throws -> Value? {
      try StoredEntry.check(key, configuration.limits)
      return try entry(forKey: key).map { try engine.value(type, of: $0, configuration, reuse) }
    }

    /// Whether there is a value under a key.
    public func contains(_ key: String) -> Bool {
      entry(forKey: key) != nil
    }

    /// The keys that have a value, in the order in which they were first set.
    public var allKeys: [String] {
      var all = base
      do {
        log.record(try base.keys(withPrefix: "", engine), withPrefix: "")
        try all.apply(draft, in: url)
      } catch {
        engine.diagnostics.report(.readFailed, "the keys could not be read", error)
      }
      return all.contents.entries(applying: all.draft).map(\.key)
    }

    /// The keys with a prefix that ends at their first slash, in order.
    func keys(withPrefix prefix: String) throws -> [String] {
      log.record(try base.keys(withPrefix: prefix, engine), withPrefix: prefix)
      var all = base
      try all.apply(draft, in: url)
      return try all.keys(withPrefix: prefix, engine)
    }

    /// The key of an entry that Swift takes for the same key.
    func storedKey(_ key: String) -> String? {
      entry(forKey: key)?.key
    }

    private func entry(forKey key: String) -> StoredEntry? {
      switch draft[key] {
      case .set(let entry, _): return entry
      case .remove: return nil
      case nil:
        guard draft.keeps(key) else { return nil }
        let entry = base[key]
        log.record(entry, forKey: key)
        return entry
      }
    }

    // MARK: Changing

    /// Puts an entry in the place of another one, unless that was changed meanwhile.
    mutating func replace(_ entry: StoredEntry, with newEntry: StoredEntry) {
      guard self.entry(forKey: entry.key)?.record == entry.record else { return }
      draft.set(newEntry)
    }

    /// Stores a value under a key. An optional that is `nil` removes the value.
    ///
    /// - Throws: ``GlobalDataError`` with code `invalidKey` or `encodingFailed`.
    public mutating func set<Value: Codable>(_ value: Value, forKey key: String) throws {
      try set(forKey: key, isNil: isNil(value)) { try $0.encodeItem(value) }
    }

    /// Stores an array. Without this method, a literal would be taken for an array of mixed elements.
    ///
    /// - Throws: ``GlobalDataError`` with code `invalidKey` or `encodingFailed`.
    public mutating func set<Element: Codable>(_ elements: [Element], forKey key: String) throws {
      try set(forKey: key, isNil: false) { try $0.encodeItem(elements) }
    }

    /// Stores a dictionary. Without this method, a literal would be taken for a dictionary of mixed values.
    ///
    /// - Throws: ``GlobalDataError`` with code `invalidKey` or `encodingFailed`.
    public mutating func set<Element: Codable>(_ elements: [String: Element], forKey key: String) throws {
      try set(forKey: key, isNil: false) { try $0.encodeItem(elements) }
    }

    /// Stores an array of mixed elements.
    ///
    /// - Throws: As the method for `Codable` values; also where an element, however deep in a collection, is not `Codable`.
    @_disfavoredOverload
    public mutating func set(_ elements: [any Sendable], forKey key: String) throws {
      try set(forKey: key, isNil: false) { try $0.encodeItem(elements as any Sendable) }
    }

    /// Stores a dictionary of mixed values.
    ///
    /// - Throws: As the method for `Codable` values; also where a value, however deep in a collection, is not `Codable`.
    @_disfavoredOverload
    public mutating func set(_ elements: [String: any Sendable], forKey key: String) throws {
      try set(forKey: key, isNil: false) { try $0.encodeItem(elements as any Sendable) }
    }

    /// Stores a value whose type is not known statically.
    mutating func set(anyValue value: any Sendable, forKey key: String) throws {
      try set(forKey: key, isNil: (value as? any PossiblyNil)?.isNil ?? false) { try $0.encodeItem(value) }
    }

    private mutating func set(
      forKey key: String, isNil: Bool, encode: (KeyedArchiveEncoder) throws -> KeyedArchiveEncoder.Item
    ) throws {
      guard !isNil else { return removeObject(forKey: key) }
      let entry = try StoredEntry(key: key, configuration, in: url, encode: encode)
      do {
        try draft.set(entry, on: base.contents, in: url)
      } catch {
        // The key that this one equals was read, too.
        log.record(base[key], forKey: key)
        throw error
      }
    }

    /// Removes the value under a key. Without a value nothing happens.
    ///
    /// A key that no value can have fails the update as a whole, when its closure returns.
    public mutating func removeObject(forKey key: String) {
      do {
        try StoredEntry.check(key, configuration.limits)
        draft.remove(key)
      } catch {
        failure = failure ?? error
      }
    }

    /// Removes all values.
    public mutating func clear() {
      draft.clear(keeping: [])
    }

    /// Removes all values but those under the keys given.
    public mutating func clear(keeping keys: some Collection<String>) {
      draft.clear(keeping: Set(keys))
    }

    /// Removes all values but those of the declared keys given.
    public mutating func clear(keeping keys: [Keys]) {
      draft.clear(keeping: Set(keys.map(\.name)))
    }
  }
}

extension StoredEntry {
  /// An entry for a value that a function encodes.
  init(
    key: String, _ configuration: GlobalData.Configuration, in url: URL?,
    encode: (KeyedArchiveEncoder) throws -> KeyedArchiveEncoder.Item
  ) throws {
    try StoredEntry.check(key, configuration.limits)
    let encoder = KeyedArchiveEncoder(registry: configuration.registry, limits: configuration.limits)
    do {
      let item = try encode(encoder)
      self.init(key: key, content: item.data, sharesInstances: item.sharesInstances)
    } catch {
      throw GlobalDataError.encoding(error, key: key, in: url)
    }
  }

  /// The value as what it was when it was set.
  func object(_ configuration: GlobalData.Configuration, in url: URL?) throws -> (any Sendable)? {
    do {
      return try decoder(configuration).decode(from: content)
    } catch {
      throw GlobalDataError.decoding(error, key: key, of: self, wanted: nil, in: url)
    }
  }

  /// The value as a type that the caller names, and whether it may stand for what later decodings would give.
  func decode<Value: Codable>(
    _ type: Value.Type, _ configuration: GlobalData.Configuration, in url: URL?
  ) throws -> (value: Value, isRepeatable: Bool) {
    do {
      return try decoder(configuration).decodeNotingRepeatability(type, from: content)
    } catch {
      throw GlobalDataError.decoding(error, key: key, of: self, wanted: type, in: url)
    }
  }

  private func decoder(_ configuration: GlobalData.Configuration) -> KeyedArchiveDecoder {
    KeyedArchiveDecoder(registry: configuration.registry, limits: configuration.limits)
  }
}

/// Whether a value is an optional without one.
func isNil<Value: Codable>(_ value: Value) -> Bool {
  // Asking a value for its type takes as long as encoding a short text, and these are no optionals.
  if SelfDescribingScalars.contains(Value.self) { return false }
  return (value as? any PossiblyNil)?.isNil ?? false
}

/// An optional of any type, asked whether it is `nil`.
private protocol PossiblyNil {
  var isNil: Bool { get }
}

extension Optional: PossiblyNil {
  fileprivate var isNil: Bool { if case .none = self { true } else { false } }
}
