import FoundationCore

/// A `Decimal` is stored as tag 4, `[exponent, significand]`. Not-a-number is the text `NaN` under the name `Decimal`.
/// Source: RFC 8949, section 3.4.4.
extension Decimal: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = true
  private static let tag: ArchiveTag = "Decimal"
  private static let notANumber = "NaN"

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    // Take the digits of the significand from its description: on some platforms, there is no other public way to all
    // 128 bits.
    guard !isNaN, let magnitude = UInt128(significand.magnitude.description) else {
      return try session.write(typeName: Decimal.tag, version: 1) { session.write(text: Decimal.notANumber) }
    }
    try session.write(tag: CBORTag.decimalFraction) {
      try session.writeArray(count: 2) {
        session.buffer.appendInteger(Int64(exponent))
        try BigInteger(isNegative: isSignMinus, absoluteValue: magnitude).encode(into: session)
      }
    }
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Decimal {
    let item = try session.input.item(at: cursor)
    if try session.input.textIfPresent(item) == notANumber { return .nan }
    let number = try session.input.number(at: cursor)
    switch number {
    case .decimal(let decimal): return decimal
    case .float(let value):
      guard let decimal = Decimal(shortestFormOf: value) else { throw number.unrepresentable }
      return decimal
    case .integer, .bigInteger:
      guard let (isNegative, significand, zeros) = number.digits, zeros <= 127 else { throw number.unrepresentable }
      return try Decimal(isNegative: isNegative, significand: significand, exponent: zeros)
    }
  }

  init(_ item: StoredItem, in input: DecodingInput) throws {
    let pair = try input.item(at: input.content(of: item))
    guard pair.head.major == .array, try input.container(at: pair.cursor).count == 2 else {
      throw ItemError.malformed("A decimal fraction must be a pair of integers.")
    }
    let first = input.firstElement(of: pair)
    let stored = try input.integer(Int64.self, at: first)
    let number = try input.number(at: input.skip(first))
    guard let (isNegative, significand, zeros) = number.digits else { throw number.unrepresentable }
    let exponent = Int(clamping: stored).addingReportingOverflow(zeros)
    guard !exponent.overflow, -128...127 ~= exponent.partialValue else {
      throw ItemError.unrepresentable(stored: "a decimal fraction with the exponent \(stored)")
    }
    try self.init(isNegative: isNegative, significand: significand, exponent: exponent.partialValue)
  }

  /// Creates a number with exactly these digits.
  private init(isNegative: Bool, significand: UInt128, exponent: Int) throws {
    // Arithmetic drops trailing zeros, and overflows if it cannot. Without trailing zeros it is exact and much faster.
    if !significand.isMultiple(of: 10), let magnitude = Decimal(string: String(significand)) {
      self = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: magnitude)
    } else {
      try self.init(encodedIsNegative: isNegative && significand > 0, significand: significand, exponent: exponent)
    }
  }

  /// Creates a number with the `init(from:)` of `Decimal`: on some platforms, there is no other public way to set each
  /// part.
  private init(encodedIsNegative isNegative: Bool, significand: UInt128, exponent: Int) throws {
    let buffer = ByteBuffer()
    buffer.appendHead(.map, 5)
    buffer.appendText("exponent")
    buffer.appendInteger(Int64(exponent))
    buffer.appendText("length")
    buffer.appendInteger(Int64((UInt128.bitWidth - significand.leadingZeroBitCount + 15) / 16))
    buffer.appendText("isNegative")
    buffer.appendBool(isNegative)
    buffer.appendText("isCompact")
    buffer.appendBool(false)
    buffer.appendText("mantissa")
    buffer.appendHead(.array, 8)
    for index in 0..<8 {
      buffer.appendHead(.unsigned, UInt64(truncatingIfNeeded: significand &>> (16 * index)) & 0xffff)
    }
    let parts = DecodingSession(
      try DecodingInput(owning: buffer, limits: ArchiveLimits()), registry: .shared, userInfo: [:])
    try self.init(from: ValueDecoder(session: parts, cursor: .start, path: .root))
  }

  /// Creates the decimal number with the fewest digits that identify a `Double`: 0.1 for 0.1, although the binary
  /// number is slightly greater. Returns `nil` if the conversion back would not give the same `Double`.
  init?(shortestFormOf number: Double) {
    guard number.isFinite, let decimal = Decimal(string: "\(number)", locale: Decimal.plainLocale),
      decimal.exactDouble == number
    else { return nil }
    self = decimal
  }

  /// The `Double` whose shortest form is this number, or `nil` if there is none.
  var exactDouble: Double? {
    guard let number = Double("\(self)"), Decimal(string: "\(number)", locale: Decimal.plainLocale) == self else {
      return nil
    }
    return number
  }

  private static let plainLocale = Locale(identifier: "en_US_POSIX")
}

/// An integer beyond the range of a head, -2^64 to 2^64 - 1: tag 2 or 3 around its magnitude in network byte order.
/// Source: RFC 8949, section 3.4.3. Smaller integers are never written in this form.
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

  init?(_ item: StoredItem, in input: DecodingInput) throws {
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
}

extension BigInteger {
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

/// An intermediate form in which a stored integer is converted to any of Swift's integer types.
struct WideInteger {
  var isNegative: Bool
  var absoluteValue: UInt128
}

extension WideInteger {
  init?(exactly big: BigInteger) {
    guard big.magnitude.count <= 16 else { return nil }
    let magnitude = big.magnitude.reduce(0 as UInt128) { $0 &<< 8 | UInt128($1) }
    guard !big.isNegative || magnitude < .max else { return nil }
    self.init(isNegative: big.isNegative, absoluteValue: big.isNegative ? magnitude + 1 : magnitude)
  }

  init?(exactly number: Double) {
    guard let value = UInt128(exactly: number.magnitude) else { return nil }
    self.init(isNegative: number < 0, absoluteValue: value)
  }

  init?(exactly decimal: Decimal) {
    let text = decimal.description
    let whole = text.prefix { $0 != "." }
    guard text.dropFirst(whole.count + 1).allSatisfy({ $0 == "0" }) else { return nil }
    guard let absoluteValue = UInt128(String(whole.drop { $0 == "-" })) else { return nil }
    self.init(isNegative: decimal.isSignMinus, absoluteValue: absoluteValue)
  }
}

extension FixedWidthInteger {
  init?(exactly value: WideInteger) {
    guard value.isNegative else {
      self.init(exactly: value.absoluteValue)
      return
    }
    guard value.absoluteValue <= Int128.min.magnitude else { return nil }
    self.init(exactly: Int128(truncatingIfNeeded: 0 &- value.absoluteValue))
  }

  init?(exactly big: BigInteger) {
    guard let value = WideInteger(exactly: big) else { return nil }
    self.init(exactly: value)
  }
}
