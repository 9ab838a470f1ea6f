import CodingSupport

/// A codec for single scalars, which also reads scalars of other types if nothing is lost.
protocol ConvertingCodec: ValueCodec {
  func readAsIs(from container: Fields, _ key: FieldKey) throws -> Value?

  /// Returns the value of a scalar of any type, or `nil` if it has none.
  func converted(from raw: RawScalar) -> Value?

  /// Returns whether a scalar needs no conversion, so that the type itself has refused the value.
  func isRefused(_ raw: RawScalar) -> Bool
}

extension ConvertingCodec where Value: Decodable {
  var isReadableInParts: Bool { true }

  func isRefused(_ raw: RawScalar) -> Bool { false }

  func readAsIs(from container: Fields, _ key: FieldKey) throws -> Value? {
    try container.decodeIfPresent(Value.self, forKey: key)
  }

  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Value? {
    do {
      return try readAsIs(from: container, key)
    } catch {
      return try convert(container.superDecoder(forKey: key), context, after: error)
    }
  }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    try readConverting(from: decoder, context)
  }

  /// Reads with the decoder and, if that fails, converts.
  func readConverting(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    do {
      return try decoder.singleValueContainer().decode(Value.self)
    } catch {
      return try convert(decoder, context, after: error)
    }
  }

  // Not every coder throws a `DecodingError` here: Foundation's coders create some only when decoding ends.
  private func convert(_ decoder: any Decoder, _ context: DecodingContext, after error: any Error) throws -> Value {
    // The archive's own errors are not about the kind of scalar: for example, a migration failed, and the scalar may
    // mean something else than it did.
    if !(error is DecodingError), decoder.userInfo.isStorage { throw error }
    let raw = try RawScalar(from: decoder, context.keys)
    let value = isRefused(raw) ? nil : converted(from: raw)
    let isHeld = (value as? any BinaryFloatingPoint).flatMap { raw.numeral?.isHeld(by: $0) } ?? true
    // A number from JSON may be rounded, because the report lists it. Stored values have no report.
    guard let value, isHeld || context.keys == .json else {
      // The decoder knows what it found, and this function does not.
      if case .composite = raw, error is DecodingError { throw error }
      throw DecodingError.mismatch(Value.self, raw, decoder.codingPath, error is DecodingError ? nil : error)
    }
    context.report(isHeld ? .coercion : .rounding, at: decoder, found: raw.description, made: String(reflecting: value))
    return value
  }
}
