public import Observation

/// Elements of a collection, as an object that views follow; see `GlobalData.observable(_:query:)`.
///
/// It follows changes of its collection, also those made by other processes, for as long as it lives.
@MainActor @Observable
public final class ObservableElements<Element: Identifiable & Codable & Sendable> {
  /// The elements now.
  public private(set) var elements: [Element]

  @ObservationIgnored private let collection: GlobalData.ModelCollection<Element>
  @ObservationIgnored private let query: @Sendable (GlobalData.ModelCollection<Element>) -> [Element]
  @ObservationIgnored private var registration: StoreObservers.Registration?
  /// Whether the query is running elsewhere.
  @ObservationIgnored private var isReading = false
  /// Whether something has changed since the query began to run.
  @ObservationIgnored private var isOutdated = false

  init(
    of collection: GlobalData.ModelCollection<Element>,
    _ query: @escaping @Sendable (GlobalData.ModelCollection<Element>) -> [Element]
  ) {
    self.collection = collection
    self.query = query
    elements = []
    // Before the query: a change meanwhile has it run once more.
    registration = collection.store.observers.add { [weak self] change in
      guard collection.isAffected(by: change) else { return }
      Task { @MainActor [weak self] in self?.noteChange() }
    }
    elements = query(collection)
  }

  private func noteChange() {
    isOutdated = true
    guard !isReading else { return }
    isReading = true
    Task { [weak self, collection, query] in
      while let self, self.isOutdated {
        self.isOutdated = false
        self.elements = await ObservableElements.read(collection, query)
      }
      self?.isReading = false
    }
  }

  /// Runs the query, not on the main actor.
  private nonisolated static func read(
    _ collection: GlobalData.ModelCollection<Element>,
    _ query: @Sendable (GlobalData.ModelCollection<Element>) -> [Element]
  ) async -> [Element] {
    query(collection)
  }
}
