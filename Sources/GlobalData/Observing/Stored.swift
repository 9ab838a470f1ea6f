#if canImport(SwiftUI)

public import SwiftUI

/// A stored value as a property of a view. The view shows the value, and its controls set it.
///
/// ```swift
/// struct Settings: View {
///   @Stored(.volume) var volume
///
///   var body: some View {
///     Slider(value: $volume)
///     Button("Mute") { volume = 0 }
///   }
/// }
/// ```
///
/// The view follows each change, including those by other code and other processes. All views of one key of one store
/// show the same value at any moment. If a control sets a value, the value is shown immediately and then written to the
/// store. If the write fails, the store's value is shown again. See ``ObservableValue``, which this wrapper uses.
///
/// All of this happens on the main actor.
@propertyWrapper
public struct Stored<Value: Codable>: DynamicProperty {
  private let key: GlobalData.Key<Value>
  private let store: GlobalData?
  private let onFailure: (@MainActor (any Error) -> Void)?
  @State private var holder = ObservableValueHolder<Value>()

  /// Creates a property that follows the value of a declared key.
  ///
  /// - Parameters:
  ///   - key: The key. Its default is shown if no value is set.
  ///   - store: The store. By default, this is the store that is `GlobalData.current` when the view first uses the
  ///     value.
  ///   - onFailure: A function that is called on the main actor if a value that this view set could not be written.
  ///     When the function is called, the view already shows the store's value again. The store's `diagnostics` also
  ///     reports the failure.
  public init(
    _ key: GlobalData.Key<Value>, store: GlobalData? = nil, onFailure: (@MainActor (any Error) -> Void)? = nil
  ) {
    self.key = key
    self.store = store
    self.onFailure = onFailure
  }

  /// The current value, or the key's default. Setting an optional to `nil` removes the value from the store, and shows
  /// the default.
  @MainActor public var wrappedValue: Value {
    get { object.value }
    nonmutating set { object.value = newValue }
  }

  /// A binding to the value, for controls.
  @MainActor public var projectedValue: Binding<Value> { Bindable(object).value }

  /// The error if the value that was set last, by this view or another one, could not be written. This is `nil` if the
  /// value was written, or if the outcome is not known yet. A view with `@Stored(.volume) var volume` reads the error
  /// as `_volume.failure`, and follows its changes.
  @MainActor public var failure: (any Error)? { object.failure }

  @MainActor private var object: ObservableValue<Value> { holder.object(key, store, onFailure) }
}

/// The object of a view's property, kept for as long as the view exists, however often the view's value is recreated.
@MainActor private final class ObservableValueHolder<Value: Codable> {
  private struct Content {
    let object: ObservableValue<Value>
    let keyName: String
    let store: GlobalData?
  }

  private var content: Content?

  /// Creates an empty holder. One is created with each value of a view, and most are discarded immediately.
  nonisolated init() {}

  func object(
    _ key: GlobalData.Key<Value>, _ store: GlobalData?, _ onFailure: (@MainActor (any Error) -> Void)?
  ) -> ObservableValue<Value> {
    // The store that was current at first remains in use, because SwiftUI also updates views outside of `withStore`.
    // Stores at one path share one engine, and a view may create a new store each time, so the engines are compared.
    if let content, content.keyName == key.name, content.store?.engine === store?.engine {
      content.object.onFailure = onFailure
      return content.object
    }
    let object = (store ?? .current).observable(key)
    object.onFailure = onFailure
    content = Content(object: object, keyName: key.name, store: store)
    return object
  }
}

#endif
