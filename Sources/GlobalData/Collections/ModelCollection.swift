import FoundationCore

extension GlobalData {
  /// The elements of one type that a store holds, by their identifiers.
  ///
  /// ```swift
  /// let cars = GlobalData.collection(of: Car.self)
  /// try await cars.insert(car)
  /// try await cars.update(car.id) { $0.isOnline = false }
  /// let fast = cars.filter(#Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.plate)], limit: 10)
  /// ```
  ///
  /// Each element is an entry of its own, under the key `NAME/IDENTIFIER`: changing one encodes one. Elements keep the
  /// order in which they were first inserted. What was decoded once is kept in memory, and not decoded again until it
  /// changes; after ``all`` or a query, in one array.
  ///
  /// Reading methods that cannot throw leave out what cannot be read; the store's `diagnostics` says so.
  public struct ModelCollection<Element: Identifiable & Codable>: Sendable {
    /// The name of the collection, which its keys begin with.
    public let name: String
    /// The prefix of the elements' keys.
    let prefix: String
    let store: GlobalData
    let reuse: Reuse

    init(_ name: String, in store: GlobalData, _ reuse: Reuse) {
      self.name = name
      self.store = store
      self.reuse = reuse
      prefix = CollectionKeys.prefix(ofCollection: name)
    }

    // MARK: Reading

    /// The element with an identifier, or `nil` when there is none.
    ///
    /// - Complexity: O(1); decoding where the element was not read before.
    public subscript(id: Element.ID) -> Element? {
      do {
        return try element(withID: id)
      } catch {
        store.reportUnreadable("\(prefix)\(id)", error)
        return nil
      }
    }

    /// The element with an identifier, or `nil` when there is none.
    ///
    /// - Throws: ``GlobalDataError`` when there is one that cannot be read, or the store cannot.
    public func element(withID id: Element.ID) throws -> Element? {
      try store.object(Element.self, forKey: key(of: id), reuse)
    }

    /// Whether there is an element with an identifier.
    ///
    /// - Complexity: O(1).
    public func contains(_ id: Element.ID) -> Bool {
      store.reporting(false) { store.contains(try key(of: id)) }
    }

    /// All elements, in the order of their insertion.
    ///
    /// - Complexity: O(1) where nothing has changed since they were last read. Where elements were set or added,
    ///   decoding them, and copying the array if somebody still has it from before; where one was deleted, O(*n*) in
    ///   the number of elements. The first time, decoding all, on several processors where the elements are `Sendable`.
    public var all: [Element] {
      store.reporting([]) {
        try store.engine.memory.elements(
          Element.self, withPrefix: prefix, store.configuration, reuse, onFailure: store.reportUnreadable)
      }
    }

    /// The number of elements, those included that cannot be read.
    ///
    /// - Complexity: O(1), but O(*n*) in the number of the store's entries at the first use of the collection.
    public var count: Int {
      store.reporting(0) { try store.engine.memory.count(withPrefix: prefix) }
    }

    /// Whether there are no elements.
    ///
    /// - Complexity: As ``count``.
    public var isEmpty: Bool { count == 0 }

    /// The elements now, and each time that one of them changes.
    public var updates: Updates<[Element]> {
      Updates(of: store, when: isAffected) { [self] _ in all }
    }

    func isAffected(by change: Change) -> Bool {
      change.keys.contains { $0.hasBytes(prefix) }
    }

    /// Throws `invalidKey` for an identifier that means nothing after a relaunch.
    func key(of id: Element.ID) throws(GlobalDataError) -> String {
      try elementKey(of: id, of: Element.self, prefix, store.configuration, in: store.url)
    }
  }

  /// The collection of a type's elements in this store.
  ///
  /// Elements are decoded on the thread that reads them; those decoded on the main thread are given to readers there
  /// again.
  ///
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - name: The name of the collection; by default the type's archive tag. Several collections of one type differ in
  ///     it.
  /// - Returns: The collection, whose elements are in the store.
  public nonisolated func collection<Element: Codable>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<Element> {
    ModelCollection(name ?? configuration.registry.tag(for: type).name, in: self, .onMainThread)
  }

  /// The collection of a `Sendable` type's elements in this store. Each is decoded once, for readers on all threads.
  ///
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - name: The name of the collection; by default the type's archive tag. Several collections of one type differ in
  ///     it.
  /// - Returns: The collection, whose elements are in the store.
  public nonisolated func collection<Element: Codable & Sendable>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<Element> {
    ModelCollection(name ?? configuration.registry.tag(for: type).name, in: self, .anywhere)
  }

  /// The collection of a type's elements in the current store; see the instance's method of the same name.
  public static func collection<Element: Codable>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<Element> {
    current.collection(of: type, named: name)
  }

  /// Returns the collection of a `Sendable` type's elements in the current store. See the instance method of the same
  /// name.
  public static func collection<Element: Codable & Sendable>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<Element> {
    current.collection(of: type, named: name)
  }
}

/// The key of an element; throws `invalidKey` for an identifier that means nothing after a relaunch.
func elementKey<ID: Hashable>(
  of id: ID, of type: Any.Type, _ prefix: String, _ configuration: GlobalData.Configuration, in url: URL?
) throws(GlobalDataError) -> String {
  guard let text = identifierText(id, configuration) else {
    throw GlobalDataError.unstorableIdentifier(ID.self, of: type, in: url)
  }
  return prefix + text
}

/// The text that stands for an identifier in a key: what it is where it is a text or a number, else its encoding in
/// base64.
///
/// `nil` for what cannot be encoded, such as the address that a class without an `id` of its own has.
private func identifierText(_ id: some Hashable, _ configuration: GlobalData.Configuration) -> String? {
  // The most common one first: a cast takes longer than all else.
  if type(of: id) == Int.self, let number = id as? Int { return "\(number)" }
  if let text = id as? String { return text }
  if let number = id as? Int { return "\(number)" }
  if let uuid = id as? UUID { return uuid.uuidString }
  if let number = id as? any BinaryInteger { return "\(number)" }
  if let wrapper = id as? any RawRepresentable<String> { return wrapper.rawValue }
  if let wrapper = id as? any RawRepresentable<Int> { return "\(wrapper.rawValue)" }
  guard let id = id as? any Encodable else { return nil }
  do {
    let encoder = KeyedArchiveEncoder(registry: configuration.registry, limits: configuration.limits)
    return try encoder.encode(id).base64EncodedString()
  } catch {
    return nil
  }
}
