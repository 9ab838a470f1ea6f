import Foundation

/// The precision of a number's format: its own `encode(to:)` writes the limits of both lengths, or of significant digits.
///
/// Its own `init(from:)` refuses limits of which some are null, as those of `.fractionLength(2)` are; they are read here.
extension NumberFormatStyleConfiguration.Precision: SpeciallyDecodable {
  private struct Stored: Decodable {
    struct Limits: Decodable {
      var minSignificantDigits: Int?
      var maxSignificantDigits: Int?
      var minIntegerLength: Int?
      var maxIntegerLength: Int?
      var minFractionalLength: Int?
      var maxFractionalLength: Int?
    }

    var option: Limits
  }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    let limits = try Stored(from: ValueDecoder(session: session, cursor: cursor, path: path())).option
    // The least is 1 where there was none; a range would not reach the greatest that is possible.
    let leastDigits =
      limits.minSignificantDigits == 1 && limits.maxSignificantDigits != nil ? nil : limits.minSignificantDigits
    let digits = try range(leastDigits, limits.maxSignificantDigits)
    let integer = try range(limits.minIntegerLength, limits.maxIntegerLength)
    let fraction = try range(limits.minFractionalLength, limits.maxFractionalLength)
    switch (digits, integer, fraction) {
    // A single number is not clamped as a range is.
    case (let digits as ClosedRange<Int>, nil, nil) where digits.lowerBound == digits.upperBound:
      return .significantDigits(digits.lowerBound)
    case (nil, let integer as ClosedRange<Int>, nil) where integer.lowerBound == integer.upperBound:
      return .integerLength(integer.lowerBound)
    case (nil, nil, let fraction as ClosedRange<Int>) where fraction.lowerBound == fraction.upperBound:
      return .fractionLength(fraction.lowerBound)
    case (let digits?, nil, nil): return .significantDigits(digits)
    case (nil, let integer?, nil): return .integerLength(integer)
    case (nil, nil, let fraction?): return .fractionLength(fraction)
    case (nil, let integer?, let fraction?):
      return .integerAndFractionLength(integerLimits: integer, fractionLimits: fraction)
    default: throw ItemError.malformed("A precision without limits, or with those of two kinds.")
    }
  }

  private static func range(_ least: Int?, _ most: Int?) throws -> (any RangeExpression<Int>)? {
    // Foundation takes a negative number, and traps when it formats with it.
    guard (least ?? 0) >= 0, (most ?? 0) >= 0 else { throw ItemError.malformed("A negative number of digits.") }
    switch (least, most) {
    case (let least?, let most?):
      guard least <= most else { throw ItemError.malformed("Limits of \(least) and \(most).") }
      return least...most
    case (let least?, nil): return least...
    case (nil, let most?): return ...most
    case (nil, nil): return nil
    }
  }
}
