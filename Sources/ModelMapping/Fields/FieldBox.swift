/// The storage of a field's value, unless the value is in the field itself.
///
/// The fields of a class are filled through their boxes. Later, a field changes its box only if no other field shares
/// it.
///
/// `@unchecked Sendable` is safe if `Value` is `Sendable`. Once a model is filled, only a mutating access of the one
/// field that refers to a box changes it, and that access is exclusive. A model is filled before `init(from:)` returns,
/// by the thread that created it. ``Model/init()`` requires that no copy of the model is passed to another thread
/// before.
@_fixed_layout @usableFromInline final class FieldBox<Value> {
  @usableFromInline @exclusivity(unchecked) var value: Value

  @inlinable init(_ value: Value) { self.value = value }
}

extension FieldBox: @unchecked Sendable where Value: Sendable {}

/// A property with a field's declaration and content.
protocol FieldStorage {
  /// The field's box, or a new one with a copy of its value.
  var anyBox: AnyObject { get }

  /// The offset of the box's address in the memory of the field, or `nil` if it is not found there.
  var offsetOfBox: Int? { get }
}
