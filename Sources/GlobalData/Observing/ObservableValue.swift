public import Observation

/// The value of a declared key, as an object that views follow; see `GlobalData.observable(_:)`.
///
/// It follows changes of its store, also those made by other processes, for as long as it lives.
@MainActor @Observable
public final class ObservableValue<Value: Codable> {
  /// The value now, or the key's default.
  public private(set) var value: Value

  @ObservationIgnored private let key: GlobalData.Key<Value>
  @ObservationIgnored private let store: GlobalData
  @ObservationIgnored private var registration: StoreObservers.Registration?

  init(_ key: GlobalData.Key<Value>, in store: GlobalData) {
    self.key = key
    self.store = store
    value = key.defaultValue
    let name = key.name
    registration = store.observers.add { [weak self] change in
      guard change.keys.contains(name) else { return }
      Task { @MainActor [weak self] in self?.read() }
    }
    // After the registration, so that no change in between is missed.
    read()
  }

  private func read() {
    value = store[key]
  }

  /// Stores a new value, and returns when it is on stable storage. ``value`` is the new one then or soon after.
  ///
  /// - Throws: ``GlobalDataError`` as `GlobalData.set(_:for:)` does; ``value`` stays as it is.
  public func set(_ value: Value) async throws {
    try await store.set(value, for: key, isolation: #isolation)
    read()
  }
}
