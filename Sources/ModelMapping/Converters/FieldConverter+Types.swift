public import Foundation

extension FieldConverter where Value: RawRepresentable, Value.RawValue: Codable & Sendable {
  /// An enumeration, or another type with a raw value, as its raw value; the type need not be `Codable`.
  public static var rawValue: FieldConverter { FieldConverter(RawValueConversion<Value>()) }
}

extension FieldConverter where Value: LosslessStringConvertible {
  /// A value as text, such as a number that a server sends and wants in quotation marks.
  ///
  /// A text that the value is not written as again, because it has digits that the type cannot hold, is in the report.
  public static var text: FieldConverter { FieldConverter(DescriptionConversion<Value>()) }
}

extension FieldConverter where Value: NSObject & NSSecureCoding {
  /// An object that codes itself by `NSSecureCoding`, as an archive of its own in `Data`.
  ///
  /// Only an object of the class `Value`, or of a subclass, comes back. JSON has the archive in Base64. What can be
  /// archived is the system's affair: an `NSAttributedString`, for one, cannot be read again on Linux.
  ///
  /// Use it for what the program has written itself. Foundation's unarchiver for Linux stops the process at some
  /// archives that were tampered with, such as one with an object of another class; a store, whose entries have
  /// checksums, keeps damaged ones away from it.
  public static var secureCoding: FieldConverter { FieldConverter(SecureCodingConversion<Value>()) }
}

private struct RawValueConversion<Value: RawRepresentable>: Conversion where Value.RawValue: Codable & Sendable {
  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    let raw = try CodecFactory.codec(for: Value.RawValue.self, []).read(from: decoder, context)
    guard let value = Value(rawValue: raw) else {
      throw ConversionError(description: "\(Value.self) has no case \(String(reflecting: raw)).")
    }
    return value
  }

  func form(of value: Value) -> any Encodable { value.rawValue }
}

private struct DescriptionConversion<Value: LosslessStringConvertible>: Conversion {
  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    let text = try CodecFactory.codec(for: String.self, []).read(from: decoder, context)
    guard let value = Value(text) else {
      throw ConversionError(description: "\(String(reflecting: text)) is not a \(Value.self).")
    }
    context.reportChange(of: text, into: value.description, at: decoder)
    return value
  }

  func form(of value: Value) -> any Encodable { value.description }
}

private struct SecureCodingConversion<Value: NSObject & NSSecureCoding>: Conversion {
  func read(from decoder: any Decoder, _ context: DecodingContext) throws -> Value {
    let archive = try decoder.singleValueContainer().decode(Data.self)
    guard let object = try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: archive) else {
      throw ConversionError(description: "There is no \(Value.self) in the archive.")
    }
    return object
  }

  func form(of value: Value) throws -> any Encodable {
    try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
  }
}
