import FoundationCore

extension DecodingInput {
  func bool(at cursor: CBORCursor) throws -> Bool {
    let item = try item(at: cursor)
    guard item.head.major == .simple, item.head.info == 20 || item.head.info == 21 else {
      throw ItemError.mismatch(stored: try describe(cursor))
    }
    return item.head.info == 21
  }

  /// Reads an integer of any width. Accepts a floating-point item if it is a whole number, because nothing is lost.
  @inline(__always)
  func integer<Integer: FixedWidthInteger>(_: Integer.Type, at cursor: CBORCursor) throws -> Integer {
    let head = try reader.head(at: cursor.offset)
    if head.major == .unsigned, let value = Integer(exactly: head.argument) { return value }
    // The value is -1 - n, the complement of n. Beyond Int64, it requires a wider type.
    if head.major == .negative, let argument = Int64(exactly: head.argument), let value = Integer(exactly: ~argument) {
      return value
    }
    return try unusualInteger(at: cursor)
  }

  @inline(never)
  private func unusualInteger<Integer: FixedWidthInteger>(at cursor: CBORCursor) throws -> Integer {
    guard let value = try Integer(exactly: wideInteger(at: cursor)) else { throw try unrepresentable(cursor) }
    return value
  }

  private func wideInteger(at cursor: CBORCursor) throws -> WideInteger {
    let item = try item(at: cursor)
    switch item.head.major {
    case .unsigned: return WideInteger(isNegative: false, absoluteValue: UInt128(item.head.argument))
    case .negative: return WideInteger(isNegative: true, absoluteValue: UInt128(item.head.argument) + 1)
    default: break
    }
    if let float = reader.float(item.head) {
      guard let value = WideInteger(exactly: float) else { throw try unrepresentable(cursor) }
      return value
    }
    if let big = try BigInteger(item, in: self) {
      guard let value = WideInteger(exactly: big) else { throw try unrepresentable(cursor) }
      return value
    }
    if let named = try namedValue(item), Self.isNumberName(named.name) { return try wideInteger(at: named.content) }
    guard item.hasTag(CBORTag.decimalFraction) else { throw ItemError.mismatch(stored: try describe(cursor)) }
    guard let value = WideInteger(exactly: try Decimal(item, in: self)) else { throw try unrepresentable(cursor) }
    return value
  }

  private func unrepresentable(_ cursor: CBORCursor) throws -> ItemError {
    let item = try item(at: cursor)
    if let named = try namedValue(item) { return try unrepresentable(named.content) }
    guard item.hasTag(CBORTag.decimalFraction) else { return .unrepresentable(stored: try describe(cursor)) }
    return .unrepresentable(stored: "the number \(try Decimal(item, in: self))")
  }

  /// Returns the sign and the digits of an integer, which may need all 128 bits, and the number of zeros after the
  /// digits.
  func signAndMagnitude(at cursor: CBORCursor) throws -> (isNegative: Bool, absoluteValue: UInt128, zeros: Int) {
    let item = try item(at: cursor)
    guard let big = try BigInteger(item, in: self) else {
      guard item.head.major == .negative else { return (false, try integer(UInt128.self, at: cursor), 0) }
      return (true, UInt128(item.head.argument) + 1, 0)
    }
    if let value = WideInteger(exactly: big) { return (value.isNegative, value.absoluteValue, 0) }
    // The greatest `Decimal` is less than 2^128 times 10^127, which takes 69 bytes.
    if big.magnitude.count <= 69 {
      let digits = big.digits.drop { $0 == "-" }
      let significant = digits.prefix(digits.count - digits.reversed().prefix { $0 == "0" }.count)
      if let magnitude = UInt128(String(significant)) {
        return (big.isNegative, magnitude, digits.count - significant.count)
      }
    }
    throw ItemError.unrepresentable(stored: "a big integer")
  }

  /// Reads a double. Accepts an integer item if a double can represent it exactly, because nothing is lost.
  @inline(__always)
  func double(at cursor: CBORCursor) throws -> Double {
    if let value = reader.plainDouble(at: cursor.offset) { return value }
    let item = try item(at: cursor)
    if let value = reader.float(item.head) { return value }
    return try unusualDouble(item, at: cursor)
  }

  private func unusualDouble(_ item: StoredItem, at cursor: CBORCursor) throws -> Double {
    // A whole number of at most 53 bits, such as most dates, converts exactly. The general conversion below takes ten
    // times as long.
    if item.head.argument < UInt64(1) &<< 53, !item.head.isIndefinite {
      if item.head.major == .unsigned { return Double(item.head.argument) }
      if item.head.major == .negative { return -1 - Double(item.head.argument) }
    }
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
    let integer = try wideInteger(at: cursor)
    guard let magnitude = Double(exactly: integer.absoluteValue) else {
      throw ItemError.unrepresentable(stored: "the integer \(integer.isNegative ? "-" : "")\(integer.absoluteValue)")
    }
    return integer.isNegative ? -magnitude : magnitude
  }

  /// Reads a float. The stored number must be exact in single precision, including NaN payloads.
  func float(at cursor: CBORCursor) throws -> Float {
    let value = try double(at: cursor)
    if let bits = HalfPrecision.singleBits(exactly: value) { return Float(bitPattern: bits) }
    throw ItemError.unrepresentable(stored: "the number \(value)")
  }

  /// Reads the text of a value: its own text, the text of the string that it refers to, or the text of a URL or a UUID.
  @inline(never)
  func text(at cursor: CBORCursor) throws -> String {
    let head = try reader.head(at: cursor.offset)
    guard head.major == .text, !head.isIndefinite else { return try unusualText(head, at: cursor) }
    return try reader.text(head.end..<reader.payloadEnd(of: head))
  }

  @inline(never)
  private func unusualText(_ head: CBORHead, at cursor: CBORCursor) throws -> String {
    if head.isTag(CBORTag.stringReference), let text = try referencedText(reader.head(at: head.end), in: cursor) {
      return text
    }
    let item = try item(at: cursor)
    if let text = try textIfPresent(item) { return text }
    if item.hasTag(CBORTag.url), let text = try textIfPresent(self.item(at: content(of: item))) { return text }
    if item.hasTag(CBORTag.uuid) { return try UUID(at: item.cursor, in: self).uuidString }
    throw ItemError.mismatch(stored: try describe(cursor))
  }

  static func isNumberName(_ name: ArchiveTag) -> Bool {
    numberNames.contains(name.name)
  }

  static let numberNames: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    "Float16", "Float", "Double", "CGFloat",
  ]
}
