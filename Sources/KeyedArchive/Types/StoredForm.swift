/// A type whose stored form this module defines, not its own `encode(to:)`. One file contains both directions.
protocol SpeciallyEncodable {
  /// Whether the stored form alone identifies the type to a reader, so that no name has to be written. The default is
  /// `false`.
  static var isSelfDescribing: Bool { get }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws
}

protocol SpeciallyDecodable {
  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self
}

extension SpeciallyEncodable {
  static var isSelfDescribing: Bool { false }
}

/// A type that reads the name that may precede a value, instead of having the name checked and removed.
protocol NameReading: SpeciallyDecodable {}

/// Returns a value as a type that must be its own type. The cast is safe because the types are compared first, in
/// release builds too. Unlike ``identityCast(_:to:)``, this function creates no optional, whose type the runtime would
/// have to look up if it is generic.
@inline(__always)
func identical<Value, Target>(_ value: Value, to _: Target.Type) -> Target {
  precondition(Value.self == Target.self)
  return unsafeBitCast(value, to: Target.self)
}

/// Returns a value as another type if both types are the same, and `nil` otherwise. The cast is safe because it is done
/// only if both types are the same. A dynamic cast would cost more than storing the value.
@inline(__always)
package func identityCast<Value, Target>(_ value: Value, to _: Target.Type) -> Target? {
  Value.self == Target.self ? unsafeBitCast(value, to: Target.self) : nil
}

/// A type in FoundationForms that writes its stored form with an encoder. The type's name is written first if no reader
/// knows the type.
package protocol RarelyEncodable {
  func encodeStored(to encoder: any Encoder) throws
}

/// A type in FoundationForms that reads its stored form.
package protocol RarelyDecodable {
  init(stored decoder: ValueDecoder) throws
}

/// A generic type in FoundationForms.
package protocol RareGenericType: CompositeType {
  /// Returns the same generic type with another type argument.
  static func type<Argument>(of _: Argument.Type) -> Any.Type
}
