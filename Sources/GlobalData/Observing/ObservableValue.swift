public import Observation

/// The value of a declared key, as an object that views follow; see `GlobalData.observable(_:)`.
///
/// ```swift
/// let volume = GlobalData.observable(.volume)
/// volume.value = 0.7
/// ```
///
/// It follows changes of its store, also those made by other processes, for as long as it lives. All objects for one
/// key of one store show the same at any moment.
///
/// **Setting** ``value`` shows the new one immediately. The store follows: it has queued the write before the setter
/// returns, so that later writes come later, and `close()` makes it first. Of values that are set while one is being
/// written only the newest is written. Until it is on stable storage, no earlier value shows again, wherever it comes
/// from; nor does it get into the store. A write that was asked for is made even if the object is gone.
///
/// **A write that fails** takes ``value`` back to what the store has. ``failure`` says why, ``onFailure`` is called,
/// and the store's `diagnostics` tell of it.
///
/// Values are encoded and decoded on the main actor. A value of a megabyte takes some milliseconds; one that is so
/// large and is set at each stroke of a key is better stored by `GlobalData.set` when the user is done.
@MainActor
public final class ObservableValue<Value: Codable>: Observable {
  private let observed: ObservedValue<Value>

  /// The function that is called, on the main actor, when a value that ``value`` of this object was set to could not be
  /// written.
  ///
  /// ``value`` has been taken back by then. It is not called for a value in whose place a newer one was set, nor for
  /// ``set(_:)``, which throws.
  public var onFailure: (@MainActor (any Error) -> Void)?

  init(_ key: GlobalData.Key<Value>, in store: GlobalData) {
    observed = .shared(key, in: store)
  }

  /// The value now, or the key's default. Setting an optional to `nil` removes the value from the store.
  ///
  /// - Complexity: O(1) to get; O(*n*) in the size of the value to set, which encodes it.
  public var value: Value {
    get { observed.value }
    set { observed.set(newValue, onFailure: onFailure) }
  }

  /// Why the value that was set last could not be written; `nil` when it could, and as long as that is not known.
  public var failure: (any Error)? { observed.failure }

  /// Shows a new value immediately, and returns when it, or a newer one that was set since, is on stable storage.
  ///
  /// - Throws: ``GlobalDataError`` as `GlobalData.set(_:for:)` does; ``value`` has been taken back then to what the
  ///   store has.
  /// - Complexity: O(*n*) in the size of the value, and as `GlobalData.set(_:for:)`.
  public func set(_ value: Value) async throws {
    try await observed.set(value)
  }

  /// Returns when the value that was set last, here or in another object for the same key, is on stable storage.
  ///
  /// - Throws: ``GlobalDataError`` when it could not be written; ``value`` has been taken back then to what the store
  ///   has.
  public func waitUntilStored() async throws {
    try await observed.waitUntilStored()
  }
}
