import FoundationCore

extension GlobalData {
  /// What a store held at one moment. It does not change, and needs neither the store nor its file.
  ///
  /// ```swift
  /// let before = try store.snapshot()
  /// try await store.removeObject(forKey: "draft")
  /// try await store.restore(before)
  /// ```
  ///
  /// Taking one is O(1): it shares its values with the store. While it is kept, the store's next write copies its table
  /// of entries, some 40 bytes for each entry, and values that the store replaces stay in memory.
  public struct Snapshot: Sendable {
    /// In a class, so that a snapshot is one reference wherever it is kept.
    private final class Kept: Sendable {
      let contents: StoreContents
      /// How the store decodes. It has no file.
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
    var configuration: Configuration { reader.configuration }
    var url: URL? { reader.location.url }

    /// The keys that have a value, in the order in which they were first set.
    ///
    /// - Complexity: O(*n*) in the number of entries.
    public var allKeys: [String] { kept.contents.keys }

    /// Whether there is a value under a key.
    public func contains(_ key: String) -> Bool { kept.contents.contains(key) }

    /// The type and size of an entry, which is not decoded; `nil` when there is none.
    public func entry(forKey key: String) -> EntryInfo? {
      kept.contents[key].map { EntryInfo($0, registry: configuration.registry) }
    }

    /// The value under a key as what it was when it was set, or `nil` when there is none.
    ///
    /// - Throws: ``GlobalDataError`` when there is a value that cannot be made.
    /// - Complexity: O(*n*) in the size of the value.
    public func object(forKey key: String) throws -> (any Sendable)? {
      try kept.contents[key]?.object(configuration, in: url)
    }

    /// The value under a key, as a type that the caller names, or `nil` when there is none.
    ///
    /// - Throws: ``GlobalDataError`` when there is a value of another type.
    /// - Complexity: O(*n*) in the size of the value.
    public func object<Value: Codable>(_ type: Value.Type, forKey key: String) throws -> Value? {
      try kept.contents[key]?.decode(type, configuration, in: url).value
    }

    /// The value of a declared key, or its default where none is set or it cannot be read; the store's `diagnostics`
    /// says so.
    ///
    /// - Complexity: O(*n*) in the size of the value.
    public subscript<Value>(key: Key<Value>) -> Value {
      do {
        return try object(Value.self, forKey: key.name) ?? key.defaultValue
      } catch {
        report(key.name, error)
        return key.defaultValue
      }
    }

    /// The collection of a type's elements in the snapshot.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - name: The name of the collection; by default the type's archive tag.
    /// - Returns: The collection, which is part of the snapshot.
    public func collection<Element: Identifiable & Codable>(
      of type: Element.Type, named name: String? = nil
    ) -> SnapshotCollection<Element> {
      SnapshotCollection(name ?? configuration.registry.tag(for: type).name, in: self)
    }

    /// What changed from an earlier snapshot to this one. Its origin is `comparison`: who made the changes is not
    /// known.
    ///
    /// - Complexity: O(*n*) in the number of entries. Bytes are compared only where checksums are equal.
    public func changes(since earlier: Snapshot) -> Change {
      let keys = earlier.contents.keysChanged(to: contents)
      var old: [String: StoredEntry] = [:]
      for key in keys { old[key] = earlier.kept.contents[key] }
      let removed = keys.filter { !kept.contents.contains($0) }
      return Change(keys: keys, removed: removed, origin: .comparison, old: old, reader)
    }

    func report(_ key: String, _ error: any Error) {
      reader.diagnostics.report(
        .readFailed, "the value under the key \(key.quoted) of a snapshot could not be read", error)
    }
  }
}
