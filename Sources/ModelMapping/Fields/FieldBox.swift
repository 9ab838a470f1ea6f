/// Where the value of a field is.
///
/// A struct cannot be changed by reflection, so a fresh model is filled through the boxes of its fields; later a field
/// changes its box only if no other field has it.
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

extension FieldBox {
  /// Makes the box of a field, and records it if a model is being made to be filled. Inlined into programs: making an
  /// object of a generic class takes several times as long where its type is learned at run time.
  @inlinable
  static func make(_ value: () -> Value, declaring declaration: () -> AnyObject) -> FieldBox {
    guard let collector = FieldCollector.open() else { return FieldBox(value()) }
    let box = FieldBox(value())
    collector.close(box, declaration)
    return box
  }
}

protocol FieldStorage {
  var anyBox: AnyObject { get }
}
