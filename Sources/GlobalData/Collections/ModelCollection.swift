public import Foundation

extension GlobalData {
  /// The elements of one type that a store holds, by their identifiers.
  ///
  /// ```swift
  /// let cars = GlobalData.collection(of: CarInfo.self)
  /// try await cars.insert(car)
  /// try await cars.update(car.id) { $0.isOnline = false }
  /// let fast = cars.filter(#Predicate { $0.speed > 60 }, sortedBy: [SortDescriptor(\.plate)], limit: 10)
  /// ```
  ///
  /// Each element is an entry of its own, under the key `NAME/IDENTIFIER`: changing one encodes one. Elements keep the order in which they
  /// were first inserted. What was decoded once is kept in memory, and not decoded again until it changes.
  ///
  /// Reading methods that cannot throw leave out what cannot be read; the store's `diagnostics` says so.
  public struct ModelCollection<Element: Identifiable & Codable & Sendable>: Sendable {
    /// The name of the collection, which its keys begin with.
    public let name: String
    let store: GlobalData
    private let elements: ElementCache<Element>

    init(_ name: String, in store: GlobalData) {
      self.name = name
      self.store = store
      elements = store.elementCache(of: name)
    }

    // MARK: Reading

    /// The element with an identifier, or `nil` when there is none.
    ///
    /// - Complexity: O(1); decoding where the element was not read before.
    public subscript(id: Element.ID) -> Element? {
      store.contents.flatMap { contents in contents[key(of: id)].flatMap { elements.element(of: $0, in: store) } }
    }

    /// The element with an identifier, or `nil` when there is none.
    ///
    /// - Throws: ``GlobalDataError`` when there is one that cannot be read, or the store cannot.
    public func element(withID id: Element.ID) throws -> Element? {
      try store.object(Element.self, forKey: key(of: id))
    }

    /// Whether there is an element with an identifier.
    public func contains(_ id: Element.ID) -> Bool {
      store.contains(key(of: id))
    }

    /// All elements, in the order of their insertion.
    ///
    /// - Complexity: O(*n*) in the number of the store's entries.
    public var all: [Element] {
      elements.elements(of: entries, in: store)
    }

    /// The number of elements.
    ///
    /// - Complexity: O(*n*) in the number of the store's entries.
    public var count: Int { entries.count }

    /// Whether there are no elements.
    public var isEmpty: Bool { entries.isEmpty }

    /// The first element for which a function is true.
    public func first(where isIncluded: (Element) throws -> Bool) rethrows -> Element? {
      try all.first(where: isIncluded)
    }

    /// The elements for which a function is true.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> [Element] {
      try all.filter(isIncluded)
    }

    /// Some elements, in an order.
    ///
    /// - Parameters:
    ///   - predicate: Which elements; all where it is `nil`.
    ///   - order: How they are sorted; by insertion where it is empty, and where elements compare as equal.
    ///   - offset: How many are left out at the beginning.
    ///   - limit: How many there are at most.
    /// - Returns: The elements. One that the predicate cannot be evaluated for is left out, and a diagnostic of the store.
    /// - Complexity: O(*n*) in the number of the store's entries, and sorting.
    public func filter(
      _ predicate: Predicate<Element>? = nil, sortedBy order: [SortDescriptor<Element>] = [], offset: Int = 0,
      limit: Int? = nil
    ) -> [Element] {
      var found = predicate.map { predicate in all.filter { isIncluded($0, by: predicate) } } ?? all
      if !order.isEmpty {
        // Foundation's sort by descriptors does not say that it keeps the order of equals.
        found = found.enumerated().sorted { left, right in
          for descriptor in order {
            switch descriptor.compare(left.element, right.element) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: continue
            }
          }
          return left.offset < right.offset
        }.map(\.element)
      }
      let rest = found.dropFirst(max(0, offset))
      return Array(limit.map { rest.prefix(max(0, $0)) } ?? rest)
    }

    private func isIncluded(_ element: Element, by predicate: Predicate<Element>) -> Bool {
      do {
        return try predicate.evaluate(element)
      } catch {
        store.reportUnreadable(key(of: element.id), error)
        return false
      }
    }

    /// The elements now, and each time that one of them changes.
    public var values: AsyncStream<[Element]> {
      let prefix = "\(name)/"
      return store.observe { change in
        change.keys.contains { $0.hasBytes(prefix) }
      } read: { [self] _ in
        all
      }
    }

    private var entries: [StoredEntry] {
      store.contents?.entries(withPrefix: "\(name)/") ?? []
    }

    /// The key of the entry for an identifier.
    ///
    /// Texts and numbers are themselves; other identifiers are the base64 of their encoding.
    func key(of id: Element.ID) -> String {
      "\(name)/\(identifierText(id, store.configuration))"
    }
  }

  /// The collection of a type's elements in this store.
  ///
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - name: The name of the collection; by default the type's archive tag. Several collections of one type differ in it.
  /// - Returns: The collection, whose elements are in the store.
  public nonisolated func collection<Element>(
    of type: Element.Type, named name: String? = nil
  ) -> ModelCollection<Element> {
    ModelCollection(name ?? configuration.registry.tag(for: type).name, in: self)
  }

  /// The collection of a type's elements in the current store; see the instance's method of the same name.
  public static func collection<Element>(of type: Element.Type, named name: String? = nil) -> ModelCollection<Element> {
    current.collection(of: type, named: name)
  }
}

private func identifierText(_ id: some Hashable, _ configuration: GlobalData.Configuration) -> String {
  if let text = id as? String { return text }
  if let number = id as? any BinaryInteger { return "\(number)" }
  if let uuid = id as? UUID { return uuid.uuidString }
  if let id = id as? any Encodable {
    do {
      let encoder = KeyedArchiveEncoder(registry: configuration.registry, limits: configuration.limits)
      return try encoder.encode(id).base64EncodedString()
    } catch {
      // An identifier that cannot be encoded has its description, as one that is not Encodable has.
    }
  }
  return String(describing: id)
}
