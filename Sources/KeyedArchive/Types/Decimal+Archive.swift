import Foundation

/// Decimal: tag 4, `[exponent, significand]`; not-a-number is named `Decimal` and holds the text `NaN`.
///
/// Source: RFC 8949, section 3.4.4.
extension Decimal: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = true
  private static let tag: ArchiveTag = "Decimal"
  private static let notANumber = "NaN"

  func encode(into session: EncodingSession, path: () -> CodingPathNode?) throws {
    // The digits of the significand are taken from its text: the only way to all 128 bits that is public everywhere.
    guard !isNaN, let magnitude = Int128(significand.magnitude.description) else {
      return try session.write(typeName: Decimal.tag, version: 1) { session.write(text: Decimal.notANumber) }
    }
    try session.write(tag: CBORTag.decimalFraction) {
      try session.writeArray(count: 2) {
        session.buffer.appendInteger(Int64(exponent))
        try session.write(integer: isSignMinus ? -magnitude : magnitude)
      }
    }
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode?
  ) throws -> Decimal {
    let item = try session.item(at: cursor)
    if try session.textIfPresent(item) == notANumber { return .nan }
    guard item.hasTag(CBORTag.decimalFraction) else {
      return try decimal(ofNumberAt: cursor, in: session)
    }
    let pair = try session.item(at: session.content(of: item))
    guard pair.head.major == .array, try session.container(at: pair.cursor).count == 2 else {
      throw ItemError.malformed("A decimal fraction that is not a pair of integers.")
    }
    let first = session.firstElement(of: pair)
    let exponent = try session.integer(Int.self, at: first)
    let significand = try session.integer(Int128.self, at: session.skip(first))
    guard -128...127 ~= exponent, let magnitude = Decimal(string: String(significand.magnitude)) else {
      throw ItemError.unrepresentable(stored: "decimal fraction")
    }
    // The magnitude itself may have been shortened by powers of ten; its own exponent is added to the stored one.
    return Decimal(sign: significand < 0 ? .minus : .plus, exponent: exponent, significand: magnitude)
  }

  private static func decimal(ofNumberAt cursor: CBORCursor, in session: DecodingSession) throws -> Decimal {
    let item = try session.item(at: cursor)
    switch item.head.major {
    case .unsigned, .negative:
      let integer = try session.integer(Int128.self, at: item.cursor)
      guard let value = Decimal(string: String(integer)) else { throw ItemError.unrepresentable(stored: "integer") }
      return value
    default:
      throw ItemError.mismatch(stored: try session.describe(cursor))
    }
  }
}
