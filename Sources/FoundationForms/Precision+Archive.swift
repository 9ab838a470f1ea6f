@_weakLinked import Foundation
package import KeyedArchive

/// The precision of a number format. Its own `encode(to:)` writes the limits of both lengths, or of the significant
/// digits. The code below reads them because `init(from:)` rejects null limits, which `.fractionLength(2)` has.
extension NumberFormatStyleConfiguration.Precision: RarelyDecodable {
  private static let limits = [
    "minSignificantDigits", "maxSignificantDigits", "minIntegerLength", "maxIntegerLength", "minFractionalLength",
    "maxFractionalLength",
  ]

  package init(stored decoder: ValueDecoder) throws {
    let option = try StoredFields(["option"], of: decoder).decoder("option")
    let fields = try StoredFields(Self.limits, of: option)
    let stored = try Self.limits.map(fields.intIfPresent)
    // A missing lower limit is stored as 1. A range from 1 would not extend to the greatest possible limit.
    let leastDigits = stored[0] == 1 && stored[1] != nil ? nil : stored[0]
    let digits = try Self.range(leastDigits, stored[1])
    let integer = try Self.range(stored[2], stored[3])
    let fraction = try Self.range(stored[4], stored[5])
    switch (digits, integer, fraction) {
    // Unlike a range, a single number is not clamped.
    case (let digits as ClosedRange<Int>, nil, nil) where digits.lowerBound == digits.upperBound:
      self = .significantDigits(digits.lowerBound)
    case (nil, let integer as ClosedRange<Int>, nil) where integer.lowerBound == integer.upperBound:
      self = .integerLength(integer.lowerBound)
    case (nil, nil, let fraction as ClosedRange<Int>) where fraction.lowerBound == fraction.upperBound:
      self = .fractionLength(fraction.lowerBound)
    case (let digits?, nil, nil): self = .significantDigits(digits)
    case (nil, let integer?, nil): self = .integerLength(integer)
    case (nil, nil, let fraction?): self = .fractionLength(fraction)
    case (nil, let integer?, let fraction?):
      self = .integerAndFractionLength(integerLimits: integer, fractionLimits: fraction)
    default: throw ItemError.malformed("A precision must have limits of exactly one kind.")
    }
  }

  private static func range(_ least: Int?, _ most: Int?) throws -> (any RangeExpression<Int>)? {
    // Foundation accepts a negative number, and traps when it formats with it.
    guard (least ?? 0) >= 0, (most ?? 0) >= 0 else {
      throw ItemError.malformed("A precision has a negative number of digits.")
    }
    switch (least, most) {
    case (let least?, let most?):
      guard least <= most else {
        throw ItemError.malformed("The lower limit \(least) of a precision exceeds the upper limit \(most).")
      }
      return least...most
    case (let least?, nil): return least...
    case (nil, let most?): return ...most
    case (nil, nil): return nil
    }
  }
}
