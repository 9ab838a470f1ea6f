/// Where the value of a field is, unless it is in the field itself.
///
/// The fields of a class are filled through their boxes. Later, a field changes its box only if no other field has it.
///
/// `@unchecked Sendable` is right where `Value` is `Sendable`: after a model was filled, a box is changed by a mutating
/// access of the one field that refers to it, and the exclusivity of that access keeps all others away. A model is
/// filled before `init(from:)` returns, by the thread that made it. That its `init()` gave no copy of it to another
/// thread is what ``Model/init()`` asks for.
@usableFromInline
final class FieldBox<Value> {
  @usableFromInline @exclusivity(unchecked) var value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
  }
}

extension FieldBox: @unchecked Sendable where Value: Sendable {}

/// A property with a field's declaration and content.
protocol FieldStorage {
  /// The field's box, or a new one with a copy of its value.
  var anyBox: AnyObject { get }

  /// The offset of the box's address in the memory of the field, or `nil` if it is not found there.
  var offsetOfBox: Int? { get }
}
