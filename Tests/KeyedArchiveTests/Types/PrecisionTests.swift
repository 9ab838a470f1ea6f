import Foundation
import KeyedArchive
import TestSupport
import Testing

@Suite struct PrecisionTests {
  private typealias Precision = NumberFormatStyleConfiguration.Precision

  @Test func everyPrecisionIsRestored() throws {
    let all: [Precision] = [
      .fractionLength(2), .fractionLength(2...5), .fractionLength(2...), .fractionLength(...4), .fractionLength(0),
      .integerLength(2), .integerLength(1...2), .integerLength(3...), .integerLength(...0),
      .significantDigits(2), .significantDigits(1...3), .significantDigits(2...),
      .integerAndFractionLength(integer: 1, fraction: 2),
      .integerAndFractionLength(integerLimits: 1...2, fractionLimits: 0...3),
      .integerAndFractionLength(integerLimits: 1..., fractionLimits: ...3), .significantDigits(...4),
      .fractionLength(5000), .integerLength(5000), .significantDigits(5000), .significantDigits(...5000),
      .significantDigits(1),
    ]
    for precision in all { try expectRoundTrip(precision) }
    try expectRoundTrip(FloatingPointFormatStyle<Double>().precision(.fractionLength(2...5)))
    try expectRoundTrip(Decimal.FormatStyle.Currency(code: "EUR").precision(.fractionLength(2)))
  }

  @Test(arguments: [
    "00", "a0", "a1 66 6f7074696f6e a0",
    // {"option": {"minFractionalLength": 5, "maxFractionalLength": 2}}
    "a1 66 6f7074696f6e a2 73 6d696e4672616374696f6e616c4c656e677468 05 73 6d61784672616374696f6e616c4c656e677468 02",
    "a1 66 6f7074696f6e a1 73 6d696e4672616374696f6e616c4c656e677468 20",  // {"option": {"minFractionalLength": -1}}
    "a1 66 6f7074696f6e a1 73 6d61784672616374696f6e616c4c656e677468 20",  // {"option": {"maxFractionalLength": -1}}
  ])
  func invalidLimitsAreRefused(bytes: String) {
    #expect(throws: DecodingError.self) { try decode(Precision.self, bytes) }
  }
}
