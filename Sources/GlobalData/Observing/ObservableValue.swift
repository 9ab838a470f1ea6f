public import Observation

/// The value of a declared key, as an object that views can follow. See `GlobalData.observable(_:)`.
///
/// ```swift
/// let volume = GlobalData.observable(.volume)
/// volume.value = 0.7
/// ```
///
/// The object follows the changes of its store, including those by other processes, for as long as the object exists.
/// All objects for one key of one store show the same value at any moment.
///
/// **Setting** ``value`` shows the new value immediately. The write is queued before the setter returns, so that later
/// writes come after it, and `close()` performs it first. If several values are set while a write is in progress, only
/// the newest is written. Until the newest value is on stable storage, no earlier value is shown again, regardless of
/// its source, and no earlier value gets into the store. A requested write is performed even if the object no longer
/// exists.
///
/// **A write that fails** resets ``value`` to the value in the store. ``failure`` contains the error, ``onFailure`` is
/// called, and the store's `diagnostics` reports the failure.
///
/// Values are encoded and decoded on the main actor. A value of one megabyte takes some milliseconds. If a value is
/// that large and changes with each keystroke, store it with `GlobalData.set` when the user has finished.
@MainActor
public final class ObservableValue<Value: Codable>: Observable {
  private let observed: ObservedValue<Value>

  /// The function that is called on the main actor if a new value set through ``value`` of this object could not be
  /// written.
  ///
  /// When the function is called, ``value`` has already been reset. The function is not called for a value that was
  /// replaced with a newer one, nor for ``set(_:)``, which throws.
  public var onFailure: (@MainActor (any Error) -> Void)?

  init(_ key: GlobalData.Key<Value>, in store: GlobalData) { observed = .shared(key, in: store) }

  /// The current value, or the key's default. Setting an optional to `nil` removes the value from the store, and shows
  /// the default.
  ///
  /// If the stored value cannot be read, this property is the default. Setting it could then lose the stored value, as
  /// in `settings.value.isDark = true`. So setting replaces the stored value only if reads of it throw `typeMismatch`
  /// or `decodingFailed`. Any other value stays in the store, such as one that a later version of the app wrote, and
  /// ``failure`` contains the error of the read. `GlobalData.set` replaces every value.
  ///
  /// - Complexity: O(1) to get. Setting a value encodes it, in O(*n*) in the size of the value.
  public var value: Value {
    get { observed.value }
    set { observed.set(newValue, onFailure: onFailure) }
  }

  /// The error if the value that was set last could not be written. This is `nil` if the value was written, or if the
  /// outcome is not known yet.
  public var failure: (any Error)? { observed.failure }

  /// Shows a new value immediately, and returns when this value, or a newer one that was set since, is on stable
  /// storage.
  ///
  /// - Throws: ``GlobalDataError`` as `GlobalData.set(_:for:)` does, or that of a read, as for setting ``value``. In
  ///   both cases, ``value`` has been reset to the value in the store.
  /// - Complexity: O(*n*) in the size of the value, and as `GlobalData.set(_:for:)`.
  public func set(_ value: Value) async throws { try await observed.set(value) }

  /// Returns when the value that was set last, through this object or another one for the same key, is on stable
  /// storage.
  ///
  /// - Throws: ``GlobalDataError`` if the value could not be written. In that case, ``value`` has been reset to the
  ///   value in the store.
  public func waitUntilStored() async throws { try await observed.waitUntilStored() }
}

/// The value of a declared key in a store. There is one object for each store and key, as long as the key has an
/// observer.
///
/// A new value is shown immediately, and is queued before the setter returns. While a write is in progress, the store's
/// value is older than the shown one and is not read. After the newest write has ended, the store's value is shown
/// again.
///
/// Values are encoded and decoded on the main actor, and never leave it.
@MainActor @Observable
final class ObservedValue<Value: Codable> {
  typealias FailureHook = @MainActor (any Error) -> Void

  private struct Write {
    let number: Int
    /// Ends once this object has recorded the outcome of the write.
    let task: Task<Void, any Error>
  }

  private(set) var value: Value
  /// The error if the newest write failed; `nil` once a value is set again.
  private(set) var failure: (any Error)?

