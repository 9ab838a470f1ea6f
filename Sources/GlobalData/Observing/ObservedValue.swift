import Observation

/// The value of a declared key in a store: one object for each store and key, as long as it has an observer.
///
/// A value that is set shows immediately, and is queued before the setter returns. While a write is under way, the
/// store's value is older than the shown one, and is not read. After the newest write, the store's value counts again.
///
/// A value is encoded and decoded on the main actor, and never leaves it.
@MainActor @Observable
final class ObservedValue<Value: Codable> {
  typealias FailureHook = @MainActor (any Error) -> Void

  private struct Write {
    let number: Int
    /// Ends once this object has recorded the outcome of the write.
    let task: Task<Void, any Error>
  }

  private(set) var value: Value
  /// Why the newest write failed; `nil` once a value is set again.
  private(set) var failure: (any Error)?

  @ObservationIgnored let store: GlobalData
  @ObservationIgnored private let key: GlobalData.Key<Value>
  @ObservationIgnored private let changes = ChangedKeys()
  @ObservationIgnored private var registration: StoreObservers.Registration?
  /// The newest write, while it is under way.
  @ObservationIgnored private var newest: Write?
  @ObservationIgnored private var lastNumber = 0
  @ObservationIgnored private var storedNumber = 0

  fileprivate init(_ key: GlobalData.Key<Value>, in store: GlobalData) {
    self.key = key
    self.store = store
    value = key.defaultValue
    let name = key.name
    registration = store.observers.add(changes.observer { $0.contains(name) ? [name] : [] })
    changes.onChange = { [weak self] in self?.noteChange() }
    // After the registration, so that no change in between is missed.
    value = store[key]
  }

  private func noteChange() {
    _ = changes.take()
    // This is called for a write that is under way, too, and for those before it.
    if newest == nil { value = store[key] }
  }

  // MARK: Writing

  /// Shows a value and queues it. A value that cannot be encoded is not shown. Calls `onFailure`, later and on the main
  /// actor, when the write has failed and no newer value was set.
  func set(_ newValue: Value, onFailure: FailureHook?) {
    do {
      try begin(newValue) { [self] in report($0, onFailure) }
    } catch {
      // A control shows what its user did, and has to look again at what is so.
      withMutation(keyPath: \.value) {}
      failure = error
      // Not now: who sets a value need not expect to be called before it is set.
      Task { report(error, onFailure) }
    }
  }

  /// Shows a value, and returns when it or a newer one is on stable storage. Throws why neither could be written.
  func set(_ newValue: Value) async throws {
    try await end(of: begin(newValue) { _ in })
  }

  /// Returns when the value set last is on stable storage.
  func waitUntilStored() async throws {
    if let newest { return try await end(of: newest) }
    if let failure { throw failure }
  }

  private func end(of write: Write) async throws {
    var write = write
    while true {
      do {
        return try await write.task.value
      } catch {
        guard storedNumber < write.number else { return }
        guard let newest, newest.number > write.number else { throw error }
        write = newest
      }
    }
  }

  /// Calls `onFailure` when the write has failed and is the newest one. Throws if the value cannot be encoded.
  @discardableResult
  private func begin(_ newValue: Value, onFailure: @escaping FailureHook) throws -> Write {
    let begun = try store.beginSet(newValue, for: key)
    value = newValue
    failure = nil
    lastNumber += 1
    let number = lastNumber
    // The task keeps this object until the write is over.
    let task = Task {
      let result = await begun.task.result
      finish(number, begun, result, onFailure)
      try result.get()
    }
    let write = Write(number: number, task: task)
    newest = write
    return write
  }

  private func finish(
    _ number: Int, _ write: GlobalData.BegunWrite, _ result: Result<Void, any Error>, _ onFailure: FailureHook
  ) {
    if case .success = result { storedNumber = max(storedNumber, number) }
    // What comes of a newer one is still to be seen.
    guard newest?.number == number else { return }
    newest = nil
    // What shows is what was encoded. It is decoded again only where something else has come after it.
    if !store.shows(write) { value = store[key] }
    if case .failure(let error) = result {
      failure = error
      onFailure(error)
    }
  }

  private func report(_ error: any Error, _ onFailure: FailureHook?) {
    store.engine.diagnostics.report(
      .writeFailed, "the new value of \(key.name.quoted) could not be written", error, key: key.name)
    onFailure?(error)
  }
}

// MARK: One for all

extension ObservedValue {
  static func shared(_ key: GlobalData.Key<Value>, in store: GlobalData) -> ObservedValue {
    let place = ObservedPlace.find(store.engine, key.name, ObjectIdentifier(Value.self))
    if let object = place.object as? ObservedValue { return object }
    let object = ObservedValue(key, in: store)
    place.object = object
    return object
  }
}

/// The value of a key with an observer, so that two observers of it agree immediately.
@MainActor private final class ObservedPlace {
  /// Stores of one file have one engine. An object keeps its engine alive, so the identifier is not reused meanwhile.
  private let engine: ObjectIdentifier
  private let key: String
  private let type: ObjectIdentifier
  weak var object: AnyObject?

  private init(_ engine: ObjectIdentifier, _ key: String, _ type: ObjectIdentifier) {
    (self.engine, self.key, self.type) = (engine, key, type)
  }

  private static var all: [ObservedPlace] = []

  /// Returns the place with these values, or a new one, which replaces those that have no object any more.
  static func find(_ engine: StoreEngine, _ key: String, _ type: ObjectIdentifier) -> ObservedPlace {
    let engine = ObjectIdentifier(engine)
    for place in all where place.engine == engine && place.type == type && place.key == key { return place }
    all.removeAll { $0.object == nil }
    let place = ObservedPlace(engine, key, type)
    all.append(place)
    return place
  }
}
