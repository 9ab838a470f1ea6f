public import Observation

// documentation/swiftui/dynamicproperty: isolated to no actor.
public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

// documentation/swiftui/state
@propertyWrapper public struct State<Value>: DynamicProperty {
  private let slot: StateSlot<Value>

  public init(wrappedValue value: Value) {
    slot = StateSlot(value)
  }

  public var wrappedValue: Value {
    get { slot.location.value }
    nonmutating set { slot.location.value = newValue }
  }

  public var projectedValue: Binding<Value> {
    Binding(get: { [slot] in slot.location.value }, set: { [slot] in slot.location.value = $0 })
  }
}

// As in the SDK, where its storage has locks. Here, everything is on the main actor.
extension State: @unchecked Sendable where Value: Sendable {}

/// The location of a state's value: first beside the view's value, and with the view once that is installed.
private final class StateSlot<Value> {
  var location: StateLocation<Value>

  init(_ value: Value) {
    location = StateLocation(value)
  }
}

@Observable private final class StateLocation<Value> {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }
}

/// A property whose value stays with the view, however often the view's value is created again.
package protocol KeptProperty {
  /// Takes the storage that was kept, and returns the storage to keep.
  func connect(to kept: AnyObject?) -> AnyObject
}

extension State: KeptProperty {
  package func connect(to kept: AnyObject?) -> AnyObject {
    if let location = kept as? StateLocation<Value> { slot.location = location }
    return slot.location
  }
}

// documentation/swiftui/binding; the initializer with two closures is left out, because nothing here uses it.
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
  private let get: () -> Value
  private let set: (Value) -> Void

  fileprivate init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    self.get = get
    self.set = set
  }

  public init(projectedValue: Binding<Value>) {
    self = projectedValue
  }

  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  public var projectedValue: Binding<Value> { self }

  public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding<Subject>(get: { wrappedValue[keyPath: keyPath] }, set: { wrappedValue[keyPath: keyPath] = $0 })
  }
}

// As in the SDK. Here, everything is on the main actor.
extension Binding: @unchecked Sendable where Value: Sendable {}

extension Binding: DynamicProperty {}

// documentation/swiftui/bindable
@dynamicMemberLookup @propertyWrapper public struct Bindable<Value> {
  private var object: Value

  public var wrappedValue: Value {
    get { object }
    set { object = newValue }
  }

  public var projectedValue: Bindable<Value> { self }
}

extension Bindable where Value: AnyObject {
  public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding(
      get: { [wrappedValue] in wrappedValue[keyPath: keyPath] },
      set: { [wrappedValue] in wrappedValue[keyPath: keyPath] = $0 })
  }
}

extension Bindable where Value: AnyObject, Value: Observable {
  public init(wrappedValue: Value) {
    object = wrappedValue
  }

  public init(_ wrappedValue: Value) {
    object = wrappedValue
  }

  public init(projectedValue: Bindable<Value>) {
    self = projectedValue
  }
}

extension Bindable: Sendable where Value: Sendable {}
