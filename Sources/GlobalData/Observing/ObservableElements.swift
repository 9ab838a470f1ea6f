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

  init(
    of collection: GlobalData.ModelCollection<Element>,
    _ query: @escaping @Sendable (GlobalData.ModelCollection<Element>) -> [Element]
  ) {
    self.collection = collection
    self.query = query
    elements = query(collection)
    registration = collection.store.observers.add { [weak self] change in
      guard collection.isAffected(by: change) else { return }
      Task { @MainActor [weak self] in self?.read() }
    }
    // A change between the first reading and the registration would otherwise be missed.
    read()
  }

  private func read() {
    elements = query(collection)
  }
}
