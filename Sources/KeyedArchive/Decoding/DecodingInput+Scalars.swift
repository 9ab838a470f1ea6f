import Foundation

extension DecodingInput {
  func bool(at cursor: CBORCursor) throws -> Bool {
    let item = try item(at: cursor)
    guard item.head.major == .simple, item.head.info == 20 || item.head.info == 21 else {
      throw ItemError.mismatch(stored: try describe(cursor))
    }
    return item.head.info == 21
  }

  /// Reads an integer of any width. A floating-point item is accepted when it is a whole number, since nothing is lost.
  @inline(__always)
  func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at cursor: CBORCursor) throws -> Integer {
    let item = try item(at: cursor)
    switch item.head.major {
    case .unsigned:
      if let value = Integer(exactly: item.head.argument) { return value }
    case .negative:
      // The value is -1 - n, the complement of n; beyond Int64 it takes a wider type to say so.
      if let argument = Int64(exactly: item.head.argument) {
        if let value = Integer(exactly: ~argument) { return value }
      } else if let value = Integer(exactly: ~Int128(item.head.argument)) {
        return value
      }
    default:
      return try unusualInteger(type, item, at: cursor)
    }
    throw ItemError.unrepresentable(stored: try describe(cursor))
  }

  /// The sign and the digits of an integer that may need all 128 bits and a sign, and the number of zeros behind them.
  func signAndMagnitude(at cursor: CBORCursor) throws -> (isNegative: Bool, absoluteValue: UInt128, zeros: Int) {
    let item = try item(at: cursor)
    let isNegative = item.hasTag(CBORTag.negativeBigInteger) || item.head.major == .negative
    guard let big = try BigInteger(item, in: self) else {
      guard isNegative else { return (false, try integer(UInt128.self, at: cursor), 0) }
      return (true, try integer(Int128.self, at: cursor).magnitude, 0)
    }
    // The absolute value of a negative one is magnitude + 1.
    if let magnitude = UInt128(exactly: BigInteger(isNegative: false, magnitude: big.magnitude)),
      !isNegative || magnitude < .max
    {
      return (isNegative, isNegative ? magnitude + 1 : magnitude, 0)
    }
    // The greatest `Decimal` is less than 2^128 times 10^127, which takes 69 bytes.
    if big.magnitude.count <= 69 {
      let digits = ArchiveValue.digits(isNegative: isNegative, magnitude: Data(big.magnitude)).drop { $0 == "-" }
      let significant = digits.prefix(digits.count - digits.reversed().prefix { $0 == "0" }.count)
      if let magnitude = UInt128(significant) { return (isNegative, magnitude, digits.count - significant.count) }
    }
    throw ItemError.unrepresentable(stored: "a big integer")
  }

  private func unusualInteger<Integer: FixedWidthInteger>(
    _ type: Integer.Type, _ item: StoredItem, at cursor: CBORCursor
  ) throws -> Integer {
    if let float = reader.float(item.head) {
      guard let value = Integer(exactly: float) else { throw ItemError.unrepresentable(stored: "the number \(float)") }
      return value
    }
    if let big = try BigInteger(item, in: self) {
      guard let value = Integer(exactly: big) else { throw ItemError.unrepresentable(stored: "a big integer") }
      return value
    }
    if let named = try namedValue(item), Self.isNumberName(named.name) {
      return try integer(type, at: named.content)
    }
    if item.hasTag(CBORTag.decimalFraction) {
      let decimal = try Decimal(item, in: self)
      let parts = decimal.description.split(separator: ".")
      guard let value = Integer(parts[0]), parts.dropFirst().allSatisfy({ $0.allSatisfy { $0 == "0" } }) else {
        throw ItemError.unrepresentable(stored: "the number \(decimal)")
      }
      return value
    }
    throw ItemError.mismatch(stored: try describe(cursor))
  }

  /// Reads a double. An integer item is accepted when a double holds it exactly, since nothing is lost.
  @inline(__always)
  func double(at cursor: CBORCursor) throws -> Double {
    let item = try item(at: cursor)
    if let value = reader.float(item.head) { return value }
    return try unusualDouble(item, at: cursor)
  }

  private func unusualDouble(_ item: StoredItem, at cursor: CBORCursor) throws -> Double {
    if let named = try namedValue(item), Self.isNumberName(named.name) { return try double(at: named.content) }
    if item.hasTag(CBORTag.decimalFraction) {
      let decimal = try Decimal(item, in: self)
      guard let value = decimal.exactDouble else { throw ItemError.unrepresentable(stored: "the number \(decimal)") }
      return value
    }
    let isBig = item.hasTag(CBORTag.positiveBigInteger) || item.hasTag(CBORTag.negativeBigInteger)
    guard isBig || item.head.major == .unsigned || item.head.major == .negative else {
      throw ItemError.mismatch(stored: try describe(cursor))
    }
    let integer = try integer(Int128.self, at: cursor)
    guard let value = Double(exactly: integer) else {
      throw ItemError.unrepresentable(stored: "the integer \(integer)")
    }
    return value
  }

  /// Reads a float: a stored number that single precision holds exactly, payloads of NaN included.
  func float(at cursor: CBORCursor) throws -> Float {
    let value = try double(at: cursor)
    if let bits = HalfPrecision.singleBits(exactly: value) { return Float(bitPattern: bits) }
    throw ItemError.unrepresentable(stored: "the number \(value)")
  }

  /// Reads the text of a value: its own, that of the string it refers to, or that of a URL or a UUID.
  @inline(__always)
  func text(at cursor: CBORCursor) throws -> String {
    let item = try item(at: cursor)
    if let text = try textIfPresent(item) { return text }
    return try textOfValue(item, at: cursor)
  }

  /// Returns the text of a URL or a UUID.
  @inline(never)
  private func textOfValue(_ item: StoredItem, at cursor: CBORCursor) throws -> String {
    if item.hasTag(CBORTag.url), let text = try textIfPresent(self.item(at: content(of: item))) { return text }
    if item.hasTag(CBORTag.uuid) {
      return try UUID(at: item.cursor, in: self).uuidString
    }
    throw ItemError.mismatch(stored: try describe(cursor))
  }

  /// Whether a name is that of a number type, whose values convert where nothing is lost.
  static func isNumberName(_ name: ArchiveTag) -> Bool {
    numberNames.contains(name.name)
  }

  private static let numberNames: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    "Float16", "Float", "Double", "CGFloat",
  ]
}
