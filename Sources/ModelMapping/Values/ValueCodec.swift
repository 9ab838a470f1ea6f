import CodingSupport

/// Reads and writes values of one type for a key. Determined once for each field.
protocol ValueCodec<Value>: Sendable {
  associatedtype Value

  /// Whether a value that the decoder refuses may be readable in parts, because it contains scalars. Never true for a
  /// value that contains models: they convert their own scalars, and a second reading at each level would double the
  /// time for each level.
  var isReadableInParts: Bool { get }

  /// Returns the value of a key, or `nil` if it is missing or null.
  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Value?

  /// Returns the decoder's whole value.
  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value

  func write(_ value: Value, into container: inout NewFields, _ key: FieldKey) throws

  /// Writes the value of an optional.
  func writeWrapped(_ value: Value, into container: inout NewFields, _ key: FieldKey) throws
}

extension ValueCodec {
  func writeWrapped(_ value: Value, into container: inout NewFields, _ key: FieldKey) throws {
    try write(value, into: &container, key)
  }

  var isReadableInParts: Bool { false }

  /// Reads with a separate decoder for the value.
  func readSeparately(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Value? {
    guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
    return try read(from: container.superDecoder(forKey: key), context)
  }
}

extension ValueCodec where Value: Codable {
  func write(_ value: Value, into container: inout NewFields, _ key: FieldKey) throws {
    try container.encode(value, forKey: key)
  }

  /// Reads with the decoder and, if that fails, in parts.
  func readWholeOrInParts(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Value? {
    let mark = context.mark
    do {
      return try container.decodeIfPresent(Value.self, forKey: key)
    } catch  where isReadableInParts {
      context.forget(since: mark)
      return try readSeparately(from: container, key, context)
    }
  }
}

/// A type that provides the codec of its values. Values of all other types code themselves.
protocol CodecProviding {
  static func codec(_ options: FieldOptions) -> any ValueCodec<Self>
}

/// Chooses the codec of a type.
enum CodecFactory {
  static func codec<Value: Codable>(for type: Value.Type, _ options: FieldOptions) -> any ValueCodec<Value> {
    if let type = type as? any CodecProviding.Type {
      func open<Provider: CodecProviding>(_ type: Provider.Type) -> (any ValueCodec<Value>)? {
        type.codec(options) as? any ValueCodec<Value>
      }
      if let codec = open(type) { return codec }
    }
    if let type = type as? any (RawRepresentable & Codable).Type {
      func open<Raw: RawRepresentable & Codable>(_: Raw.Type) -> (any ValueCodec<Value>)? {
        guard Raw.RawValue.self is any FieldScalar.Type else { return nil }
        return RawValueCodec<Raw>() as? any ValueCodec<Value>
      }
      if let codec = open(type) { return codec }
    }
    return PlainCodec<Value>()
  }
}

/// The codec of values that code themselves: models, and types that determine their own form.
struct PlainCodec<Value: Codable>: ValueCodec {
  /// Whether it is a wrapper around an optional, such as `Polymorphic`.
  private let mayBeNil = Value.self is any PossiblyNil.Type

  func write(_ value: Value, into container: inout NewFields, _ key: FieldKey) throws {
    if mayBeNil, let optional = value as? any PossiblyNil, optional.isNil { return }
    try container.encode(value, forKey: key)
  }

  func writeWrapped(_ value: Value, into container: inout NewFields, _ key: FieldKey) throws {
    // Called in this way, the archive's coder distinguishes nil from a value that is stored as null.
    try container.encodeIfPresent(Optional(value), forKey: key)
  }

  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Value? {
    try container.decodeIfPresent(Value.self, forKey: key)
  }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    try decoder.singleValueContainer().decode(Value.self)
  }
}

extension Optional: CodecProviding where Wrapped: Codable {
  static func codec(_ options: FieldOptions) -> any ValueCodec<Self> {
    // The coder determines which of two levels is `nil`.
    let wrapped: any ValueCodec<Wrapped> =
      Wrapped.self is any PossiblyNil.Type ? PlainCodec<Wrapped>() : CodecFactory.codec(for: Wrapped.self, options)
    return OptionalCodec(wrapped: wrapped)
  }
}

struct OptionalCodec<Wrapped>: ValueCodec {
  let wrapped: any ValueCodec<Wrapped>

  var isReadableInParts: Bool { wrapped.isReadableInParts }

  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Wrapped?? {
    try wrapped.readIfPresent(from: container, key, context).map { .some($0) }
  }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Wrapped? {
    try decoder.singleValueContainer().decodeNil() ? nil : wrapped.read(from: decoder, context)
  }

  func write(_ value: Wrapped?, into container: inout NewFields, _ key: FieldKey) throws {
    if let value { try wrapped.writeWrapped(value, into: &container, key) }
  }
}
