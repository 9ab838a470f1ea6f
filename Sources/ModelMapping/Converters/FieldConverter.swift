import CodingSupport
import Foundation

/// A conversion of a field's values to and from another form.
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
/// In a project where everything is on the main actor by default, declare the extension `nonisolated`.
///
/// The other form is any `Codable` type, read as leniently as a field of that type. Converters apply to JSON; storage
/// keeps a `Codable` value unconverted, so that it reads back exactly.
public struct FieldConverter<Value>: Sendable {
  let conversion: any Conversion<Value>
  let canRead: Bool
  let canWrite: Bool

  init(_ conversion: some Conversion<Value>, canRead: Bool = true, canWrite: Bool = true) {
    self.conversion = conversion
    self.canRead = canRead
    self.canWrite = canWrite
  }

  /// Creates a converter for reading and writing.
  ///
  /// - Parameters:
  ///   - reading: Creates the value. Its error becomes the reason of a `DecodingError` with the path.
  ///   - writing: Converts the value; called for each value that is not `nil`.
  public init<Form: Codable & Sendable>(
    reading: @escaping @Sendable (Form) throws -> Value, writing: @escaping @Sendable (Value) throws -> Form
  ) {
    self.init(FormConversion(reading: reading, writing: writing))
  }

  /// Creates a converter that only reads. Its field must be `.readOnly`.
  ///
  /// - Parameter reading: Creates the value. Its error becomes the reason of a `DecodingError` with the path.
  public init<Form: Codable & Sendable>(reading: @escaping @Sendable (Form) throws -> Value) {
    self.init(FormConversion(reading: reading, writing: nil), canWrite: false)
  }

  /// Creates a converter that only writes. Its field must be `.writeOnly`.
  ///
  /// - Parameter writing: Converts the value; called for each value that is not `nil`.
  public init<Form: Codable & Sendable>(writing: @escaping @Sendable (Value) throws -> Form) {
    self.init(FormConversion(reading: nil, writing: writing), canRead: false)
  }

  /// The converter for optional values. It writes nothing for `nil`.
  @usableFromInline var optional: FieldConverter<Value?> {
    FieldConverter<Value?>(OptionalConversion(wrapped: conversion), canRead: canRead, canWrite: canWrite)
  }
}

/// The codec of a field with a converter.
struct ConvertedCodec<Value>: ValueCodec {
  let converter: FieldConverter<Value>
  let options: FieldOptions

  func readIfPresent(from container: Fields, _ key: FieldKey, _ context: DecodingContext) throws -> Value? {
    try readSeparately(from: container, key, context)
  }

  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    do {
      return try converter.conversion.read(from: decoder, context, options)
    } catch  where !(error is DecodingError || error is ModelError) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "\(error)", underlyingError: error))
    }
  }

  func write(_ value: Value, into container: inout NewFields, _ key: FieldKey) throws {
    if let optional = value as? any PossiblyNil, optional.isNil { return }
    let form: any Encodable
    do {
      form = try converter.conversion.form(of: value)
    } catch  where (error as? ModelError)?.code != .invalidDeclaration {
      throw EncodingError.invalidValue(
        printable(value),
        .init(codingPath: container.codingPath + [key], debugDescription: reason(of: error), underlyingError: error))
    }
    try container.encode(form, forKey: key)
  }
}

/// Describes a value in an error. Printing a date outside of every calendar would crash.
func printable(_ value: Any) -> Any {
  let dates =
    (value as? Date).map { [$0] } ?? value as? [Date] ?? (value as? [String: Date]).map { Array($0.values) } ?? []
  let intervals = dates.map(\.timeIntervalSinceReferenceDate)
  return intervals.allSatisfy { $0.magnitude < 1e11 } ? value : intervals
}

struct ConversionError: Error, CustomStringConvertible {
  let description: String
}

/// Returns the text of an error, without its path in another text.
private func reason(of error: any Error) -> String {
  if case EncodingError.invalidValue(_, let context) = error { context.debugDescription } else { "\(error)" }
}
