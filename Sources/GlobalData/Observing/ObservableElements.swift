public import Observation

/// Elements of a collection, as an object that views follow; see `GlobalData.observable(_:query:)`.
///
/// It follows changes of its collection, also those made by other processes, from the first look at ``elements`` on,
/// for as long as it lives. Making it costs nothing: a view makes one each time that it is made itself, and SwiftUI
/// keeps the first.
@MainActor @Observable
public final class ObservableElements<Element: Identifiable & Codable> {
  private var found: [Element] = []
  @ObservationIgnored private let source: ElementSource<Element>
  @ObservationIgnored private let changes = ChangedKeys()
  @ObservationIgnored private var registration: StoreObservers.Registration?
  /// Whether the query is running elsewhere, or waits for its elements to be decoded.
  @ObservationIgnored private var isReading = false

  private init(_ source: ElementSource<Element>) {
    self.source = source
  }

  /// The elements now.
  ///
  /// - Complexity: O(1); the first time, that of the query, which then runs on the main actor.
  public var elements: [Element] {
    if registration == nil { begin() }
    return found
  }

  private func begin() {
    // Before the query: a change meanwhile has it run once more.
    registration = source.collection.store.observers.add(
      changes.observer { [prefix = source.collection.prefix] keys in keys.filter { $0.hasBytes(prefix) } })
    changes.onChange = { [weak self] in self?.noteChange() }
    found = source.query(source.collection)
  }

  private func noteChange() {
    guard !isReading else { return }
    isReading = true
    Task { [weak self] in
      while let self, let keys = self.changes.take() { self.found = await self.source.read(keys) }
      self?.isReading = false
    }
  }
}

extension ObservableElements {
  convenience init(
    of collection: GlobalData.ModelCollection<Element>,
    _ query: @escaping (GlobalData.ModelCollection<Element>) -> [Element]
  ) {
    self.init(ElementSource(collection: collection, query: query, readElsewhere: nil))
  }

  convenience init(
    of collection: GlobalData.ModelCollection<Element>,
    elsewhere query: @escaping @Sendable (GlobalData.ModelCollection<Element>) -> [Element]
  ) where Element: Sendable {
    self.init(ElementSource(collection: collection, query: query) { await readElsewhere(collection, query) })
  }
}

private func readElsewhere<Element: Sendable>(
  _ collection: GlobalData.ModelCollection<Element>,
  _ query: @Sendable (GlobalData.ModelCollection<Element>) -> [Element]
) async -> [Element] {
  query(collection)
}

@MainActor private struct ElementSource<Element: Identifiable & Codable> {
  let collection: GlobalData.ModelCollection<Element>
  let query: (GlobalData.ModelCollection<Element>) -> [Element]
  /// Runs the query outside of the main actor; `nil` where the elements cannot leave it.
  let readElsewhere: (() async -> [Element])?

  /// Runs the query after a change of some keys.
  func read(_ keys: [String]) async -> [Element] {
    if let readElsewhere { return await readElsewhere() }
    for (index, key) in keys.enumerated() {
      if index > 0, index.isMultiple(of: GlobalData.sliceLength) { await Task.yield() }
      collection.decode(key)
    }
    return query(collection)
  }
}
