public import Observation

/// Elements of a collection, as an object that views follow; see `GlobalData.observable(_:query:)`.
///
/// It follows changes of its collection, also those made by other processes, from the first look at ``elements`` on, for as long as it
/// lives. Making it costs nothing: a view makes one each time that it is made itself, and SwiftUI keeps the first.
@MainActor @Observable
public final class ObservableElements<Element: Identifiable & Codable & Sendable> {
  private var found: [Element] = []
  @ObservationIgnored private let source: Source
  @ObservationIgnored private var registration: StoreObservers.Registration?
  /// Whether the query is running elsewhere.
  @ObservationIgnored private var isReading = false
  /// Whether something has changed since the query began to run.
  @ObservationIgnored private var isOutdated = false

  init(
    of collection: GlobalData.ModelCollection<Element>,
    _ query: @escaping @Sendable (GlobalData.ModelCollection<Element>) -> [Element]
  ) {
    source = Source(collection: collection, query: query)
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
    registration = source.collection.store.observers.add { [weak self, collection = source.collection] change in
      guard collection.isAffected(by: change) else { return }
      Task { @MainActor [weak self] in self?.noteChange() }
    }
    found = source.elements
  }

  private func noteChange() {
    isOutdated = true
    guard !isReading else { return }
    isReading = true
    Task { [weak self, source] in
      while let self, self.isOutdated {
        self.isOutdated = false
        self.found = await source.elementsElsewhere
      }
      self?.isReading = false
    }
  }

  /// Where the elements come from: what runs elsewhere knows nothing of the object, nor of the actor that it is on.
  private struct Source: Sendable {
    let collection: GlobalData.ModelCollection<Element>
    let query: @Sendable (GlobalData.ModelCollection<Element>) -> [Element]

    /// The elements, found here. What was decoded before and has not changed is not decoded again.
    var elements: [Element] { query(collection) }

    /// The elements, found outside of the main actor.
    var elementsElsewhere: [Element] {
      get async { elements }
    }
  }
}
