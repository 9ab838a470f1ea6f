import Foundation

/// An integer beyond what a head holds, -2^64 to 2^64 - 1: tag 2 or 3 around its magnitude in network byte order.
///
/// Source: RFC 8949, section 3.4.3. Smaller integers are never written in this form.
struct BigInteger: Equatable {
  var isNegative: Bool
  /// The bytes of `n` for the value `n`, or for `-1 - n` if negative; no leading zeros.
  var magnitude: [UInt8]

  init<Integer: FixedWidthInteger>(_ value: Integer) {
    isNegative = value < 0
    // For a negative value the complement is -1 - value, which cannot overflow.
    var rest = isNegative ? ~value : value
    magnitude = []
    while rest != 0 {
      magnitude.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    magnitude.reverse()
  }

  /// The integer with a sign and an absolute value; the sign of zero is ignored.
  init(isNegative: Bool, absoluteValue: UInt128) {
    self.init(absoluteValue == 0 || !isNegative ? absoluteValue : absoluteValue - 1)
    self.isNegative = isNegative && absoluteValue > 0
  }

  init(isNegative: Bool, magnitude: some Sequence<UInt8>) {
    self.isNegative = isNegative
    self.magnitude = Array(magnitude.drop { $0 == 0 })
  }

  /// The big integer of an item, or `nil` when the item is none.
  init?(_ item: StoredItem, in input: DecodingInput) throws {
    guard item.hasTag(CBORTag.positiveBigInteger) || item.hasTag(CBORTag.negativeBigInteger) else { return nil }
    let content = try input.item(at: input.content(of: item))
    let isNegative = item.head.argument == CBORTag.negativeBigInteger
    let big = try input.withBytes(of: content) { BigInteger(isNegative: isNegative, magnitude: $0) }
    guard let big else { throw ItemError.malformed("A big integer whose content is not a byte string.") }
    self = big
  }

  func encode(into session: EncodingSession) throws {
    guard magnitude.count > MemoryLayout<UInt64>.size else {
      let argument = magnitude.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      return session.buffer.appendHead(isNegative ? .negative : .unsigned, argument)
    }
    try session.write(tag: isNegative ? CBORTag.negativeBigInteger : CBORTag.positiveBigInteger) {
      magnitude.withUnsafeBytes { session.write(bytes: $0) }
    }
  }
}

extension FixedWidthInteger {
  /// The value of a big integer, if this type can hold it.
  init?(exactly big: BigInteger) {
    guard big.magnitude.count <= 16 else { return nil }
    let magnitude = big.magnitude.reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
    if big.isNegative {
      guard magnitude <= UInt128(Int128.max) else { return nil }
      self.init(exactly: -1 - Int128(magnitude))
    } else {
      self.init(exactly: magnitude)
    }
  }
}
