import Foundation

/// A scalar of the input, of any type.
enum RawScalar: CustomStringConvertible {
  case text(String)
  case bool(Bool)
  case integer(Int128)
  case unsigned(UInt128)
  case decimal(Decimal)
  case numeral(DecimalNumeral)
  case double(Double)
  case null
  case object
  case array
  /// A number that none of these types holds, or a value that another coder does not describe.
  case composite

  init(from decoder: any Decoder, _ keys: ModelKeys) throws {
    if let decoder = decoder as? JSONValueDecoder {
      self = decoder.scalar
      return
    }
    let container = try decoder.singleValueContainer()
    func attempt<Value: Decodable>(_ make: (Value) -> RawScalar) -> RawScalar? {
      do {
        return make(try container.decode(Value.self))
      } catch {
        return nil  // It is another value; if it is absent, the caller has the first error.
      }
    }
    if container.decodeNil() {
      self = .null
    } else {
      // JSON has decimal numbers, which a binary number may only approximate; storage distinguishes the two, and has
      // integers of up to 128 bits, which not every coder knows.
      let isDecimal = keys == .json
      self =
        attempt(RawScalar.text) ?? attempt(RawScalar.bool) ?? attempt { (integer: Int64) in .integer(Int128(integer)) }
        ?? attempt { (integer: UInt64) in .unsigned(UInt128(integer)) }
        ?? (isDecimal ? attempt(RawScalar.decimal) : attempt(RawScalar.integer) ?? attempt(RawScalar.unsigned))
        ?? attempt(RawScalar.double) ?? attempt(RawScalar.decimal) ?? .composite
    }
  }

  var description: String {
    switch self {
    case .text(let text): "text \(String(reflecting: text.count > 40 ? String(text.prefix(40)) + "…" : text))"
    case .bool(let bool): "\(bool)"
    case .integer(let integer): "number \(integer)"
    case .unsigned(let integer): "number \(integer)"
    case .decimal(let decimal): "number \(decimal)"
    case .numeral(let numeral): "number \(numeral.shortText)"
    case .double(let double): "number \(double)"
    case .null: "null"
    case .object: "an object"
    case .array: "an array"
    case .composite: "an object, an array or a number out of range"
    }
  }

  /// The decimal number, or the text that is one, without the spaces around it.
  var numeral: DecimalNumeral? {
    switch self {
    case .text(let text): DecimalNumeral(Substring(text.withoutOuterSpaces))
    case .integer(let integer): DecimalNumeral("\(integer)")
    case .unsigned(let integer): DecimalNumeral("\(integer)")
    case .decimal(let decimal): DecimalNumeral("\(decimal)")
    case .numeral(let numeral): numeral
    case .double(let double): double.isFinite ? DecimalNumeral("\(double)") : nil
    case .bool, .null, .object, .array, .composite: nil
    }
  }

  /// Returns the binary number for this scalar. A decimal fraction, in a number or a text, stands for the nearest
  /// binary number. An integer or a binary number must keep its exact value.
  func floatingPoint<Number: BinaryFloatingPoint & LosslessStringConvertible>() -> Number? {
    let number: Number? =
      switch self {
      case .integer(let integer): Number(exactly: integer)
      case .unsigned(let integer): Number(exactly: integer)
      case .double(let double): Number(exactly: double)
      case .text, .numeral: numeral.flatMap { Number(String($0.text)) }
      case .decimal(let decimal):
        // The shortest printed form is the same decimal number.
        numeral.flatMap { Number(String($0.text)) }.flatMap {
          Decimal(string: $0.description, locale: Locale(identifier: "en_US_POSIX")) == decimal ? $0 : nil
        }
      case .bool, .null, .object, .array, .composite: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }
}

extension String {
  /// The text without spaces and tabs at its ends. To find that there are none, Foundation takes longer than a number
  /// takes to be read.
  var withoutOuterSpaces: String {
    let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
    if let first = utf8.first, let last = utf8.last, visible ~= first, visible ~= last { return self }
    return trimmingCharacters(in: .whitespaces)
  }
}
