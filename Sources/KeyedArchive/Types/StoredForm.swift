/// A type whose stored form this module chooses, not its own `encode(to:)`. One file holds both directions.
protocol SpeciallyEncodable {
  /// Whether the stored form alone tells a reader the type, so that no name has to be written.
  static var isSelfDescribing: Bool { get }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws
}

protocol SpeciallyDecodable {
  /// Whether the type reads the name that may stand before a value, instead of having it checked and removed.
  static var readsNames: Bool { get }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self
}

extension SpeciallyDecodable {
  static var readsNames: Bool { false }
}

/// Reads a value as the type that it is, which must be the same under another name. The cast is safe because the types
/// are compared first, in release builds too. Unlike ``identityCast(_:to:)`` it makes no optional, whose type the
/// runtime would have to look up where it is generic.
@inline(__always)
func identical<Value, Target>(_ value: Value, to _: Target.Type) -> Target {
  precondition(Value.self == Target.self)
  return unsafeBitCast(value, to: Target.self)
}

/// Reads a value as the type that it is known to be, without a dynamic cast. The cast is safe because it is made only
/// when both types are the same; a dynamic cast would cost more than storing the value.
@inline(__always)
func identityCast<Value, Target>(_ value: Value, to _: Target.Type) -> Target? {
  Value.self == Target.self ? unsafeBitCast(value, to: Target.self) : nil
}
