public import Observation

/// The elements of a collection, as an object that views can follow. See `GlobalData.observable(_:query:)`.
///
/// The object follows the changes of its collection, including those by other processes, from the first read of
/// ``elements`` for as long as the object exists. Creating an object costs nothing: a view creates one each time that
/// the view itself is created, and SwiftUI keeps the first one.
@MainActor @Observable
public final class ObservableElements<Element: Identifiable & Codable> {
  private var found: [Element] = []
  @ObservationIgnored private let collection: GlobalData.ModelCollection<Element>
  @ObservationIgnored private let query: (GlobalData.ModelCollection<Element>) -> [Element]
  /// Runs the query outside the main actor; `nil` if the elements cannot leave the main actor.
  @ObservationIgnored private let queryElsewhere: (() async -> sending [Element])?
  /// The store that replaced the shared one when this object was created. The query always runs with it.
  @ObservationIgnored private let replacement = GlobalData.replacement
  @ObservationIgnored private let changes = ChangedKeys()
  @ObservationIgnored private var registration: StoreObservers.Registration?
  /// Whether the query is running elsewhere or waits for its elements to be decoded.
  @ObservationIgnored private var isReading = false

  init(
    of collection: GlobalData.ModelCollection<Element>,
    _ query: @escaping (GlobalData.ModelCollection<Element>) -> [Element],
    queryElsewhere: (() async -> sending [Element])? = nil
  ) {
    (self.collection, self.query, self.queryElsewhere) = (collection, query, queryElsewhere)
  }

  /// The current elements.
  ///
  /// - Complexity: O(1). The first read runs the query on the main actor, and has the complexity of the query.
  public var elements: [Element] {
    if registration == nil { begin() }
    return found
  }

  private func begin() {
    // The observer is added before the query runs, so that a change in the meantime causes another run.
    registration = collection.store.observers.add(
      of: collection.prefix,
      changes.observer { [prefix = collection.prefix] keys in
        keys.reduce(into: []) { if $1.isKey(ofCollection: prefix) { $0.insert($1) } }
      })
    changes.onChange = { [weak self] in self?.noteChange() }
    found = run(query, on: collection, replacement)
  }

  private func noteChange() {
    guard !isReading else { return }
    isReading = true
    Task { [weak self] in
      while let self, let keys = self.changes.take() { self.show(await self.read(keys)) }
      self?.isReading = false
    }
  }

  /// Runs the query after a change of some keys.
  private func read(_ keys: Set<String>) async -> [Element] {
    if let queryElsewhere { return await queryElsewhere() }
    for (index, key) in keys.enumerated() {
      if index > 0, index.isMultiple(of: GlobalData.sliceLength) { await Task.yield() }
      collection.decode(key)
    }
    return runAgain(query, on: collection, replacement)
  }

  /// Shows elements. Earlier ones are released afterward, because the `deinit` of an instance may read the new ones.
  private func show(_ elements: [Element]) {
    let earlier = _found
    found = elements
    withExtendedLifetime(earlier) {}
  }

  convenience init(
    of collection: GlobalData.ModelCollection<Element>,
    elsewhere query: @escaping @Sendable (GlobalData.ModelCollection<Element>) -> [Element]
  ) where Element: Sendable {
    self.init(of: collection, query) { [replacement = GlobalData.replacement] in
      await runElsewhere(query, on: collection, replacement)
    }
  }
}

private func runElsewhere<Element: Sendable>(
  _ query: @Sendable (GlobalData.ModelCollection<Element>) -> [Element],
  on collection: GlobalData.ModelCollection<Element>, _ replacement: GlobalData?
) async -> [Element] {
  runAgain(query, on: collection, replacement)
}

/// Runs a query after a change. A store that was closed since stays closed.
private func runAgain<Element>(
  _ query: (GlobalData.ModelCollection<Element>) -> [Element], on collection: GlobalData.ModelCollection<Element>,
  _ replacement: GlobalData?
) -> [Element] {
  collection.store.engine.memory.withoutOpening { run(query, on: collection, replacement) }
}

/// Runs a query with the store that replaced the shared one.
private func run<Element>(
  _ query: (GlobalData.ModelCollection<Element>) -> [Element], on collection: GlobalData.ModelCollection<Element>,
  _ replacement: GlobalData?
) -> [Element] {
  GlobalData.$replacement.withValue(replacement) { query(collection) }
}
