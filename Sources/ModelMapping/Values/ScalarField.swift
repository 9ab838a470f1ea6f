/// Reads and writes the boxes of scalars without generic code. Most fields of models are text, numbers and flags, for
/// which generic code of a type learned at run time takes several times as long as a coder.
struct ScalarField: Sendable {
  private let type: any FieldScalar.Type
  private let isOptional: Bool
  private let boxType: ObjectIdentifier
  /// Whether the values are texts, which some coders read and write directly.
  let isText: Bool

  /// - Returns: `nil` for a type that is neither a scalar nor an optional one.
  init?(_ type: Any.Type) {
    if let scalar = type as? any FieldScalar.Type {
      self.type = scalar
      isOptional = false
      boxType = scalar.boxTypes.plain
    } else if let optional = type as? any OptionalOfScalar.Type, let scalar = optional.scalarType {
      self.type = scalar
      isOptional = true
      boxType = scalar.boxTypes.optional
    } else {
      return nil
    }
    isText = self.type == String.self
  }

  /// Whether a box has the class that the other calls take for granted.
  func accepts(_ box: AnyObject) -> Bool {
    ObjectIdentifier(Swift.type(of: box)) == boxType
  }

  /// Reads the value under a key into a box that is accepted.
  func fill(_ box: AnyObject, from container: Fields, _ key: FieldKey) throws -> Bool {
    try type.fill(self, box, from: container, key)
  }

  /// Writes the value of a box that is accepted.
  func write(_ box: AnyObject, into container: inout NewFields, _ key: FieldKey) throws {
    try type.write(self, box, into: &container, key)
  }

  // These two are called with the scalar type itself as `Value`, for a box whose class was compared with that for this
  // type or for an optional of it.

  @inline(__always)
  func put<Value>(_ value: Value?, into box: AnyObject) -> Bool {
    guard let value else { return false }
    if isOptional {
      unsafeDowncast(box, to: FieldBox<Value?>.self).value = value
    } else {
      unsafeDowncast(box, to: FieldBox<Value>.self).value = value
    }
    return true
  }

  @inline(__always)
  func value<Value>(in box: AnyObject, as type: Value.Type) -> Value? {
    isOptional
      ? unsafeDowncast(box, to: FieldBox<Value?>.self).value : unsafeDowncast(box, to: FieldBox<Value>.self).value
  }
}

private protocol OptionalOfScalar {
  static var scalarType: (any FieldScalar.Type)? { get }
}

extension Optional: OptionalOfScalar {
  fileprivate static var scalarType: (any FieldScalar.Type)? { Wrapped.self as? any FieldScalar.Type }
}
