import CodingSupport
import FoundationCore

extension GlobalData {
  /// A view of a store in which several changes are made as one. See `update(_:)`.
  ///
  /// A transaction reads the contents of the store, including the results of all calls before the update, with the
  /// transaction's own changes so far. The changes reach the store only when the update is complete. If the update
  /// throws, they are discarded.
  public struct Transaction {
    private let log: ReadLog
    private(set) var draft = StoreDraft()
    /// Memory for the entries after the first one. A single entry has its own.
    private lazy var records = RecordMemory()
    /// Values returned by subscripts that may contain class instances, which the closure can change without setting the
    /// values. Also includes values whose types are found by name.
    private var handedOut = HandedOutValues()
    /// The first error of a subscript or a method that cannot throw. The update throws this error.
    var failure: (any Error)?

    init(on base: consuming DraftedContents, _ configuration: Configuration, _ engine: StoreEngine) {
      log = ReadLog(base, configuration, engine)
    }

    private var memory: StoreMemory { log.engine.memory }
    private var configuration: Configuration { log.configuration }
    var url: URL? { log.url }

    var update: StoreUpdate { StoreUpdate(draft: draft, basis: log.basis) }

    // MARK: Reading

    /// Returns the value under a key, with the type that it was set with, or `nil` if there is no value.
    ///
    /// - Throws: ``GlobalDataError`` if the value cannot be created.
    public func object(forKey key: String) throws -> (any Sendable)? {
      try checkKey(key)
      return try currentEntry(forKey: key)?.object(configuration, in: url)
    }

    /// Returns the value under a key, as a type that the caller names, or `nil` if there is no value.
    ///
    /// - Throws: ``GlobalDataError`` if the value has another type.
    public func object<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      try object(type, forKey: key, .onMainThread)
    }

