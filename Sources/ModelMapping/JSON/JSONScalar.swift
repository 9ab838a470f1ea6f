import CodingSupport
import Foundation

/// A type whose values are numbers, strings or literals in JSON.
protocol JSONScalar {
  /// Returns the exact value of the text, or the nearest binary number; `nil` if the text has no such value.
  static func read(_ value: Int, in source: JSONSource) -> Self?

  /// Returns the finding for a value that is not exactly that of its text.
  func difference(from text: @autoclosure () -> RawScalar) -> DecodingReport.Kind?
}

extension JSONScalar {
  func difference(from text: @autoclosure () -> RawScalar) -> DecodingReport.Kind? { nil }
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
  @inline(never)
  static func read(_ value: Int, in source: JSONSource) -> Self? {
    guard source.text.kind(value) == .number else { return nil }
    let token = source.text.token(value)
    let isNegative = token.first == UInt8(ascii: "-")
    var number: Self = 0
    for byte in isNegative ? token.dropFirst() : token {
      // A number with a fraction or an exponent can still be an integer, also if its digits before that are not.
      guard byte.isDigit, let longer = number.appending(byte - UInt8(ascii: "0"), isNegative) else {
        return source.scalar(value).numeral?.integer()
      }
      number = longer
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
      let number = Self(String(decoding: source.text.token(value), as: UTF8.self)), number.isFinite
    else { return nil }
    return number
  }

  func difference(from text: @autoclosure () -> RawScalar) -> DecodingReport.Kind? {
    text().numeral?.isHeld(by: self) == false ? .rounding : nil
  }
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

  func difference(from text: @autoclosure () -> RawScalar) -> DecodingReport.Kind? {
    text().isText(absoluteString) ? nil : .coercion
  }
}

extension Data: JSONScalar {
  static func read(_ value: Int, in source: JSONSource) -> Data? {
    String.read(value, in: source).flatMap { Data(base64Encoded: $0) }
  }

  func difference(from text: @autoclosure () -> RawScalar) -> DecodingReport.Kind? {
    text().isText(base64EncodedString()) ? nil : .coercion
  }
}

/// A date without a converter is ISO 8601 text. A number has no unit or epoch.
extension Date: JSONScalar {
  static func read(_ value: Int, in source: JSONSource) -> Date? {
    String.read(value, in: source).flatMap { ISO8601Text($0)?.date }
  }

  func difference(from text: @autoclosure () -> RawScalar) -> DecodingReport.Kind? {
    guard case .text(let text) = text() else { return nil }
    return ISO8601Text(text)?.isExact == false ? .rounding : nil
  }
}

extension RawScalar {
  fileprivate func isText(_ other: String) -> Bool {
    if case .text(let text) = self { text == other } else { false }
  }
}
