import CodingSupport
import Foundation

/// A type whose values are numbers, strings or literals in JSON.
protocol JSONScalar {
  /// Returns the exact value of the text, or the nearest binary number; `nil` if the text has no such value.
  static func read(_ value: Int, in source: JSONSource) -> Self?

  /// The finding for a value that differs from the text; `nil` for types whose values never do.
  static var difference: DecodingReport.Kind? { get }

  /// Whether the value is exactly that of its text.
  func isExact(_ text: RawScalar) -> Bool
}

extension JSONScalar {
  static var difference: DecodingReport.Kind? { nil }

  func isExact(_ text: RawScalar) -> Bool { true }
}

extension String: JSONScalar {
  static func read(_ value: Int, in source: JSONSource) -> String? {
    source.text.kind(value) == .text ? source.text.string(value) : nil
  }
}

extension Bool: JSONScalar {
  static func read(_ value: Int, in source: JSONSource) -> Bool? {
    source.text.kind(value) == .bool ? source.text.bool(value) : nil
  }
}

extension JSONScalar where Self: FixedWidthInteger {
  static func read(_ value: Int, in source: JSONSource) -> Self? {
    guard source.text.kind(value) == .number else { return nil }
    let token = source.text.token(value)
    let isNegative = token.first == UInt8(ascii: "-")
    var number: Self = 0
    for byte in isNegative ? token.dropFirst() : token {
      let (tens, hasOverflown) = number.multipliedReportingOverflow(by: 10)
      // A number with a fraction or an exponent can still be an integer, also if its digits before that are not.
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), !hasOverflown,
        let digit = Self(exactly: byte - UInt8(ascii: "0"))
      else { return source.scalar(value).numeral?.integer() }
      let (sum, isTooMuch) = isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      guard !isTooMuch else { return source.scalar(value).numeral?.integer() }
      number = sum
    }
    return number
  }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension Int128: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}
extension UInt128: JSONScalar {}

extension JSONScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
  static func read(_ value: Int, in source: JSONSource) -> Self? {
    guard source.text.kind(value) == .number,
      let number = Self(String(decoding: source.text.token(value), as: UTF8.self)),
      number.isFinite
    else { return nil }
    return number
  }

  static var difference: DecodingReport.Kind? { .rounding }

  func isExact(_ text: RawScalar) -> Bool { text.numeral?.isHeld(by: self) ?? true }
}

extension Double: JSONScalar {}
extension Float: JSONScalar {}

extension Decimal: JSONScalar {
  static func read(_ value: Int, in source: JSONSource) -> Decimal? {
    source.text.kind(value) == .number ? source.scalar(value).numeral?.decimal() : nil
  }
}

// The types for which `JSONDecoder` has its own forms.

extension URL: JSONScalar {
  static func read(_ value: Int, in source: JSONSource) -> URL? {
    String.read(value, in: source).flatMap { URL(string: $0) }
  }

  static var difference: DecodingReport.Kind? { .coercion }

  func isExact(_ text: RawScalar) -> Bool { text.isText(absoluteString) }
}

extension Data: JSONScalar {
  static func read(_ value: Int, in source: JSONSource) -> Data? {
    String.read(value, in: source).flatMap { Data(base64Encoded: $0) }
  }

  static var difference: DecodingReport.Kind? { .coercion }

  func isExact(_ text: RawScalar) -> Bool { text.isText(base64EncodedString()) }
}

/// A date without a converter is ISO 8601 text. A number has no unit or epoch.
extension Date: JSONScalar {
  static func read(_ value: Int, in source: JSONSource) -> Date? {
    String.read(value, in: source).flatMap { ISO8601Text($0)?.date }
  }

  static var difference: DecodingReport.Kind? { .rounding }

  func isExact(_ text: RawScalar) -> Bool {
    guard case .text(let text) = text else { return true }
    return ISO8601Text(text)?.isExact ?? true
  }
}

extension RawScalar {
  fileprivate func isText(_ other: String) -> Bool {
    if case .text(let text) = self { text == other } else { false }
  }
}
