import CodingSupport

/// Values that stand in one scalar, and are read from scalars of other types too, where nothing is lost.
protocol ConvertingCodec: ValueCodec {
  func readAsIs(from container: Fields, _ key: FieldKey) throws -> Value?

  /// The value that a scalar of any type stands for, or `nil` where there is none.
  func converted(from raw: RawScalar) -> Value?
}

extension ConvertingCodec where Value: Decodable {
  var isMendable: Bool { true }

  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Value? {
    do {
      return try readAsIs(from: container, key)
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

  // Not every coder throws its `DecodingError` here: Foundation's makes some only when it is left.
  private func convert(_ decoder: any Decoder, _ context: DecodingContext, after error: any Error) throws -> Value {
    let raw = try RawScalar(from: decoder, context.keys)
    guard let value = converted(from: raw) else { throw DecodingError.mismatch(Value.self, raw, decoder, error) }
    let isHeld = (value as? any BinaryFloatingPoint).flatMap { raw.numeral?.isHeld(by: $0) } ?? true
    context.report(
      isHeld ? .coercion : .rounding, at: decoder, found: raw.description, made: String(reflecting: value))
    return value
  }
}
