/// Enumerations and other types with raw values that are scalars, which are read from scalars of other types too.
struct RawValueCodec<Value: RawRepresentable & Codable>: ValueCodec {
  var isMendable: Bool { true }

  func readIfPresent(
    from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey, _ context: DecodingContext
  ) throws -> Value? {
    do {
      return try container.decodeIfPresent(Value.self, forKey: key)
    } catch {
      return try convert(container.superDecoder(forKey: key), context, after: error)
    }
  }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    do {
      return try decoder.singleValueContainer().decode(Value.self)
    } catch {
      return try convert(decoder, context, after: error)
    }
  }

  private func convert(_ decoder: any Decoder, _ context: DecodingContext, after error: any Error) throws -> Value {
    let raw = try RawScalar(from: decoder, context.keys)
    func make<Scalar: FieldScalar>(_ type: Scalar.Type) -> Value? {
      (type.converted(from: raw) as? Value.RawValue).flatMap(Value.init(rawValue:))
    }
    guard let type = Value.RawValue.self as? any FieldScalar.Type, let value = make(type) else {
      throw DecodingError.mismatch(Value.self, raw, decoder, error)
    }
    context.report(.coercion, decoder.codingPath, found: raw.description, made: String(reflecting: value))
    return value
  }
}