    /// Returns the value under a key, as a type that the caller names, or `nil` if there is no value.
    ///
    /// - Throws: ``GlobalDataError`` if the value has another type.
    public func object<Value: Codable & Sendable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      try object(type, forKey: key, .anywhere)
    }

    func object<Value: Codable>(_ type: Value.Type, forKey key: String, _ reuse: Reuse) throws -> Value? {
      try read(type, forKey: key, reuse)?.value
    }

    /// Returns the value, and whether later reads may reuse it.
    func read<Value: Codable>(
      _ type: Value.Type, forKey key: String, _ reuse: Reuse
    ) throws -> (value: Value, isRepeatable: Bool)? {
      try checkKey(key)
      return try currentEntry(forKey: key).map { try memory.value(type, of: $0, configuration, reuse) }
    }

    /// Returns the elements of a collection, whose keys are known, if the closure has changed nothing yet, and readers
    /// see the same elements. These are decoded once and kept, and need not be looked up one by one. Otherwise, returns
    /// `nil`.
    func keptElements<Element>(of collection: ModelCollection<Element>, _ keys: [String]) throws -> [Element]? {
      guard draft.isEmpty, handedOut.isEmpty, let version = log.base.version else { return nil }
      // An element that cannot be read is missing here. Looked up by itself, it throws.
      let elements = try memory.elements(
        Element.self, withPrefix: collection.prefix, configuration, collection.reuse
      ) { _, _ in }
      // No version comes back, so readers saw these contents while the elements were read, too.
      guard elements.count == keys.count, try memory.withContents({ $0.version == version }) else {
        return nil
      }
      log.recordEntries(forKeys: keys)
      return elements
    }

    /// Returns whether there is a value under a key.
    public func contains(_ key: String) -> Bool {
      // If the changed value cannot be encoded, the update fails when its closure returns.
      entry(forKey: key) != nil || (try? handedOut[key]?.changed()) != nil
    }

    /// The keys that have a value, in the order in which they were first set.
    public var allKeys: [String] {
      do {
        return try keys(withPrefix: "")
      } catch {
        log.engine.diagnostics.report(.readFailed, "the keys could not be read", error)
        return log.base.allKeys
      }
    }

    /// Returns the keys with the given prefix, which ends at its first slash or is empty.
    func keys(withPrefix prefix: String) throws -> [String] {
      log.record(try log.base.keys(withPrefix: prefix, memory), withPrefix: prefix)
      var all = DraftedContents(contents: log.base.contents, draft: log.base.draft)
      try all.draft.apply(currentDraft(), on: all.contents, in: url)
      return try all.keys(withPrefix: prefix, memory)
    }

    /// Returns the stored key that Swift considers equal to the given key.
    func storedKey(_ key: String) -> String? { entry(forKey: key)?.key }

    /// Throws an error if the key may not be stored, unless a store with other limits has stored it.
    private func checkKey(_ key: String) throws {
      do {
        try StoredEntry.check(key, configuration.limits)
      } catch {
        guard entry(forKey: key) != nil else { throw error }
      }
    }

    @inline(never)
    private func entry(forKey key: String) -> StoredEntry? {
      switch draft[key] {
      case .set(let entry, _): return entry
      case .remove: return nil
      case nil:
        guard draft.keeps(key) else { return nil }
        let entry = log.base[key]
        log.record(entry, forKey: key)
        return entry
      }
    }

    /// Returns the entry under a key, including the closure's changes to instances that it received.
    private func currentEntry(forKey key: String) throws -> StoredEntry? {
      try handedOut[key]?.changed() ?? entry(forKey: key)
    }

    // MARK: Instances of classes

    /// Returns the value that a subscript returned earlier for a key.
    func handedOut<Value>(forKey key: String) -> Value? {
      // These must be separate expressions, because `nil` can be cast to an optional type.
      guard let handedOut = handedOut[key] else { return nil }
      return handedOut.value as? Value
    }

    /// Records a value whose instances the closure may change.
    mutating func handOut<Value: Codable>(_ value: Value, forKey key: String) throws {
      // Keep the changes to a value that was returned as another type under the same key.
      if let entry = try handedOut[key]?.changed() { try set(entry, forKey: key) }
      let (configuration, url) = (configuration, url)
      handedOut[key] = HandedOutValue(value) {
        try StoredEntry(key: key, configuration, in: url) { try $0.encodeItem(value, $1) }
      }
    }

    mutating func setChangedInstances() throws {
      draft = try currentDraft()
      handedOut = HandedOutValues()
    }

    @inline(never)
    private func currentDraft() throws -> StoreDraft {
      var draft = draft
      for value in handedOut.all {
        if let entry = try value.changed() { try log.put(entry, into: &draft) }
      }
      return draft
    }

    // MARK: Changing

    /// Replaces an entry, unless the entry has changed in the meantime.
    @inline(never)
    mutating func replace(_ entry: StoredEntry, with newEntry: StoredEntry) {
      guard self.entry(forKey: entry.key)?.record == entry.record else { return }
      draft.set(newEntry)
    }

    /// Stores a value under a key. Setting an optional that is `nil` removes the value.
    ///
    /// - Throws: ``GlobalDataError`` with code `invalidKey` or `encodingFailed`.
    public mutating func set<Value: Codable>(_ value: Value, forKey key: String) throws {
      try set(forKey: key, isNil: isNil(value)) { try $0.encodeItem(value, $1) }
    }

    /// Stores an array. Without this method, an array literal would be treated as an array of mixed elements.
    ///
    /// - Throws: ``GlobalDataError`` with code `invalidKey` or `encodingFailed`.
    public mutating func set<Element: Codable>(_ elements: [Element], forKey key: String) throws {
      try set(forKey: key, isNil: false) { try $0.encodeItem(elements, $1) }
    }

    /// Stores a dictionary. Without this method, a dictionary literal would be treated as a dictionary of mixed values.
    ///
    /// - Throws: ``GlobalDataError`` with code `invalidKey` or `encodingFailed`.
    public mutating func set<Element: Codable>(_ elements: [String: Element], forKey key: String) throws {
      try set(forKey: key, isNil: false) { try $0.encodeItem(elements, $1) }
    }

    /// Stores an array of mixed elements.
    ///
    /// - Throws: ``GlobalDataError``, as the method for `Codable` values does. Also throws if an element, at any depth
    ///   of nested collections, is not `Codable`.
    @_disfavoredOverload
    public mutating func set(_ elements: [any Sendable], forKey key: String) throws {
      try set(forKey: key, isNil: false) { try $0.encodeItem(elements as any Sendable, $1) }
    }

    /// Stores a dictionary of mixed values.
    ///
    /// - Throws: ``GlobalDataError``, as the method for `Codable` values does. Also throws if a value, at any depth of
    ///   nested collections, is not `Codable`.
    @_disfavoredOverload
    public mutating func set(_ elements: [String: any Sendable], forKey key: String) throws {
      try set(forKey: key, isNil: false) { try $0.encodeItem(elements as any Sendable, $1) }
    }

    /// Stores a value whose type is not known statically, unless a clear has removed its key since a call took its
    /// number.
    package mutating func set(anyValue value: any Sendable, forKey key: String, since number: UInt64) throws {
      guard !log.base.isCleared(key, since: number, log.engine.queue) else { return }
      try set(forKey: key, isNil: (value as? any PossiblyNil)?.isNil ?? false) { try $0.encodeItem(value, $1) }
    }

    private dynamic mutating func set(
      forKey key: String, isNil: Bool, encode: (KeyedArchiveEncoder, KeyedArchiveEncoder.ItemReceiver) throws -> Void
    ) throws {
      guard !isNil else { return removeObject(forKey: key) }
      try set(try makeEntry(forKey: key, encode: encode), forKey: key)
    }

    /// Makes room for a number of changes.
    mutating func reserve(_ count: Int) { draft.reserve(count) }

    /// Stores a value under a key that has none. Returns `false`, without a change, if the key has a value. `isNil` is
    /// known to the caller, who need not ask it of each value of a type.
    mutating func insert<Value: Codable>(_ value: Value, forKey key: String, isNil: Bool) throws -> Bool {
      try insert(forKey: key, isNil: isNil) { try $0.encodeItem(value, $1) }
    }

    private dynamic mutating func insert(
      forKey key: String, isNil: Bool, encode: (KeyedArchiveEncoder, KeyedArchiveEncoder.ItemReceiver) throws -> Void
    ) throws -> Bool {
      guard !isNil, handedOut.isEmpty, draft[key] == nil, log.base.isFree(key) else {
        guard !contains(key) else { return false }
        try set(forKey: key, isNil: isNil, encode: encode)
        return true
      }
      if draft.keeps(key) { log.recordInsertion(forKey: key) }
      // There is no equal key with another spelling.
      draft.insert(try makeEntry(forKey: key, encode: encode))
      return true
    }

    private mutating func makeEntry(
      forKey key: String, encode: (KeyedArchiveEncoder, KeyedArchiveEncoder.ItemReceiver) throws -> Void
    ) throws -> StoredEntry {
      try log.makeEntry(forKey: key, draft.isEmpty ? nil : records, encode: encode)
    }

    private mutating func set(_ entry: StoredEntry, forKey key: String) throws {
      do {
        try log.put(entry, into: &draft)
        handedOut[key] = nil
      } catch {
        // The existing key that equals this key counts as read, too.
        log.record(log.base[key], forKey: key)
        throw error
      }
    }

    /// Removes the value under a key. If there is no value, nothing happens.
    ///
    /// If the key is invalid, the whole update fails when its closure returns.
    public mutating func removeObject(forKey key: String) {
      do {
        try checkKey(key)
        handedOut[key] = nil
        draft.remove(key)
      } catch {
        failure = failure ?? error
      }
    }

    /// Removes all values. Those from earlier writes do not reappear after the update.
    @_alwaysEmitIntoClient
    public mutating func clear() { clear(keeping: [String]()) }

    /// Removes all values except those under the given keys.
    public mutating func clear(keeping keys: some Collection<String>) { clear(keeping: Set(keys)) }

    private mutating func clear(keeping keys: Set<String>) {
      handedOut.remove { !keys.contains($0) }
      draft.clear(keeping: keys)
    }

    /// Removes all values except those of the given declared keys.
    @_alwaysEmitIntoClient
    public mutating func clear(keeping keys: [Keys]) { clear(keeping: keys.map(\.name)) }
  }
}

