public import Foundation

extension FieldConverter where Value: RawRepresentable, Value.RawValue: Codable & Sendable {
  /// An enumeration, or another type with a raw value, as its raw value; the type need not be `Codable`.
  public static var rawValue: FieldConverter { FieldConverter(RawValueConversion<Value>()) }
}

extension FieldConverter where Value: LosslessStringConvertible {
  /// A value as text, for example a number that a server sends and expects in quotation marks.
  ///
  /// The report lists a text with digits that the type cannot hold.
  public static var text: FieldConverter { FieldConverter(DescriptionConversion<Value>()) }
}

extension FieldConverter where Value: NSObject & NSSecureCoding {
  /// An `NSSecureCoding` object, as a separate archive in `Data`.
  ///
  /// Reads only objects of the class `Value` and its subclasses. In JSON, the archive is Base64. Foundation determines
  /// what can be archived: on Linux, for example, it cannot read an `NSAttributedString`.
  ///
  /// Use it only for data that the program has written itself. On Linux, Foundation's unarchiver crashes on some
  /// manipulated archives, such as one with an object of another class. A store does not pass damaged entries to it,
  /// because their checksums do not match.
  public static var secureCoding: FieldConverter { FieldConverter(SecureCodingConversion<Value>()) }
}

private struct RawValueConversion<Value: RawRepresentable>: Conversion where Value.RawValue: Codable & Sendable {
  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> Value {
    let raw = try CodecFactory.codec(for: Value.RawValue.self, []).read(from: decoder, context)
    guard let value = Value(rawValue: raw) else {
      throw ConversionError(description: "\(Value.self) has no case \(String(reflecting: raw)).")
    }
    return value
  }

  func form(of value: Value) -> any Encodable { value.rawValue }
}

private struct DescriptionConversion<Value: LosslessStringConvertible>: Conversion {
  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> Value {
    let text = try ScalarCodec<String>().read(from: decoder, context)
    guard let value = Value(text) else {
      throw ConversionError(description: "\(String(reflecting: text)) cannot be read as \(Value.self).")
    }
    context.reportChange(of: text, into: value.description, at: decoder)
    return value
  }

  func form(of value: Value) -> any Encodable { value.description }
}

private struct SecureCodingConversion<Value: NSObject & NSSecureCoding>: Conversion {
  func read(from decoder: any Decoder, _ context: DecodingContext, _ options: FieldOptions) throws -> Value {
    let archive = try decoder.singleValueContainer().decode(Data.self)
    guard let object = try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: archive) else {
      throw ConversionError(description: "There is no \(Value.self) in the archive.")
    }
    return object
  }

  func form(of value: Value) throws -> any Encodable {
    let archive = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    // On Linux, this happens in each program that is linked with a static Foundation.
    guard !archive.isEmpty else {
      throw ConversionError(description: "NSKeyedArchiver wrote no bytes. Link the program with a dynamic Foundation.")
    }
    return archive
  }
}
