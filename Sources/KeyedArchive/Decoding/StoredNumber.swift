import CodingSupport
import FoundationCore

/// A number as it is stored, before it is converted to the requested type. Every conversion is exact.
enum StoredNumber {
  case integer(BigInteger)
  case float(Double)
  case decimal(Decimal)

  /// The integer that this number equals, if there is one. A number of another form is one of up to 128 bits.
  var integer: BigInteger? {
    switch self {
    case .integer(let value): value
    case .float(let value):
      UInt128(exactly: value.magnitude).map { BigInteger(isNegative: value < 0, absoluteValue: $0) }
    case .decimal(let value): BigInteger(exactly: value)
    }
  }

  var double: Double? {
    switch self {
    case .integer(let value):
      value.absoluteValue.flatMap { Double(exactly: $0) }.map { value.isNegative ? -$0 : $0 }
    case .float(let value): value
    case .decimal(let value): value.exactDouble
    }
  }

  /// The sign and the digits of an integer, which may need all 128 bits, and the number of zeros after the digits.
  var digits: (isNegative: Bool, absoluteValue: UInt128, zeros: Int)? {
    guard let integer else { return nil }
    if let absoluteValue = integer.absoluteValue { return (integer.isNegative, absoluteValue, 0) }
    // The greatest `Decimal` is less than 2^128 times 10^127, which takes 69 bytes.
    guard integer.magnitude.count <= 69 else { return nil }
    let digits = integer.digits.drop { $0 == "-" }
    let significant = digits.prefix(digits.count - digits.reversed().prefix { $0 == "0" }.count)
    return parsed(String(significant)).map { (integer.isNegative, $0, digits.count - significant.count) }
  }

  /// The error that the requested type cannot represent this number.
  var unrepresentable: ItemError {
    switch self {
    case .integer(let value):
      .unrepresentable(stored: value.absoluteValue == nil ? "a big integer" : "the integer \(value.digits)")
    case .float(let value): .unrepresentable(stored: "the number \(value)")
    case .decimal(let value): .unrepresentable(stored: "the number \(value)")
    }
  }

  static func isTypeName(_ name: ArchiveTag) -> Bool { typeNames.contains(name.name) }

  static let typeNames: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    "Float16", "Float", "Double", "CGFloat",
  ]
}

extension DecodingInput {
  /// Reads a number of any form, which may have the name of a number type.
  func number(at cursor: CBORCursor) throws -> StoredNumber {
    let item = try item(at: cursor)
    if let integer = try BigInteger(item, in: self) { return .integer(integer) }
    if let float = reader.float(item.head) { return .float(float) }
    if item.hasTag(CBORTag.decimalFraction) { return .decimal(try Decimal(item, in: self)) }
    guard let named = try namedValue(item), StoredNumber.isTypeName(named.name) else {
      throw mismatch(at: cursor)
    }
    return try number(at: named.content)
  }
}
