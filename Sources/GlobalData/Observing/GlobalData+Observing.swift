extension GlobalData {
  /// The value of a declared key now, and then each time that it changes.
  ///
  /// ```swift
  /// for await visits in GlobalData.values(for: .visits) {
  ///   print(visits)
  /// }
  /// ```
  ///
  /// A reader that is slow gets the newest value and misses those between. The stream ends with the task that reads it. A value
  /// that cannot be read is the default; ``diagnostics-property`` says so.
  public nonisolated func values<Value: Sendable>(for key: Key<Value>) -> AsyncStream<Value> {
    let name = key.name
    return observe {
      $0.keys.contains(name)
    } read: { store in
      store[key]
    }
  }

  /// The value under a key now, as a type that the caller names, and then each time that it changes.
  ///
  /// It is `nil` where there is no value, and where it cannot be read, which ``diagnostics-property`` says. Otherwise as `values(for:)`.
  public nonisolated func values<Value: Codable & Sendable>(
    of type: Value.Type, forKey key: String
  ) -> AsyncStream<Value?> {
    observe {
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
  /// Changes that wait for a slow reader are merged: there is at most one for each origin, with all keys that changed, and in the order of
  /// the last change of each origin. So a change says which values to read again, not how often they changed.
  public nonisolated var changes: AsyncStream<Change> {
    let pending = PendingChanges()
    let registration = observers.add { pending.add($0) }
    // With the store: were nobody else to hold it, the next store at its place would be another one, with other observers.
    return AsyncStream { [self] in
      await withExtendedLifetime((self, registration)) { pending }.next()
    } onCancel: {
      pending.finish()
    }
  }

  /// What a function reads now, and each time that it may read something else. It is read when the reader of the stream asks for it, so
  /// that nothing waits but the sign that there is something to read.
  nonisolated func observe<Value: Sendable>(
    when isAffected: @escaping @Sendable (Change) -> Bool, read: @escaping @Sendable (GlobalData) -> Value
  ) -> AsyncStream<Value> {
    let pending = PendingChanges(first: Change(keys: [], origin: .thisStore))
    // Keys and origin are all the same: one sign is enough.
    let registration = observers.add { if isAffected($0) { pending.add(Change(keys: [], origin: .thisStore)) } }
    return AsyncStream { [self] in
      guard await withExtendedLifetime(registration, { pending }).next() != nil else { return nil }
      return read(self)
    } onCancel: {
      pending.finish()
    }
  }

  // MARK: The current store

  /// The value of a declared key of the current store now, and each time that it changes.
  public static func values<Value: Sendable>(for key: Key<Value>) -> AsyncStream<Value> {
    current.values(for: key)
  }

  /// The value under a key of the current store now, and each time that it changes; see the instance's method.
  public static func values<Value: Codable & Sendable>(of type: Value.Type, forKey key: String) -> AsyncStream<Value?> {
    current.values(of: type, forKey: key)
  }

  /// The changes of the current store from now on.
  public static var changes: AsyncStream<Change> { current.changes }

  /// A value of the current store that views and other observers follow, and can set; see the instance's method of the same name.
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
  /// The query runs on the main actor when somebody first looks at the elements, so that they are there at once. After a change it runs
  /// elsewhere, and only elements that changed are decoded again. While it runs, further changes wait, and are taken together.
  ///
  /// - Parameters:
  ///   - collection: The collection, of this store or another one.
  ///   - query: What to show of it; by default all elements.
  /// - Returns: The elements, which change with the collection.
  @MainActor public static func observable<Element>(
    _ collection: ModelCollection<Element>,
    query: @escaping @Sendable (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    ObservableElements(of: collection, query)
  }

  /// The elements of a collection as a value that views and other observers follow; see the static method of the same name.
  @MainActor public func observable<Element>(
    _ collection: ModelCollection<Element>,
    query: @escaping @Sendable (ModelCollection<Element>) -> [Element] = { $0.all }
  ) -> ObservableElements<Element> {
    ObservableElements(of: collection, query)
  }
}
