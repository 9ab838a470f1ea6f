import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Encodes a value in every position that a value can have, decodes it, and expects the same value.
///
/// The expected bytes are those of an archive with only this value, which begins with the type's name unless the form
/// is self-describing. They are given in hexadecimal digits. A trait is compared if `==` is not exact enough.
func expectRoundTrip<Value: Codable, Trait: Equatable>(
  _ value: Value, stored: String? = nil, by trait: (Value) -> Trait, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let data = try KeyedArchiveEncoder().encode(value)
  if let stored {
    #expect(data.hex == hex(stored), sourceLocation: sourceLocation)
  }
  let alone = try KeyedArchiveDecoder().decode(Value.self, from: data)
  #expect(trait(alone) == trait(value), sourceLocation: sourceLocation)

  let places = try roundTrip(Places(value))
  #expect(trait(places.property) == trait(value), sourceLocation: sourceLocation)
  #expect(places.optional.map(trait) == trait(value), sourceLocation: sourceLocation)
  #expect(places.absent.map(trait) == nil, sourceLocation: sourceLocation)
  #expect(places.elements.map(trait) == [trait(value), trait(value)], sourceLocation: sourceLocation)
  #expect(places.gaps.map { $0.map(trait) } == [nil, trait(value)], sourceLocation: sourceLocation)
  #expect(places.named.mapValues(trait) == ["key": trait(value)], sourceLocation: sourceLocation)
}

/// Encodes a value in every position that a value can have, decodes it, and expects an equal one.
func expectRoundTrip<Value: Codable & Equatable>(
  _ value: Value, stored: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try expectRoundTrip(value, stored: stored, by: \.self, sourceLocation: sourceLocation)
}

/// Returns the decoded form of a value that is stored alone.
func roundTrip<Value: Codable>(_ value: Value, registering types: any (Codable & Sendable).Type...) throws -> Value {
  let registry = TypeRegistry()
  try registry.register(types)
  let data = try KeyedArchiveEncoder(registry: registry).encode(value)
  return try KeyedArchiveDecoder(registry: registry).decode(Value.self, from: data)
}

/// Returns the decoded form, without naming a type, of a value whose type is not known statically.
func roundTripDynamically(
  _ value: any Sendable, registering types: any (Codable & Sendable).Type...
) throws -> (any Sendable)? {
  let registry = TypeRegistry()
  try registry.register(types)
  let data = try KeyedArchiveEncoder(registry: registry).encode(value)
  return try KeyedArchiveDecoder(registry: registry).decode(from: data)
}

/// Decodes a value from bytes in hexadecimal digits.
func decode<Value: Decodable>(_ type: Value.Type, _ hex: String) throws -> Value {
  try KeyedArchiveDecoder().decode(type, from: Data(hex: hex))
}

/// Returns the bytes of an encoded value as hexadecimal digits.
func encodedHex(_ value: some Encodable) throws -> String {
  try KeyedArchiveEncoder().encode(value).hex
}

/// One value in each position in which a model can hold it.
struct Places<Value: Codable>: Codable {
  var property: Value
  var optional: Value?
  var absent: Value?
  var elements: [Value]
  var gaps: [Value?]
  var named: [String: Value]

  init(_ value: Value) {
    property = value
    optional = value
    elements = [value, value]
    gaps = [nil, value]
    named = ["key": value]
  }
}
