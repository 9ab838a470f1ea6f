/// Reads and writes the locations of scalars without generic code. Most fields of models are strings, numbers and
/// Booleans. For these, generic code with a type only known at run time takes several times as long as the coder
/// itself.
struct ScalarField: Sendable {
  private let type: any FieldScalar.Type
  private let isOptional: Bool
  private let boxType: ObjectIdentifier
  /// Whether the values are texts, which some coders read and write directly.
  let isText: Bool

  /// - Returns: `nil` for a type that is neither a scalar nor an optional scalar.
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

  /// Returns whether a box has the class that the other calls assume. A location in an instance is always accepted.
  func accepts(_ location: FieldLocation) -> Bool {
    switch location {
    case .box(let box): ObjectIdentifier(Swift.type(of: box)) == boxType
    case .field: true
    }
  }

  /// Reads the value under a key into a location that is accepted. A JSON object is read instead of the container.
  func fill(_ location: FieldLocation, from container: Fields, _ object: JSONObject?, _ key: FieldKey) throws -> Bool {
    guard let object else { return try type.fill(self, location, from: container, key) }
    guard let value = object.valueIfPresent(key.stringValue) else { return false }
    return try type.fill(self, location, from: value, in: object.source) { object.path(key.stringValue) }
  }

  /// Writes the value at a location that is accepted.
  func write(_ location: FieldLocation, into container: inout NewFields, _ key: FieldKey) throws {
    try type.write(self, location, into: &container, key)
  }

  // These two are called with the scalar type itself as `Value`, for a location that is accepted.

  @inline(__always)
  func put<Value>(_ value: Value?, into location: FieldLocation) -> Bool {
    guard let value else { return false }
    if isOptional { location.put(Optional(value)) } else { location.put(value) }
    return true
  }

  @inline(__always)
  func value<Value>(in location: FieldLocation, as type: Value.Type) -> Value? {
    isOptional ? location.value(as: Value?.self) : location.value(as: type)
  }
}

private protocol OptionalOfScalar {
  static var scalarType: (any FieldScalar.Type)? { get }
}

extension Optional: OptionalOfScalar {
  fileprivate static var scalarType: (any FieldScalar.Type)? { Wrapped.self as? any FieldScalar.Type }
}
