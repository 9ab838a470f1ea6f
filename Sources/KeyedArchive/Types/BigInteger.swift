import CodingSupport
import FoundationCore

/// An integer of any size. Beyond the range of a head, -2^64 to 2^64 - 1, it is stored as tag 2 or 3 around its
/// magnitude in network byte order. Source: RFC 8949, section 3.4.3. Smaller integers are never written in this form.
struct BigInteger: Equatable {
  var isNegative: Bool
  /// The bytes of `n`, without leading zeros. The value is `-1 - n` if it is negative, and `n` otherwise.
  var magnitude: [UInt8]

  init<Integer: FixedWidthInteger>(_ value: Integer) {
    isNegative = value < 0
    // For a negative value the complement is -1 - value, which cannot overflow.
    var rest = isNegative ? ~value : value
    magnitude = []
    while rest != 0 {
      magnitude.append(UInt8(truncatingIfNeeded: rest))
      rest &>>= 8
    }
    magnitude.reverse()
  }

  /// Creates an integer from a sign and an absolute value. The sign of zero is ignored.
  init(isNegative: Bool, absoluteValue: UInt128) {
    self.init(absoluteValue == 0 || !isNegative ? absoluteValue : absoluteValue - 1)
    self.isNegative = isNegative && absoluteValue > 0
  }

  // Not inlined, because the code that reaches the bytes of `Data` is large.
  @inline(never)
  init(isNegative: Bool, magnitude: Data) {
    self = magnitude.withUnsafeBytes { BigInteger(isNegative: isNegative, bytes: $0) }
  }

  private init(isNegative: Bool, bytes: UnsafeRawBufferPointer) {
    self.isNegative = isNegative
    magnitude = []
    for byte in bytes where byte != 0 || !magnitude.isEmpty { magnitude.append(byte) }
  }

  /// Reads an integer in any form. Returns `nil` for any other item.
  init?(_ item: StoredItem, in input: DecodingInput) throws {
    if item.head.major == .unsigned || item.head.major == .negative {
      self.init(item.head.argument)
      isNegative = item.head.major == .negative
      return
    }
    guard item.hasTag(CBORTag.positiveBigInteger) || item.hasTag(CBORTag.negativeBigInteger) else { return nil }
    let content = try input.item(at: input.content(of: item))
    let isNegative = item.head.argument == CBORTag.negativeBigInteger
    let big = try input.withBytes(of: content) { BigInteger(isNegative: isNegative, bytes: $0) }
    guard let big else { throw ItemError.malformed("The content of a big integer must be a byte string.") }
    self = big
  }

  func encode(into session: EncodingSession) throws {
    guard magnitude.count > MemoryLayout<UInt64>.size else {
      let argument = magnitude.reduce(0 as UInt64) { $0 &<< 8 | UInt64($1) }
      return session.buffer.appendHead(isNegative ? .negative : .unsigned, argument)
    }
    try session.write(tag: isNegative ? CBORTag.negativeBigInteger : CBORTag.positiveBigInteger) {
      magnitude.withUnsafeBytes { session.write(bytes: $0) }
    }
  }

  /// The decimal digits, after a minus sign if the value is negative. O(*n*²) in the length of the magnitude.
  var digits: String {
    let base: UInt64 = 1_000_000_000
    var limbs: [UInt64] = [0]  // of nine digits each, least significant first
    var rest = magnitude[...]
    while !rest.isEmpty {
      // Take four bytes at a time. The first group may have fewer.
      let word = rest.prefix((rest.count - 1) % 4 + 1)
      rest = rest.dropFirst(word.count)
      var carry = word.reduce(0 as UInt64) { $0 &<< 8 | UInt64($1) }
      for index in limbs.indices {
        let value = limbs[index] &<< UInt64(8 * word.count) + carry
        limbs[index] = value % base
        carry = value / base
      }
      while carry > 0 {
        limbs.append(carry % base)
        carry /= base
      }
    }
    if isNegative {
      // The value is -1 - magnitude, so the digits are those of magnitude + 1.
      var index = 0
      while index < limbs.count, limbs[index] == base - 1 {
        limbs[index] = 0
        index += 1
      }
      if index == limbs.count { limbs.append(1) } else { limbs[index] += 1 }
    }
    var text = isNegative ? "-" : ""
    for index in limbs.indices.reversed() {
      let digits = String(limbs[index])
      if index < limbs.count - 1 {
        for _ in digits.utf8.count..<9 { text += "0" }
      }
      text += digits
    }
    return text
  }
}

extension BigInteger {
  /// The absolute value, or `nil` if it has more than 128 bits.
  var absoluteValue: UInt128? {
    guard magnitude.count <= 16 else { return nil }
    let magnitude = magnitude.reduce(0 as UInt128) { $0 &<< 8 | UInt128($1) }
    guard isNegative else { return magnitude }
    return magnitude < .max ? magnitude + 1 : nil
  }

  /// Creates the integer that a number equals, if it has up to 128 bits.
  init?(exactly decimal: Decimal) {
    let text = decimal.description
    let whole = text.prefix { $0 != "." }
    guard text.dropFirst(whole.count + 1).allSatisfy({ $0 == "0" }) else { return nil }
    guard let absoluteValue: UInt128 = parsed(String(whole.drop { $0 == "-" })) else { return nil }
    self.init(isNegative: decimal.isSignMinus, absoluteValue: absoluteValue)
  }
}

extension FixedWidthInteger {
  init?(exactly big: BigInteger) {
    guard let absoluteValue = big.absoluteValue else { return nil }
    guard big.isNegative else {
      self.init(exactly: absoluteValue)
      return
    }
    guard absoluteValue <= Int128.min.magnitude else { return nil }
    self.init(exactly: Int128(truncatingIfNeeded: 0 &- absoluteValue))
  }
}
