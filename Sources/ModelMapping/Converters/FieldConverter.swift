import CodingSupport
import Foundation

/// How a field's values are written in another form, in both directions.
///
/// ```swift
/// extension FieldConverter<Color> {
///   static var hex: FieldConverter {
///     FieldConverter(reading: { (text: String) in try Color(hex: text) }, writing: { $0.hex })
///   }
/// }
///
/// @Field("tint", as: .hex) var tint: Color?
/// ```
///
/// What is written is any `Codable` type, itself read as leniently as a field of that type. Converters are for JSON;
/// storage keeps a `Codable` value as it is, so that it comes back exactly.
public struct FieldConverter<Value>: Sendable {
  let conversion: any Conversion<Value>

  init(_ conversion: some Conversion<Value>) {
    self.conversion = conversion
  }

  /// A converter for both directions.
  ///
  /// - Parameters:
  ///   - reading: Makes the value. What it throws becomes the reason of a `DecodingError` with the path.
  ///   - writing: Makes what is written; it is called for each value that is not `nil`.
  public init<Form: Codable & Sendable>(
    reading: @escaping @Sendable (Form) throws -> Value, writing: @escaping @Sendable (Value) throws -> Form
  ) {
    self.init(FormConversion(reading: reading, writing: writing))
  }

  /// A converter that only reads; a field that has it must be `.readOnly`.
  ///
  /// - Parameter reading: Makes the value. What it throws becomes the reason of a `DecodingError` with the path.
  public init<Form: Codable & Sendable>(reading: @escaping @Sendable (Form) throws -> Value) {
    self.init(FormConversion(reading: reading, writing: nil))
  }

  /// A converter that only writes; a field that has it must be `.writeOnly`.
  ///
  /// - Parameter writing: Makes what is written; it is called for each value that is not `nil`.
  public init<Form: Codable & Sendable>(writing: @escaping @Sendable (Value) throws -> Form) {
    self.init(FormConversion(reading: nil, writing: writing))
  }

  /// The same for values that may be `nil`, for which nothing is written.
  var optional: FieldConverter<Value?> {
    func open(_ conversion: some Conversion<Value>) -> FieldConverter<Value?> {
      FieldConverter<Value?>(OptionalConversion(wrapped: conversion))
    }
    return open(conversion)
  }
}

struct ConvertedCodec<Value>: ValueCodec {
  let converter: FieldConverter<Value>

  var canRead: Bool { converter.conversion.canRead }
  var canWrite: Bool { converter.conversion.canWrite }

  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Value? {
    try readApart(from: container, key, context)
  }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    do {
      return try converter.conversion.read(from: decoder, context)
    } catch  where !(error is DecodingError || error is ModelError) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "\(error)", underlyingError: error))
    }
  }

  func write(_ value: Value, into container: inout NewFields, _ key: FieldKey) throws {
    if let optional = value as? any PossiblyNil, optional.isNil { return }
    func encode<Form: Encodable>(_ form: Form) throws {
      try container.encode(form, forKey: key)
    }
    let form: any Encodable
    do {
      form = try converter.conversion.form(of: value)
    } catch  where !(error is EncodingError || error is ModelError) {
      throw EncodingError.invalidValue(
        printable(value),
        .init(codingPath: container.codingPath + [key], debugDescription: "\(error)", underlyingError: error))
    }
    try encode(form)
  }
}

/// A value for an error. To print a date that no calendar has stops the program.
func printable(_ value: Any) -> Any {
  let dates =
    (value as? Date).map { [$0] } ?? value as? [Date] ?? (value as? [String: Date]).map { Array($0.values) } ?? []
  let intervals = dates.map(\.timeIntervalSinceReferenceDate)
  return intervals.allSatisfy { $0.magnitude < 1e11 } ? value : intervals
}

struct ConversionError: Error, CustomStringConvertible {
  let description: String
}
