extension GlobalData {
  /// Returns an asynchronous sequence of the values of a declared key: the current value, and then the new value after
  /// each change.
  ///
  /// ```swift
  /// for await visits in GlobalData.updates(of: .visits) {
  ///   print(visits)
  /// }
  /// ```
  ///
  /// If a value cannot be read, the sequence contains the default instead, and ``diagnostics-property`` reports the
  /// error.
  public nonisolated func updates<Value>(of key: Key<Value>) -> Updates<Value> {
    let name = key.name
    return Updates(store: self, name: name) {
      $0.keys.contains(name)
    } read: { store in
      store[key]
    }
  }

  /// Returns an asynchronous sequence of the values for a key, decoded as the given type: the current value, and then
  /// the new value after each change.
  ///
  /// An element of the sequence is `nil` if there is no value, or if the value cannot be read. In the latter case,
  /// ``diagnostics-property`` reports the error. Otherwise, this method behaves like `updates(of:)`.
  public nonisolated func updates<Value: Codable>(of type: Value.Type, forKey key: String) -> Updates<Value?> {
    Updates(store: self, name: key) {
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

  /// The changes of the store from now on, each with its keys and its origin.
  ///
  /// Changes that wait for a slow reader are merged: there is at most one for each origin, with all keys that changed,
  /// and in the order of the last change of each origin. Therefore, a change says which values to read again, but not
  /// how often they changed.
  public nonisolated var changes: AsyncStream<Change> { changes { _ in true } }

  /// Returns the changes of some keys from now on. A change contains all keys that changed together with these keys.
  public nonisolated func changes(of keys: [Keys]) -> AsyncStream<Change> {
    let names = keys.map(\.name)
    return changes { names.contains(where: $0.keys.contains) }
  }

  private nonisolated func changes(where isIncluded: @escaping @Sendable (Change) -> Bool) -> AsyncStream<Change> {
    let pending = PendingChanges()
    let registration = observers.add { if isIncluded($0) { pending.add($0) } }
    // The stream retains the store. If nothing else held the store, the next store at the same path would be a
    // different one, with other observers.
    return AsyncStream { [self] in
      await withExtendedLifetime((self, registration)) { pending }.next()
    } onCancel: {
      pending.finish()
    }
  }

  // MARK: The current store

  /// Returns an asynchronous sequence of the values of a declared key of the current store. See the instance method of
  /// the same name.
  @_alwaysEmitIntoClient
  public static func updates<Value>(of key: Key<Value>) -> Updates<Value> {
    current.updates(of: key)
  }

  /// Returns an asynchronous sequence of the values for a key of the current store. See the instance method of the same
  /// name.
  @_alwaysEmitIntoClient
  public static func updates<Value: Codable>(of type: Value.Type, forKey key: String) -> Updates<Value?> {
    current.updates(of: type, forKey: key)
  }

  /// The changes of the current store from now on.
  @_alwaysEmitIntoClient
  public static var changes: AsyncStream<Change> { current.changes }

  /// Returns the changes of some keys of the current store from now on.
  @_alwaysEmitIntoClient
  public static func changes(of keys: [Keys]) -> AsyncStream<Change> { current.changes(of: keys) }

  /// Returns a value of the current store that views and other observers can follow and set. See the instance method of
  /// the same name.
  @_alwaysEmitIntoClient
  @MainActor public static func observable<Value>(_ key: Key<Value>) -> ObservableValue<Value> {
    current.observable(key)
  }

  /// Returns a value that views and other observers can follow and set, on the main actor.
  ///
  /// ```swift
  /// let visits = GlobalData.observable(.visits)
  /// print(visits.value)
  /// ```
  ///
  /// - Parameter key: The key. Its default is shown if no value is set.
  /// - Returns: The object. All objects for the same key of this store show the same value.
  /// - Complexity: O(1) if there is already an object for the key; otherwise O(*n*) in the size of the value.
  @MainActor public func observable<Value>(_ key: Key<Value>) -> ObservableValue<Value> {
    ObservableValue(key, in: self)
  }

  /// Returns the elements of a collection as a value that views and other observers can follow, on the main actor.
  ///
  /// ```swift
  /// let fastCars = GlobalData.observable(cars) { $0.filter(#Predicate { $0.speed > 60 }, limit: 10) }
  /// print(fastCars.elements.map(\.plate))
  /// ```
  ///
  /// The query runs on the main actor when the elements are first read, so that they are available immediately. After a
  /// change, the query runs elsewhere, and only the changed elements, and those that contain class instances, are
  /// decoded again. Changes that occur while the query runs are handled together after it.
  ///
  /// - Parameters:
  ///   - collection: The collection, which belongs to this store or another one.
  ///   - query: A function that returns the elements to show. By default, it returns all elements.
  /// - Returns: The elements, which are updated when the collection changes.
  @MainActor public static func observable<Element: Sendable>(
    _ collection: ModelCollection<Element>,
    query: @escaping @Sendable (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    ObservableElements(of: collection, elsewhere: query)
  }

  /// Returns the elements of a collection, whose type is not known to be `Sendable`, as a value that views and other
  /// observers can follow.
  ///
  /// The query runs on the main actor. After a change, only the changed elements, and those that contain class
  /// instances, are decoded again. They are decoded a few at a time, so that the main actor can do other work in
  /// between.
  ///
  /// - Parameters:
  ///   - collection: The collection, which belongs to this store or another one.
  ///   - query: A function that returns the elements to show. By default, it returns all elements.
  /// - Returns: The elements, which are updated when the collection changes.
  @MainActor public static func observable<Element>(
    _ collection: ModelCollection<Element>, query: @escaping (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    ObservableElements(of: collection, query)
  }

  /// Returns the elements of a collection as a value that views and other observers can follow. See the static method
  /// of the same name.
  @_alwaysEmitIntoClient
  @MainActor public func observable<Element: Sendable>(
    _ collection: ModelCollection<Element>,
    query: @escaping @Sendable (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    GlobalData.observable(collection, query: query)
  }

  /// Returns the elements of a collection as a value that views and other observers can follow. See the static method
  /// of the same name.
  @_alwaysEmitIntoClient
  @MainActor public func observable<Element>(
    _ collection: ModelCollection<Element>, query: @escaping (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    GlobalData.observable(collection, query: query)
  }
}
