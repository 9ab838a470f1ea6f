extension GlobalData {
  /// The value of a declared key now, and then each time that it changes.
  ///
  /// ```swift
  /// for await visits in GlobalData.updates(of: .visits) {
  ///   print(visits)
  /// }
  /// ```
  ///
  /// A value that cannot be read is the default; ``diagnostics-property`` says so.
  public nonisolated func updates<Value>(of key: Key<Value>) -> Updates<Value> {
    let name = key.name
    return Updates(of: self) {
      $0.keys.contains(name)
    } read: { store in
      store[key]
    }
  }

  /// The value under a key now, as a type that the caller names, and then each time that it changes.
  ///
  /// It is `nil` where there is no value, and where it cannot be read, which ``diagnostics-property`` says. Otherwise
  /// as `updates(of:)`.
  public nonisolated func updates<Value: Codable>(
    of type: Value.Type, forKey key: String
  ) -> Updates<Value?> {
    Updates(of: self) {
      $0.keys.contains(key)
    } read: { store in
      do {
        return try store.object(type, forKey: key)
      } catch {
        store.reportUnreadable(key, error)
        return nil
      }
    }
  }

  /// The changes of the store from now on, each with its keys and where it comes from.
  ///
  /// Changes that wait for a slow reader are merged: there is at most one for each origin, with all keys that changed,
  /// and in the order of the last change of each origin. So a change says which values to read again, not how often
  /// they changed.
  public nonisolated var changes: AsyncStream<Change> { changes { _ in true } }

  /// The changes of some keys from now on. A change tells of all keys that changed with them.
  public nonisolated func changes(of keys: [Keys]) -> AsyncStream<Change> {
    let names = Set(keys.map(\.name))
    return changes { !$0.keys.isDisjoint(with: names) }
  }

  private nonisolated func changes(where isIncluded: @escaping @Sendable (Change) -> Bool) -> AsyncStream<Change> {
    let pending = PendingChanges()
    let registration = observers.add { if isIncluded($0) { pending.add($0) } }
    // With the store: were nobody else to hold it, the next store at its place would be another one, with other
    // observers.
    return AsyncStream { [self] in
      await withExtendedLifetime((self, registration)) { pending }.next()
    } onCancel: {
      pending.finish()
    }
  }

  // MARK: The current store

  /// The value of a declared key of the current store now, and each time that it changes.
  @_alwaysEmitIntoClient
  public static func updates<Value>(of key: Key<Value>) -> Updates<Value> {
    current.updates(of: key)
  }

  /// The value under a key of the current store now, and each time that it changes; see the instance's method.
  @_alwaysEmitIntoClient
  public static func updates<Value: Codable>(of type: Value.Type, forKey key: String) -> Updates<Value?> {
    current.updates(of: type, forKey: key)
  }

  /// The changes of the current store from now on.
  @_alwaysEmitIntoClient
  public static var changes: AsyncStream<Change> { current.changes }

  /// The changes of some keys of the current store from now on.
  @_alwaysEmitIntoClient
  public static func changes(of keys: [Keys]) -> AsyncStream<Change> { current.changes(of: keys) }

  /// A value of the current store that views and other observers follow, and can set; see the instance's method of the
  /// same name.
  @_alwaysEmitIntoClient
  @MainActor public static func observable<Value>(_ key: Key<Value>) -> ObservableValue<Value> {
    current.observable(key)
  }

  /// A value that views and other observers follow, and can set, on the main actor.
  ///
  /// ```swift
  /// let visits = GlobalData.observable(.visits)
  /// print(visits.value)
  /// ```
  ///
  /// - Parameter key: The key, whose default shows where no value is set.
  /// - Returns: The object; what it shows it shares with all others for the same key of this store.
  /// - Complexity: O(1) where there is another one; else O(*n*) in the size of the value.
  @MainActor public func observable<Value>(_ key: Key<Value>) -> ObservableValue<Value> {
    ObservableValue(key, in: self)
  }

  /// The elements of a collection as a value that views and other observers follow, on the main actor.
  ///
  /// ```swift
  /// let fastCars = GlobalData.observable(cars) { $0.filter(#Predicate { $0.speed > 60 }, limit: 10) }
  /// print(fastCars.elements.map(\.plate))
  /// ```
  ///
  /// The query runs on the main actor when the elements are first read, so that they are there immediately. After a
  /// change it runs elsewhere, and only elements that changed are decoded again. While it runs, further changes wait,
  /// and are taken together.
  ///
  /// - Parameters:
  ///   - collection: The collection, of this store or another one.
  ///   - query: What to show of it; by default all elements.
  /// - Returns: The elements, which change with the collection.
  @MainActor public static func observable<Element: Sendable>(
    _ collection: ModelCollection<Element>,
    query: @escaping @Sendable (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    ObservableElements(of: collection, elsewhere: query)
  }

  /// The elements of a collection, of a type that is not known to be `Sendable`, as a value that views and other
  /// observers follow.
  ///
  /// The query runs on the main actor. After a change, only elements that changed are decoded again, a few at a time,
  /// so that the main actor can do other work in between.
  ///
  /// - Parameters:
  ///   - collection: The collection, of this store or another one.
  ///   - query: What to show of it; by default all elements.
  /// - Returns: The elements, which change with the collection.
  @MainActor public static func observable<Element>(
    _ collection: ModelCollection<Element>, query: @escaping (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    ObservableElements(of: collection, query)
  }

  /// The elements of a collection as a value that views and other observers follow; see the static method of the same
  /// name.
  @MainActor public func observable<Element: Sendable>(
    _ collection: ModelCollection<Element>,
    query: @escaping @Sendable (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    ObservableElements(of: collection, elsewhere: query)
  }

  /// The elements of a collection as a value that views and other observers follow; see the static method of the same
  /// name.
  @MainActor public func observable<Element>(
    _ collection: ModelCollection<Element>, query: @escaping (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    ObservableElements(of: collection, query)
  }
}
