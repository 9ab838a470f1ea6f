import CodingSupport
import Foundation

/// A scalar that can also be read from scalars of other types if nothing is lost.
protocol FieldScalar: JSONScalar, Codable, Sendable, CodecProviding {
  // Most types have their own implementations, because containers have fast calls for them.
  static func read(_ key: FieldKey, in map: Fields) throws -> Self?
  func write(_ key: FieldKey, in map: inout NewFields) throws

  /// As above, for a location of this type of value or of its optional.
  static func fill(_ field: ScalarField, _ location: FieldLocation, from map: Fields, _ key: FieldKey) throws -> Bool
  static func write(_ field: ScalarField, _ location: FieldLocation, into map: inout NewFields, _ key: FieldKey) throws

  /// Reads a value of a JSON text into such a location. It can also be a scalar of another type.
  static func fill(
    _ field: ScalarField, _ location: FieldLocation, from value: Int, in source: JSONSource, _ path: () -> PathNode?
  ) throws -> Bool

  /// Returns the value of a scalar of any type, or `nil` if it has none.
  static func converted(from raw: RawScalar) -> Self?
}

extension FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }

  static func codec(_ options: FieldOptions) -> any ValueCodec<Self> { ScalarCodec() }

  // Compiled for each conforming type, so not generic.

  static func fill(_ field: ScalarField, _ location: FieldLocation, from map: Fields, _ key: FieldKey) throws -> Bool {
    field.put(try read(key, in: map), into: location)
  }

  static func fill(
    _ field: ScalarField, _ location: FieldLocation, from value: Int, in source: JSONSource, _ path: () -> PathNode?
  ) throws -> Bool {
    if source.context.collector == nil, let scalar = read(value, in: source) {
      return field.put(scalar, into: location)
    }
    return field.put(try source.readLeniently(value, path) as Self, into: location)
  }

  static func write(_ field: ScalarField, _ location: FieldLocation, into map: inout NewFields, _ key: FieldKey) throws
  {
    try field.value(in: location, as: Self.self)?.write(key, in: &map)
  }

  static var boxTypes: (plain: ObjectIdentifier, optional: ObjectIdentifier) {
    (ObjectIdentifier(FieldBox<Self>.self), ObjectIdentifier(FieldBox<Self?>.self))
  }
}

struct ScalarCodec<Value: FieldScalar>: ConvertingCodec {
  func readAsIs(from map: Fields, _ key: FieldKey) throws -> Value? { try Value.read(key, in: map) }

  func converted(from raw: RawScalar) -> Value? { Value.converted(from: raw) }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    guard let decoder = decoder as? JSONValueDecoder else { return try readConverting(from: decoder, context) }
    return try decoder.source.readLeniently(decoder.value) { decoder.path }
  }

  func write(_ value: Value, into map: inout NewFields, _ key: FieldKey) throws { try value.write(key, in: &map) }
}

extension DecodingError {
  static func mismatch(
    _ type: Any.Type, _ raw: RawScalar, _ path: [any CodingKey], _ error: (any Error)? = nil
  ) -> DecodingError {
    let advice =
      type == Date.self && raw.numeral != nil
      ? " A number has no unit or epoch: give the field a converter such as .unixSeconds."
      : ""
    let context = Context(
      codingPath: path, debugDescription: "Expected \(type), but found \(raw).\(advice)", underlyingError: error)
    if case .null = raw { return .valueNotFound(type, context) }
    return .typeMismatch(type, context)
  }

  var path: [any CodingKey] { context?.codingPath ?? [] }

  /// The text of the error, without its path.
  var reason: String { context?.debugDescription ?? "\(self)" }
}