  @ObservationIgnored let store: GlobalData
  @ObservationIgnored private let key: GlobalData.Key<Value>
  @ObservationIgnored private let changes = ChangedKeys()
  @ObservationIgnored private var registration: StoreObservers.Registration?
  /// The newest write, while it is in progress.
  @ObservationIgnored private var newest: Write?
  @ObservationIgnored private var lastNumber = 0
  @ObservationIgnored private var storedNumber = 0
  /// The error if the default is shown for a value that could not be read. A new value may be the default with one part
  /// changed, and must not replace the stored one.
  @ObservationIgnored private var refusal: (any Error)?
  /// The bytes of the shown value, if it is a number or a text and was set.
  @ObservationIgnored private var setRecord: SharedBytes?

  fileprivate init(_ key: GlobalData.Key<Value>, in store: GlobalData) {
    self.key = key
    self.store = store
    value = key.defaultValue
    let name = key.name
    registration = store.observers.add(of: name, changes.observer { Set($0.contains(name) ? [name] : []) })
    changes.onChange = { [weak self] in self?.noteChange() }
    // Read the value after the registration, so that no change in between is missed.
    showStored(opening: true)
  }

  private func noteChange() {
    _ = changes.take()
    // This method is also called for a write in progress, and for the writes before it.
    if newest == nil { showStored() }
  }

  /// Shows the value in the store, or the default if it cannot be read.
  private func showStored(opening: Bool = false) {
    setRecord = nil
    do {
      refusal = nil
      show(opening ? try store.value(for: key) : try store.engine.memory.withoutOpening { try store.value(for: key) })
    } catch {
      switch (error as? GlobalDataError)?.code {
      case .typeMismatch, .decodingFailed: break  // a control could never replace it
      default: refusal = error
      }
      store.reportUnreadable(key.name, error)
      show(key.defaultValue)
    }
  }

  /// Shows a value. The earlier one is released afterward, because the `deinit` of an instance in it may read this one.
  private func show(_ newValue: Value) {
    let earlier = _value
    value = newValue
    withExtendedLifetime(earlier) {}
  }

  // MARK: Writing

  /// Shows a value and queues the write. A value that cannot be encoded is not shown. If the write fails and no newer
  /// value has been set, calls `onFailure` later on the main actor.
  func set(_ newValue: Value, onFailure: FailureHook?) {
    do {
      try begin(newValue) { [self] in report($0, onFailure) }
    } catch {
      let number = lastNumber
      // Report the error later: the code that sets a value does not expect a call before the setter returns.
      Task { report(error, number == lastNumber ? onFailure : nil) }
    }
  }

  /// Shows a value, and returns when this value or a newer one is on stable storage. Throws an error if neither could
  /// be written.
  func set(_ newValue: Value) async throws { try await end(of: begin(newValue) { _ in }) }