/// The values that the closure of an update received, in the order in which it requested them.
private struct HandedOutValues {
  private var positions: [String: Int] = .init()
  /// `nil` for a value that is no longer needed.
  private var values: [HandedOutValue?] = []

  var all: [HandedOutValue] { values.compactMap { $0 } }

  var isEmpty: Bool { values.isEmpty }

  subscript(key: String) -> HandedOutValue? {
    get { isEmpty ? nil : positions[key].flatMap { values[$0] } }
    set {
      if !positions.isEmpty, let position = positions.removeValue(forKey: key) { values[position] = nil }
      guard let newValue else { return }
      positions[key] = values.count
      values.append(newValue)
    }
  }

  mutating func remove(where isRemoved: (String) -> Bool) {
    for (key, position) in positions where isRemoved(key) { values[position] = nil }
  }
}

/// A value that the closure of an update received, and the state of the value at that time.
private final class HandedOutValue {
  let value: Any
  private let encode: () throws -> StoredEntry
  /// The checksum of the value's entry, or `nil` if the value could not be encoded.
  private let checksum: UInt64?

  init(_ value: Any, encode: @escaping () throws -> StoredEntry) {
    self.value = value
    self.encode = encode
    checksum = try? encode().checksum
  }

  /// Returns the entry for the changed value, or `nil` if the value is unchanged.
  ///
  /// - Throws: The reason why the value can no longer be encoded.
  func changed() throws -> StoredEntry? {
    do {
      let entry = try encode()
      return entry.checksum == checksum ? nil : entry
    } catch {
      // A value that could not be encoded before is not known to have changed.
      guard checksum != nil else { return nil }
      throw error
    }
  }
}
