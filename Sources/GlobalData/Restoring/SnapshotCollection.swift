extension GlobalData {
  /// The elements of one type in a snapshot, by identifier. The collection is read-only.
  ///
  /// Every read decodes again, so keep the values that you read more than once. Elements that cannot be read are
  /// omitted, and the store's `diagnostics` reports them.
  public struct SnapshotCollection<Element: Identifiable & Codable>: Sendable {
    /// The name of the collection, which its keys begin with.
    public let name: String
    private let prefix: String
    private let snapshot: Snapshot

    init(_ name: String, in snapshot: Snapshot) {
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
      do {
        return snapshot.contains(try key(of: id))
      } catch {
        return false  // No element has an identifier that cannot be stored.
      }
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

    private var keys: [String] { snapshot.allKeys.filter { $0.hasBytes(prefix) } }

    private func key(of id: Element.ID) throws(GlobalDataError) -> String {
      try elementKey(of: id, of: Element.self, prefix, snapshot.configuration, in: snapshot.url)
    }
  }
}
