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

  init(_ key: GlobalData.Key<Value>, in store: GlobalData) {
    observed = .shared(key, in: store)
  }

  /// The current value, or the key's default. Setting an optional to `nil` removes the value from the store.
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
  /// - Throws: ``GlobalDataError`` as `GlobalData.set(_:for:)` does. In that case, ``value`` has been reset to the
  ///   value in the store.
  /// - Complexity: O(*n*) in the size of the value, and as `GlobalData.set(_:for:)`.
  public func set(_ value: Value) async throws {
    try await observed.set(value)
  }

  /// Returns when the value that was set last, through this object or another one for the same key, is on stable
  /// storage.
  ///
  /// - Throws: ``GlobalDataError`` if the value could not be written. In that case, ``value`` has been reset to the
  ///   value in the store.
  public func waitUntilStored() async throws {
    try await observed.waitUntilStored()
  }
}
