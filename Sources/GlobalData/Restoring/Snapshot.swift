import FoundationCore

extension GlobalData {
  /// The contents of a store at one moment. A snapshot does not change, and needs neither the store nor its file.
  ///
  /// ```swift
  /// let before = try store.snapshot()
  /// try await store.removeObject(forKey: "draft")
  /// try await store.restore(before)
  /// ```
  ///
  /// Taking a snapshot is O(1), because it shares its values with the store. While a snapshot is kept, the store's next
  /// write copies the table of entries, about 40 bytes for each entry, and values that the store replaces stay in
  /// memory.
  public struct Snapshot: Sendable {
    /// The storage of a snapshot. This is a class, so that a snapshot is a single reference wherever it is kept.
    private final class Kept: Sendable {
      let contents: StoreContents
      /// The reader that decodes values as the store does. The reader has no file.
      let reader: StoreReader

      init(_ contents: StoreContents, _ reader: StoreReader) {
        self.contents = contents
        self.reader = reader
      }
    }

    private let kept: Kept

    init(_ contents: StoreContents, of store: GlobalData) {
      let engine = store.engine
      kept = Kept(contents, StoreReader(engine.location, nil, store.configuration, engine.diagnostics))
    }

    var contents: StoreContents { kept.contents }
    private var reader: StoreReader { kept.reader }
    fileprivate var configuration: Configuration { reader.configuration }
    fileprivate var url: URL? { reader.location.url }

    /// The keys that have a value, in the order in which they were first set.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    public var allKeys: [String] { kept.contents.keys }

    /// Returns whether there is a value for a key.
    public func contains(_ key: String) -> Bool { kept.contents.contains(key) }

    /// Returns whether a value is set for a declared key.
    @_alwaysEmitIntoClient
    public func contains<Value>(_ key: Key<Value>) -> Bool { contains(key.name) }

    /// Returns the type and size of an entry without decoding it, or `nil` if there is no entry.
    public func entry(forKey key: String) -> EntryInfo? {
      kept.contents[key].map { EntryInfo($0, registry: configuration.registry) }
    }

    /// Returns the value for a key, with the type that it had when it was set, or `nil` if there is no value.
    ///
    /// - Throws: ``GlobalDataError`` if there is a value that cannot be created.
    /// - Complexity: O(*n*) in the size of the value.
    public func object(forKey key: String) throws -> (any Sendable)? {
      try kept.contents[key]?.object(configuration, in: url)
    }

    /// Returns the value for a key, decoded as the given type, or `nil` if there is no value.
    ///
    /// - Throws: ``GlobalDataError`` if there is a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func object<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      try kept.contents[key]?.decode(type, configuration, in: url).value
    }

    /// Accesses the value of a declared key, or its default if no value is set or the value cannot be read. In the
    /// latter case, the store's `diagnostics` reports the error.
    ///
    /// - Complexity: O(*n*) in the size of the value.
    public subscript<Value>(key: Key<Value>) -> Value {
      do {
        return try value(for: key)
      } catch {
        report(key.name, error)
        return key.defaultValue
      }
    }

    /// Returns the value of a declared key, or its default if no value is set.
    ///
    /// - Throws: ``GlobalDataError`` if there is a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func value<Value>(for key: Key<Value>) throws -> Value {
      try object(Value.self, forKey: key.name) ?? key.defaultValue
    }

    /// Returns the collection of a type's elements in the snapshot.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - name: The name of the collection, by default the archive tag of the type.
    /// - Returns: The collection, which is part of the snapshot.
    public func collection<Element: Identifiable & Codable>(
      of type: Element.Type, named name: String? = nil
    ) -> SnapshotCollection<Element> {
      SnapshotCollection(name ?? configuration.registry.tag(for: type).name, in: self)
    }

    /// Returns the changes from an earlier snapshot to this one. Their origin is `comparison`, because it is not known
    /// who made the changes.
    ///
    /// - Complexity: O(*n*) in the number of entries. Bytes are compared only if checksums are equal.
    public func changes(since earlier: Snapshot) -> Change {
      let keys = earlier.contents.keysChanged(to: contents)
      return Change(
        keys: keys, removed: contents.missing(keys), origin: .comparison, old: earlier.contents.copies(forKeys: keys),
        reader)
    }

    fileprivate func report(_ key: String, _ error: any Error) {
      reader.diagnostics.report(
        .readFailed, "the value under the key \(key.quoted) of a snapshot could not be read", error)
    }
  }

  /// The elements of one type in a snapshot, by identifier. The collection is read-only.
  ///
  /// Every read decodes again, so keep the values that you read more than once. Elements that cannot be read are
  /// omitted, and the store's `diagnostics` reports them.
  public struct SnapshotCollection<Element: Identifiable & Codable>: Sendable {
    /// The name of the collection, which its keys begin with.
    public let name: String
    private let prefix: String
    private let snapshot: Snapshot

    fileprivate init(_ name: String, in snapshot: Snapshot) {
      self.name = name
      self.snapshot = snapshot
      prefix = CollectionKeys.prefix(ofCollection: name)
    }

    /// Accesses the element with an identifier, or `nil` if there is none.
    ///
    /// - Complexity: O(*n*) in the size of the element.
    public subscript(id: Element.ID) -> Element? {
      do {
        return try element(withID: id)
      } catch {
        snapshot.report("\(prefix)\(id)", error)
        return nil
      }
    }

    /// Returns the element with an identifier, or `nil` if there is none.
    ///
    /// - Throws: ``GlobalDataError`` if the element cannot be read.
    public func element(withID id: Element.ID) throws -> Element? {
      try snapshot.object(Element.self, forKey: key(of: id))
    }

    /// Returns whether there is an element with an identifier.
    public func contains(_ id: Element.ID) -> Bool {
      guard let key = try? key(of: id) else { return false }  // No element has an identifier that cannot be stored.
      return snapshot.contains(key)
    }

    /// All elements, in the order of their insertion.
    ///
    /// - Complexity: O(*n*) in the number of the snapshot's entries, plus decoding.
    public var all: [Element] {
      keys.compactMap { key in
        do {
          return try snapshot.object(Element.self, forKey: key)
        } catch {
          snapshot.report(key, error)
          return nil
        }
      }
    }

    /// The number of elements, including those that cannot be read.
    ///
    /// - Complexity: O(*n*) in the number of the snapshot's entries.
    public var count: Int { keys.count }

    /// Whether there are no elements.
    ///
    /// - Complexity: The same as ``count``.
    @_alwaysEmitIntoClient
    public var isEmpty: Bool { count == 0 }

    private var keys: [String] { snapshot.allKeys.filter { $0.isKey(ofCollection: prefix) } }

    private func key(of id: Element.ID) throws(GlobalDataError) -> String {
      try elementKey(of: id, of: Element.self, prefix, snapshot.configuration, in: snapshot.url)
    }
  }
}
