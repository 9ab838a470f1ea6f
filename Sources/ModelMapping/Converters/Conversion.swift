/// The two directions of a ``FieldConverter``.
protocol Conversion<Value>: Sendable {
  associatedtype Value

  /// Reads a value. The options are those of the field; only collections depend on them.
  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> Value

  func form(of value: Value) throws -> any Encodable
}

/// Converts by functions from and to another type.
struct FormConversion<Value, Form: Codable & Sendable>: Conversion {
  let reading: (@Sendable (Form) throws -> Value)?
  let writing: (@Sendable (Value) throws -> Form)?
  private let codec = CodecFactory.codec(for: Form.self, [])

  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> Value {
    guard let reading else { throw ModelError(.invalidDeclaration, "This converter can only write.") }
    let codec = options.isEmpty ? codec : CodecFactory.codec(for: Form.self, options)
    let form = try codec.read(from: decoder, context)
    do {
      return try reading(form)
    } catch  where (error as? ModelError)?.code != .invalidDeclaration {
      // The path of an error in another text, which the function decodes, is not one in this text.
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: reasonWithPath(error, below: []), underlyingError: error))
    }
  }

  func form(of value: Value) throws -> any Encodable {
    guard let writing else { throw ModelError(.invalidDeclaration, "This converter can only read.") }
    return try writing(value)
  }
}

/// Converts by functions from and to text, which should be inverse. Reports a text that does not round-trip.
struct TextConversion<Value>: Conversion {
  /// What the text should be, for the error of one that is not.
  let form: String
  let reading: @Sendable (String) -> Value?
  let writing: @Sendable (Value) throws -> String

  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> Value {
    let text = try ScalarCodec<String>().read(from: decoder, context)
    guard let value = reading(text) else {
      throw ConversionError(description: "The \(RawScalar.text(text)) is not \(form).")
    }
    if context.collector != nil { try context.reportChange(of: text, into: writing(value), at: decoder) }
    return value
  }

  func form(of value: Value) throws -> any Encodable { try writing(value) }
}

extension DecodingContext {
  /// Reports a text that is written back differently, unless both are the same number.
  func reportChange(of text: String, into other: String, at decoder: any Decoder) {
    guard text != other else { return }
    let raw = RawScalar.text(text)
    switch (raw.numeral, DecimalNumeral(other)) {
    case (let number?, let otherNumber?) where number == otherNumber: break
    case (_?, _?): report(.rounding, at: decoder, found: raw.description, made: other)
    default: report(.coercion, at: decoder, found: raw.description, made: String(reflecting: other))
    }
  }
}

struct OptionalConversion<Wrapped>: Conversion {
  let wrapped: any Conversion<Wrapped>

  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> Wrapped? {
    try decoder.singleValueContainer().decodeNil() ? nil : wrapped.read(from: decoder, context, options)
  }

  func form(of value: Wrapped?) throws -> any Encodable {
    try value.map { try wrapped.form(of: $0) } ?? Optional<Bool>.none
  }
}

struct ArrayConversion<Element>: Conversion {
  let element: FieldConverter<Element>

  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> [Element] {
    let codec = ConvertedCodec(converter: element, options: options)
    return try readElements(by: codec, from: decoder, context, options)
  }

  func form(of value: [Element]) throws -> any Encodable {
    try value.map { AnyForm(form: try element.conversion.form(of: $0)) }
  }
}

struct DictionaryConversion<Element>: Conversion {
  let element: FieldConverter<Element>

  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> [String: Element]
  {
    let codec = ConvertedCodec(converter: element, options: options)
    return try readPairs(by: codec, from: decoder, context, options) { $0.stringValue }
  }

  func form(of value: [String: Element]) throws -> any Encodable {
    try value.mapValues { AnyForm(form: try element.conversion.form(of: $0)) }
  }
}

/// The result of a converter for one element.
private struct AnyForm: Encodable {
  let form: any Encodable

  func encode(to encoder: any Encoder) throws {
    // Through a container, so that the encoder sees the type: it has exact forms for some of Foundation's types.
    var container = encoder.singleValueContainer()
    try container.encode(form)
  }
}
