#if canImport(SwiftUI)

public import SwiftUI

/// A stored value as a property of a view: the view shows it, and its controls set it.
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
/// The view follows each change, also by other code and other processes. All views of one key of one store show the
/// same at any moment. What a control sets shows immediately; the store follows, and a write that fails takes it back:
/// see ``ObservableValue``, which it uses.
///
/// All of it happens on the main actor.
@propertyWrapper
public struct Stored<Value: Codable>: DynamicProperty {
  private let key: GlobalData.Key<Value>
  private let store: GlobalData?
  private let onFailure: (@MainActor (any Error) -> Void)?
  @State private var place = StoredPlace<Value>()

  /// Follows the value of a declared key.
  ///
  /// - Parameters:
  ///   - key: The key, whose default shows where no value is set.
  ///   - store: The store; without one, the store that is `GlobalData.current` when the view first uses the value.
  ///   - onFailure: The function that is called, on the main actor, when a value that this view set could not be
  ///     written. The view shows the store's value again by then. The store's `diagnostics` tell of it, too.
  public init(
    _ key: GlobalData.Key<Value>, store: GlobalData? = nil, onFailure: (@MainActor (any Error) -> Void)? = nil
  ) {
    self.key = key
    self.store = store
    self.onFailure = onFailure
  }

  /// The value now, or the key's default. Setting an optional to `nil` removes the value from the store.
  @MainActor public var wrappedValue: Value {
    get { object.value }
    nonmutating set { object.value = newValue }
  }

  /// A binding to the value, for controls.
  @MainActor public var projectedValue: Binding<Value> { Bindable(object).value }

  /// Why the value that was set last could not be written, by this view or another one; `nil` when it could, and as
  /// long as that is not known. A view `@Stored(.volume) var volume` gets it as `_volume.failure`, and follows it.
  @MainActor public var failure: (any Error)? { object.failure }

  @MainActor private var object: ObservableValue<Value> { place.object(key, store, onFailure) }
}

/// Keeps the object of a view's property as long as the view exists, however often its value is recreated.
@MainActor private final class StoredPlace<Value: Codable> {
  private struct Content {
    let object: ObservableValue<Value>
    let keyName: String
    let store: GlobalData?
  }

  private var content: Content?

  /// Empty at first: one is created with each value of a view, and most are dropped immediately.
  nonisolated init() {}

  func object(
    _ key: GlobalData.Key<Value>, _ store: GlobalData?, _ onFailure: (@MainActor (any Error) -> Void)?
  ) -> ObservableValue<Value> {
    // What was the current store at first stays: views are drawn again wherever SwiftUI comes to it, outside of
    // `withStore` too. Stores at one place have one engine, and a view may make one each time.
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
