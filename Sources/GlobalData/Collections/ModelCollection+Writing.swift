import CodingSupport
public import FoundationCore

// Each method here makes one commit: either all of its changes take effect, or none do.

extension GlobalData.ModelCollection {
  /// Inserts an element, and returns when it is on stable storage.
  ///
  /// - Throws: ``GlobalDataError`` with code `duplicateElement` if there is already an element with its identifier;
  ///   otherwise as `GlobalData.set` does.
  @_alwaysEmitIntoClient
  public func insert(_ element: Element, isolation: isolated (any Actor)? = #isolation) async throws {
    try await insert([element], isolation: isolation)
  }

  /// Inserts either all of the elements or none of them.
  ///
  /// - Throws: ``GlobalDataError`` with code `duplicateElement` if there is already an element with one of their
  ///   identifiers, or if two of them have the same one; otherwise as `GlobalData.set` does.
  @_alwaysEmitIntoClient
  public func insert(_ elements: some Sequence<Element>, isolation: isolated (any Actor)? = #isolation) async throws {
    // The closure of an update may run again, but some sequences can be iterated only once.
    let elements = Array(elements)
    try await store.update(isolation: isolation) { try $0.insert(elements, into: self) }
  }

  /// Inserts an element, or replaces the element with the same identifier.
  ///
  /// - Throws: ``GlobalDataError`` as `GlobalData.set` does.
  @_alwaysEmitIntoClient
  public func upsert(_ element: Element, isolation: isolated (any Actor)? = #isolation) async throws {
    try await upsert([element], isolation: isolation)
  }

  /// Inserts elements, or replaces the elements with the same identifiers.
  ///
  /// - Throws: ``GlobalDataError`` as `GlobalData.set` does.
  @_alwaysEmitIntoClient
  public func upsert(_ elements: some Sequence<Element>, isolation: isolated (any Actor)? = #isolation) async throws {
    let elements = Array(elements)  // as in `insert`
    try await store.update(isolation: isolation) { try $0.upsert(elements, into: self) }
  }

  /// Replaces the element that has the same identifier as the given one.
  ///
  /// - Throws: ``GlobalDataError`` with code `elementNotFound` if there is no such element; otherwise as
  ///   `GlobalData.set` does.
  public func replace(_ element: Element, isolation: isolated (any Actor)? = #isolation) async throws {
    let key = try key(of: element.id)
    try await store.update(isolation: isolation) { data in
      // Do not read the element: one that cannot be read is replaced, too.
      guard data.contains(key) else { throw GlobalDataError.elementNotFound(key, in: store.url) }
      try data.upsert(element, into: self)
    }
  }

  /// Changes an element in place.
  ///
  /// - Returns: Whether there is an element with the identifier.
  /// - Throws: Any error that the closure throws; ``GlobalDataError`` as `GlobalData.set` does, with code
  ///   `duplicateElement` if the closure changes the identifier to that of another element, and with code `invalidKey`
  ///   if the identifier is too long for a key.
  @discardableResult @_alwaysEmitIntoClient
  public func update(
    _ id: Element.ID, isolation: isolated (any Actor)? = #isolation, _ change: (inout Element) throws -> Void
  ) async throws -> Bool {
    try await store.update(isolation: isolation) { try $0.update(id, in: self, change) }
  }

