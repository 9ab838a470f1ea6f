import FoundationCore
import KeyedArchive

extension GlobalData {
  /// The elements of one type in a store, by identifier.
  ///
  /// ```swift
  /// let cars = GlobalData.collection(of: Car.self)
  /// try await cars.insert(car)
  /// try await cars.update(car.id) { $0.isOnline = false }
  /// let fast = cars.filter(#Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.plate)], limit: 10)
  /// ```
  ///
  /// Each element is a separate entry, under the key `NAME/IDENTIFIER`, so changing one element encodes only that
  /// element. Elements keep the order in which they were first inserted. A decoded element is kept in memory and is not
  /// decoded again until it changes. After ``all`` or a query, all decoded elements are kept in one array. Elements
  /// that contain class instances are not kept: each read decodes them again, so that no two readers share an object.
  /// The same applies to elements that are not `Sendable`, read on another thread than the main thread.
  ///
  /// Two identifiers that are not texts, integers or UUIDs are the same if their encodings are: 0.0 and -0.0 differ.
  ///
  /// Reading methods that do not throw omit elements that cannot be read, and the store's `diagnostics` reports them.
  ///
  /// Each writing method makes one commit: all of its changes, or none if it throws. It costs the same as
  /// `GlobalData.update`. A method with a condition, such as `delete(where:)`, also reads all elements.
  public struct ModelCollection<Element: Identifiable & Codable>: Sendable {
    /// The name of the collection, which its keys begin with, in some Unicode spelling.
    public let name: String
    /// The prefix of the elements' keys.
    let prefix: String
    @usableFromInline let store: GlobalData
    let reuse: Reuse

    fileprivate init(_ name: String, in store: GlobalData, _ reuse: Reuse) {
      self.name = name
      self.store = store
      self.reuse = reuse
      prefix = CollectionKeys.prefix(ofCollection: name)
    }

    // MARK: Reading

    /// Accesses the element with an identifier, or `nil` if there is none.
    ///
    /// - Complexity: O(1), plus decoding if the element was not read before. The first lookup after the first reading
    ///   of all elements: O(*n*) in their number.
    public subscript(id: Element.ID) -> Element? {
      do {
        return try element(withID: id)
      } catch {
        store.reportUnreadable(reportedKey(of: id), error)
        return nil
      }
    }

    /// Returns the element with an identifier, or `nil` if there is none.
    ///
    /// - Throws: ``GlobalDataError`` if the element or the store cannot be read, or if the identifier is too long for a
    ///   key.
    public func element(withID id: Element.ID) throws -> Element? {
      try store.object(Element.self, forKey: key(of: id), reuse)
    }

    /// Returns whether there is an element with an identifier.
    ///
    /// - Complexity: O(1).
    public func contains(_ id: Element.ID) -> Bool {
      store.reporting(false) { store.contains(try key(of: id)) }
    }

    /// All elements, in the order of their insertion.
    ///
    /// - Complexity: O(1) if the elements are kept and nothing has changed since the last read. If elements were set or
    ///   added: decoding them, and copying the array if an array returned earlier is still in use. If an element was
    ///   deleted: O(*n*) in the number of elements. The first read decodes all elements, on several processors if they
    ///   are `Sendable`.
    public var all: [Element] {
      store.reporting([]) {
        try store.engine.memory.elements(
          Element.self, withPrefix: prefix, store.configuration, reuse, onFailure: store.reportUnreadable)
      }
    }

    /// The number of elements, including those that cannot be read.
    ///
    /// - Complexity: O(1), except at the first use of the collection: O(*n*) in the number of the store's entries.
    public var count: Int {
      store.reporting(0) { try store.engine.memory.count(withPrefix: prefix) }
    }

    /// Whether there are no elements.
    ///
    /// - Complexity: The same as ``count``.
    @_alwaysEmitIntoClient
    public var isEmpty: Bool { count == 0 }

    /// The elements now, and again after each change of one of them.
    public var updates: Updates<[Element]> {
      Updates(store: store, name: prefix, isAffected: isAffected) { [self] _ in all }
    }

    private func isAffected(by change: Change) -> Bool {
      change.keys.contains { $0.isKey(ofCollection: prefix) }
    }

    /// Returns the key of an element for a diagnostic, or a description of the identifier if it cannot be part of a
    /// key.
    func reportedKey(of id: Element.ID) -> String {
      (try? key(of: id)) ?? "\(prefix)\(id)"  // the diagnostic itself reports the error
    }

    /// Returns the key of an element. Throws `invalidKey` for an identifier that has no meaning after a relaunch.
    func key(of id: Element.ID) throws(GlobalDataError) -> String {
      // Most identifiers are numbers. The dynamic casts for all other types take several times as long.
      if let number = identityCast(id, to: Int.self) { return "\(prefix)\(number)" }
      return try elementKey(of: id, of: Element.self, prefix, store.configuration, in: store.url)
    }
  }