  /// Returns when the value that was set last is on stable storage.
  func waitUntilStored() async throws {
    // A value that was set last and could not be encoded comes after the newest write.
    if let failure { throw failure }
    if let newest { try await end(of: newest) }
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

  /// Shows a value and begins its write. Calls `onFailure` if the write fails and is the newest one. Throws an error if
  /// the value cannot be encoded or must not be set.
  @discardableResult
  private func begin(_ newValue: Value, onFailure: @escaping FailureHook) throws -> Write {
    lastNumber += 1
    let number = lastNumber
    let begun: (entry: StoredEntry?, task: Task<Void, any Error>)
    do {
      if let refusal { throw refusal }
      begun = try store.beginSet(newValue, for: key)
    } catch {
      // A control shows the user's input, and has to read the actual value again.
      withMutation(keyPath: \.value) {}
      if refusal != nil { showStored(opening: true) }
      failure = error
      throw error
    }
    // Some controls, such as `MenuBarExtra`, set the value that they show at each update. A view that is updated for it
    // would never come to rest.
    let record = begun.entry?.record
    if setRecord == nil || record != setRecord {
      // A removed value is the default for all readers of the store, and so it is here.
      show(record == nil ? key.defaultValue : newValue)
    }
    // The same bytes of another type can be two values that differ in what is not stored.
    setRecord = SelfDescribingScalars.contains(Value.self) ? record : nil
    if failure != nil { failure = nil }
    // The task retains this object until the write has ended.
    let task = Task {
      let result = await begun.task.result
      finish(number, begun.entry, result, onFailure)
      try result.get()
    }
    let write = Write(number: number, task: task)
    newest = write
    return write
  }

  private func finish(
    _ number: Int, _ entry: StoredEntry?, _ result: Result<Void, any Error>, _ onFailure: FailureHook
  ) {
    if case .success = result { storedNumber = max(storedNumber, number) }
    // The outcome of a newer write is not known yet.
    guard newest?.number == number else { return }
    newest = nil
    // The shown value is the one that was encoded. It is decoded again only if a later change has replaced it.
    if !store.shows(entry, forKey: key.name) { showStored() }
    if case .failure(let error) = result {
      failure = error
      onFailure(error)
    }
  }

  private func report(_ error: any Error, _ onFailure: FailureHook?) {
    store.engine.diagnostics.report(
      .writeFailed, "the new value of \(key.name.quoted) could not be written safely", error, key: key.name)
    onFailure?(error)
  }

  // MARK: One object for each key

  static func shared(_ key: GlobalData.Key<Value>, in store: GlobalData) -> ObservedValue {
    let observed = ObservedKey(
      engine: ObjectIdentifier(store.engine), key: key.name, type: ObjectIdentifier(Value.self))
    if let object = ObservedObjects.find(observed) as? ObservedValue { return object }
    let object = ObservedValue(key, in: store)
    ObservedObjects.insert(object, observed)
    return object
  }
}

/// A key in a store that is observed as a value of a type.
private struct ObservedKey: Hashable {
  /// Stores of one file share one engine. An object keeps its engine alive, so the identifier is not reused while the
  /// object exists.
  let engine: ObjectIdentifier
  let key: String
  let type: ObjectIdentifier
}

/// The objects of all observed keys. Observers of the same key share its object, so that they agree immediately.
@MainActor private enum ObservedObjects {
  private struct Reference {
    weak var object: AnyObject?
  }

  private static var all = SharedCodeDictionary<ObservedKey, Reference>()
  /// The number of entries at which those whose object is gone are removed.
  private static var limit = 16
  private static var count = 0

  static func find(_ key: ObservedKey) -> AnyObject? { all[key]?.object }

  static func insert(_ object: AnyObject, _ key: ObservedKey) {
    all[key] = Reference(object: object)
    count += 1
    guard count > limit else { return }
    for key in all.keys where find(key) == nil { all[key] = nil }
    count = all.contents.count
    limit = max(16, count * 2)
  }
}

extension GlobalData {
  /// Encodes a value on the caller's actor and queues the write. The value `nil` is queued as a removal. If an error is
  /// thrown, nothing is queued.
  ///
  /// When this method returns, the position of the write is fixed: later requests come after it, ``close()`` performs
  /// it first, and ``clear()`` removes it. All writes that are queued during a running commit are committed together,
  /// so that only the newest value of a key is written.
  ///
  /// - Returns: The entry, or `nil` for a removal, and a task that ends when the write is on stable storage or has
  ///   failed. The write is performed even if nothing waits for the task.
  fileprivate nonisolated func beginSet<Value: Codable>(
    _ value: Value, for key: Key<Value>
  ) throws -> (entry: StoredEntry?, task: Task<Void, any Error>) {
    noteDeclaration(key)
    let key = key.name
    // The number is taken before the value is encoded, as in `set`.
    let number = engine.queue.takeNumber()
    var entry: StoredEntry?
    if isNil(value) {
      try StoredEntry.check(key, configuration.limits)
    } else {
      entry = try StoredEntry(key: key, configuration, in: url) { try $0.encodeItem(value, $1) }
    }
    let queued = engine.queue.add(entry.map { StoreTicket.Request.set($0) } ?? .remove(key), number: number)
    // The commit does not wait for the caller's actor, because other writers may wait for the commit.
    let task = Task.detached { [self] in
      if queued.mustCommit { await commitOnStoresThread() }
      try await queued.ticket.wait()
    }
    return (entry, task)
  }

  /// Returns whether readers see an entry, or no entry, under a key. A store that was closed stays closed.
  fileprivate nonisolated func shows(_ entry: StoredEntry?, forKey key: String) -> Bool {
    engine.memory.withSeenContents { DraftedContents(contents: $0).holds(entry, forKey: key) }
  }
}
