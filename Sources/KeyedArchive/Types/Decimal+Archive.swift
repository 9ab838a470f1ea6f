import CodingSupport
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
    guard !isNaN, let magnitude: UInt128 = parsed(significand.magnitude.description) else {
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
    case .integer:
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
      try DecodingInput(owning: buffer, limits: ArchiveLimits()), registry: .shared, userInfo: .init())
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