  /// Returns the collection of a type's elements in this store.
  ///
  /// Elements are decoded on the thread that reads them. Elements that were decoded on the main thread are reused for
  /// later reads on that thread.
  ///
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - name: The name of the collection, by default the archive tag of the type. Several collections of one type must
  ///     have different names. Two Unicode spellings of a name are one collection.
  /// - Returns: The collection, whose elements are in the store.
  public nonisolated func collection<Element: Codable>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<Element> {
    ModelCollection(name ?? configuration.registry.tag(for: type).name, in: self, .onMainThread)
  }

  /// Returns the collection of a `Sendable` type's elements in this store. Each element is decoded once, for readers on
  /// all threads.
  ///
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - name: The name of the collection, by default the archive tag of the type. Several collections of one type must
  ///     have different names. Two Unicode spellings of a name are one collection.
  /// - Returns: The collection, whose elements are in the store.
  public nonisolated func collection<Element: Codable & Sendable>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<Element> {
    ModelCollection(name ?? configuration.registry.tag(for: type).name, in: self, .anywhere)
  }

  /// Returns the collection of a type's elements in the current store. See the instance method of the same name.
  @_alwaysEmitIntoClient
  public static func collection<Element: Codable>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<Element> {
    current.collection(of: type, named: name)
  }

  /// Returns the collection of a `Sendable` type's elements in the current store. See the instance method of the same
  /// name.
  @_alwaysEmitIntoClient
  public static func collection<Element: Codable & Sendable>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<Element> {
    current.collection(of: type, named: name)
  }
}

/// Returns the key of an element. Throws `invalidKey` for an identifier that has no meaning after a relaunch.
func elementKey<ID: Hashable>(
  of id: ID, of type: Any.Type, _ prefix: String, _ configuration: GlobalData.Configuration, in url: URL?
) throws(GlobalDataError) -> String {
  guard let text = identifierText(id, configuration) else {
    throw GlobalDataError.unstorableIdentifier(ID.self, of: type, in: url)
  }
  return prefix + text
}

/// Returns the text that represents an identifier in a key: a string or number as it is, anything else as its base64
/// encoding.
///
/// Returns `nil` for an identifier that cannot be encoded, such as the address that a class without its own `id` has.
private func identifierText(_ id: some Hashable, _ configuration: GlobalData.Configuration) -> String? {
  if let text = id as? String { return text }
  if let number = id as? Int { return "\(number)" }
  if let uuid = id as? UUID { return uuid.uuidString }
  if let number = id as? any BinaryInteger { return "\(number)" }
  if let wrapper = id as? any RawRepresentable<String> { return wrapper.rawValue }
  if let wrapper = id as? any RawRepresentable<Int> { return "\(wrapper.rawValue)" }
  guard let id = id as? any Encodable else { return nil }
  let encoder = KeyedArchiveEncoder(registry: configuration.registry, limits: configuration.limits)
  return try? encoder.encode(id).base64EncodedString()  // the caller throws an error with advice
}

extension GlobalData.ModelCollection {
  /// Decodes all elements in slices, so that later reads find them decoded. The caller's actor can do other work
  /// between slices.
  ///
  /// Elements that change during the call are decoded when they are read.
  ///
  /// - Throws: ``GlobalDataError`` if the store cannot be read; `CancellationError` if the task is cancelled. Elements
  ///   decoded before the error remain decoded.
  /// - Complexity: O(*n*) in the number of elements, plus decoding the elements that were not decoded before.
  public func load(isolation: isolated (any Actor)? = #isolation) async throws {
    for (index, key) in try store.engine.memory.keys(withPrefix: prefix).enumerated() {
      if index > 0, index.isMultiple(of: GlobalData.sliceLength) {
        await Task.yield()
        try Task.checkCancellation()
      }
      decode(key)
    }
    _ = all
  }

  /// Decodes all elements off the caller's actor, on all available processors, so that later reads find them decoded.
  ///
  /// ```swift
  /// try await cars.load()  // decodes all elements without blocking the caller's actor
  /// let list = cars.all
  /// ```
  ///
  /// - Throws: ``GlobalDataError`` if the store cannot be read.
  /// - Complexity: O(*n*) in the number of elements, plus decoding the elements that were not decoded before.
  public func load() async throws where Element: Sendable {
    // Loading throws if the store cannot be read, which `all` can only report.
    try store.engine.memory.load()
    _ = all
  }

  /// Decodes an element, so that readers find it decoded. Ignores an element that cannot be decoded: reading it reports
  /// the error. An observed store that was closed in the meantime stays closed.
  func decode(_ key: String) {
    store.engine.memory.withoutOpening {
      do { _ = try store.object(Element.self, forKey: key, reuse) } catch { return }
    }
  }
}

extension GlobalData {
  /// The number of elements that are decoded before other work of an actor gets its turn. Decoding them takes a
  /// fraction of a millisecond.
  static var sliceLength: Int { 32 }
}
