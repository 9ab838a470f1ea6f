/// Where the value of a field is.
///
/// A struct cannot be changed by reflection, so a fresh model is filled through the boxes of its fields; later a field
/// changes its box only if no other field has it.
///
/// `@unchecked Sendable` is right where `Value` is `Sendable`: after a model was filled, a box is changed by a mutating access
/// of the one field that refers to it, and the exclusivity of that access keeps all others away. A model is filled before
/// `init(from:)` returns, by the thread that made it. That its `init()` gave no copy of it to another thread is what
/// ``Model/init()`` asks for.
final class FieldBox<Value> {
  @exclusivity(unchecked) var value: Value

  init(_ value: Value) {
    self.value = value
  }
}

extension FieldBox: @unchecked Sendable where Value: Sendable {}

/// A property wrapper whose value is in a box.
protocol FieldStorage {
  var anyBox: AnyObject { get }
}