  /// Sets one property of an element.
  ///
  /// - Returns: Whether there is an element with the identifier.
  /// - Throws: ``GlobalDataError`` as `GlobalData.set` does, with code `invalidKey` if the identifier is too long for a
  ///   key.
  @discardableResult @_alwaysEmitIntoClient
  public func set<Value>(
    _ property: WritableKeyPath<Element, Value>, to value: Value, for id: Element.ID,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Bool {
    try await update(id, isolation: isolation) { $0[keyPath: property] = value }
  }

  /// Changes the elements for which a closure returns `true`.
  ///
  /// The closure can exchange or shift the identifiers of the elements.
  ///
  /// - Returns: The number of these elements.
  /// - Throws: Any error that either closure throws; ``GlobalDataError`` as `GlobalData.set` does, with code
  ///   `duplicateElement` if two elements have the same identifier in the end, and if an element cannot be read.
  @discardableResult @_alwaysEmitIntoClient
  public func update(
    where isIncluded: (Element) throws -> Bool,
    isolation: isolated (any Actor)? = #isolation,
    _ change: (inout Element) throws -> Void
  ) async throws -> Int {
    try await store.update(isolation: isolation) { data in
      let found = try data.keys(in: self, where: isIncluded)
      try data.update(underKeys: found, in: self, change)
      return found.count
    }
  }

  /// Changes the elements for which a predicate is true, like the method that takes a closure.
  ///
  /// - Returns: The number of these elements.
  /// - Throws: Any error that the closure or evaluating the predicate throws; ``GlobalDataError`` as `GlobalData.set`
  ///   does, with code `duplicateElement` if two elements have the same identifier in the end, and if an element cannot
  ///   be read.
  @discardableResult @_alwaysEmitIntoClient
  public func update(
    where predicate: Predicate<Element>,
    isolation: isolated (any Actor)? = #isolation,
    _ change: (inout Element) throws -> Void
  ) async throws -> Int {
    try await update(where: function(of: predicate), isolation: isolation, change)
  }

  /// Deletes an element.
  ///
  /// - Returns: Whether there was an element with the identifier. An identifier that is too long for a key has none.
  /// - Throws: ``GlobalDataError`` as `GlobalData.removeObject` does.
  @discardableResult @_alwaysEmitIntoClient
  public func delete(_ id: Element.ID, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    try await store.update(isolation: isolation) { $0.delete(id, from: self) }
  }

  /// Deletes the elements for which a predicate is true.
  ///
  /// - Returns: The number of elements that were deleted.
  /// - Throws: Any error that evaluating the predicate throws; ``GlobalDataError`` as `GlobalData.removeObject` does,
  ///   and if an element cannot be read.
  @discardableResult @_alwaysEmitIntoClient
  public func delete(
    where predicate: Predicate<Element>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Int {
    try await delete(isolation: isolation, where: function(of: predicate))
  }

  /// Returns a function with the results and errors of a predicate, for calls that are compiled where they are used.
  @usableFromInline func function(of predicate: Predicate<Element>) -> (Element) throws -> Bool {
    let isIncluded = predicateFunction(of: predicate)
    return { try withUnsafePointer(to: $0, isIncluded) }
  }

  /// Deletes the elements for which a function is true.
  ///
  /// - Returns: The number of elements that were deleted.
  /// - Throws: Any error that the closure throws; ``GlobalDataError`` as `GlobalData.removeObject` does, and if an
  ///   element cannot be read.
  @discardableResult @_alwaysEmitIntoClient
  public func delete(
    isolation: isolated (any Actor)? = #isolation, where isIncluded: (Element) throws -> Bool
  ) async throws -> Int {
    try await store.update(isolation: isolation) { data in
      let found = try data.keys(in: self, where: isIncluded)
      for key in found { data.removeObject(forKey: key) }
      return found.count
    }
  }

  /// Deletes all elements, including those that cannot be read.
  ///
  /// - Throws: ``GlobalDataError`` as `GlobalData.removeObject` does.
  public func deleteAll(isolation: isolated (any Actor)? = #isolation) async throws {
    let prefix = prefix
    try await store.update(isolation: isolation) { data in
      for key in try data.keys(withPrefix: prefix) { data.removeObject(forKey: key) }
    }
  }
}

// The same operations inside an update, where they can be combined with other changes.

extension GlobalData.Transaction {
  /// Returns the elements of a collection, in the order of their insertion.
  ///
  /// - Throws: ``GlobalDataError`` if one of them cannot be read.
  /// - Complexity: O(*n*) in the number of elements, plus decoding those whose decoded values are not kept.
  public func all<Element>(of collection: GlobalData.ModelCollection<Element>) throws -> [Element] {
    let keys = try keys(withPrefix: collection.prefix)
    if let kept = try keptElements(of: collection, keys) { return kept }
    return try keys.compactMap { try object(Element.self, forKey: $0, collection.reuse) }
  }

  /// Returns the stored keys of the elements for which a function is true. An element that does not store its
  /// identifier, as with `let id = UUID()`, has another identifier after each decoding, which does not lead to its key.
  @usableFromInline func keys<Element>(
    in collection: GlobalData.ModelCollection<Element>, where isIncluded: (Element) throws -> Bool
  ) throws -> [String] {
    let keys = try keys(withPrefix: collection.prefix)
    if let kept = try keptElements(of: collection, keys) {
      var found: [String] = []
      for index in kept.indices where try isIncluded(kept[index]) { found.append(keys[index]) }
      return found
    }
    return try keys.filter { key in
      try object(Element.self, forKey: key, collection.reuse).map(isIncluded) ?? false
    }
  }

  /// Returns the element of a collection with an identifier, or `nil` if there is none.
  ///
  /// - Throws: ``GlobalDataError`` if the element cannot be read, or if the identifier is too long for a key.
  public func element<Element>(
    _ id: Element.ID, of collection: GlobalData.ModelCollection<Element>
  ) throws -> Element? {
    try object(Element.self, forKey: collection.key(of: id), collection.reuse)
  }

  /// Inserts elements into a collection.
  ///
  /// - Throws: ``GlobalDataError`` with code `duplicateElement` if there is already an element with one of their
  ///   identifiers. If the closure of the update catches the error, the elements before that one are still inserted.
  public mutating func insert<Element>(
    _ elements: some Sequence<Element>, into collection: GlobalData.ModelCollection<Element>
  ) throws {
    reserve(elements.underestimatedCount)
    // Check once whether the type is optional: the check takes as long as encoding a short value.
    let mayBeNil = Element.self is any PossiblyNil.Type
    // The iterator of an array allocates memory for each element, because this code is compiled for any sequence.
    let isDone: Void? = try elements.withContiguousStorageIfAvailable { elements in
      for index in elements.indices { try insert(elements[index], into: collection, mayBeNil) }
    }
    guard isDone == nil else { return }
    for element in elements { try insert(element, into: collection, mayBeNil) }
  }

  private mutating func insert<Element>(
    _ element: Element, into collection: GlobalData.ModelCollection<Element>, _ mayBeNil: Bool
  ) throws {
    let key = try collection.key(of: element.id)
    guard try insert(element, forKey: key, isNil: mayBeNil && isNil(element)) else {
      throw GlobalDataError.duplicateElement(key, in: url)
    }
  }

  /// Inserts an element into a collection.
  ///
  /// - Throws: ``GlobalDataError`` with code `duplicateElement` if there is already an element with its identifier.
  @_alwaysEmitIntoClient
  public mutating func insert<Element>(
    _ element: Element, into collection: GlobalData.ModelCollection<Element>
  ) throws {
    try insert([element], into: collection)
  }

  /// Inserts an element into a collection, or replaces the element with the same identifier.
  ///
  /// - Throws: ``GlobalDataError`` as `set(_:forKey:)` does.
  @_alwaysEmitIntoClient
  public mutating func upsert<Element>(
    _ element: Element, into collection: GlobalData.ModelCollection<Element>
  ) throws {
    try upsert([element], into: collection)
  }

  /// Inserts elements into a collection, or replaces the elements with the same identifiers.
  ///
  /// - Throws: ``GlobalDataError`` as `set(_:forKey:)` does. If the closure of the update catches the error, the
  ///   elements before that one are still inserted or replaced.
  public mutating func upsert<Element>(
    _ elements: some Sequence<Element>, into collection: GlobalData.ModelCollection<Element>
  ) throws {
    for element in elements {
      let key = try collection.key(of: element.id)
      // Identifiers that Swift considers equal may consist of different Unicode scalars.
      try set(element, forKey: storedKey(key) ?? key)
    }
  }

  /// Changes an element of a collection in place.
  ///
  /// - Returns: Whether there is an element with the identifier.
  /// - Throws: Any error that the closure throws; ``GlobalDataError`` with code `duplicateElement` if the closure
  ///   changes the identifier to that of another element, and with code `invalidKey` if the identifier is too long for
  ///   a key.
  @discardableResult
  public mutating func update<Element>(
    _ id: Element.ID, in collection: GlobalData.ModelCollection<Element>, _ change: (inout Element) throws -> Void
  ) throws -> Bool {
    let key = try collection.key(of: id)
    guard let changed = try changedElement(underKey: key, in: collection, change) else { return false }
    guard changed.key != key else {
      try set(changed.element, forKey: storedKey(key) ?? key)
      return true
    }
    try checkIsFree(changed.key)
    try set(changed.element, forKey: changed.key)
    // Not before: if setting throws, the closure of the update may catch the error.
    removeObject(forKey: key)
    return true
  }

  /// Changes elements under existing keys in place.
  @usableFromInline mutating func update<Element>(
    underKeys keys: [String], in collection: GlobalData.ModelCollection<Element>,
    _ change: (inout Element) throws -> Void
  ) throws {
    // An element with a new identifier may take the place of one that is changed after it.
    var moved: [(element: Element, key: String)] = []
    for key in keys {
      guard let changed = try changedElement(underKey: key, in: collection, change) else { continue }
      if changed.key == key {
        try set(changed.element, forKey: key)
      } else {
        removeObject(forKey: key)
        moved.append(changed)
      }
    }
    for (element, key) in moved {
      try checkIsFree(key)
      try set(element, forKey: key)
    }
  }

  /// Returns a changed copy of an element, and its key after the change.
  private func changedElement<Element>(
    underKey key: String, in collection: GlobalData.ModelCollection<Element>, _ change: (inout Element) throws -> Void
  ) throws -> (element: Element, key: String)? {
    guard var element = try object(Element.self, forKey: key, collection.reuse) else { return nil }
    let earlierKey = try collection.key(of: element.id)
    try change(&element)
    let newKey = try collection.key(of: element.id)
    // An identifier that is not stored was not changed by the closure.
    return (element, newKey == earlierKey ? key : newKey)
  }

  private func checkIsFree(_ key: String) throws {
    guard !contains(key) else { throw GlobalDataError.duplicateElement(key, in: url) }
  }

  /// Deletes an element of a collection.
  ///
  /// If the identifier cannot be encoded, the whole update fails when its closure returns.
  ///
  /// - Returns: Whether there was an element with the identifier. An identifier that is too long for a key has none.
  @discardableResult
  public mutating func delete<Element>(_ id: Element.ID, from collection: GlobalData.ModelCollection<Element>) -> Bool {
    do {
      let key = try collection.key(of: id)
      guard contains(key) else { return false }
      removeObject(forKey: key)
      return true
    } catch {
      failure = failure ?? error
      return false
    }
  }
}
