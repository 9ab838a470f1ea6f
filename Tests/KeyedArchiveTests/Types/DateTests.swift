import Foundation
import KeyedArchive
import TestSupport
import Testing

@Suite struct DateTests {
  private static func bits(_ date: Date) -> UInt64 { date.timeIntervalSinceReferenceDate.bitPattern }

  @Test(
    arguments: [
      (1_363_896_240, "c1 1a 514b67b0"),  // tag 1, whole seconds as an integer
      (0, "c1 00"), (-1, "c1 20"),
      (1_363_896_240.5, "c1 fb 41d452d9ec200000"),  // tag 1, with a fraction
      (253_402_300_799, "c1 1b 0000003afff4417f"),  // the end of the year 9999
      (-62_135_596_800, "c1 3b 0000000e7791f6ff"),  // the start of the year 1
    ] as [(Double, String)])
  func aDateThatSecondsSince1970HoldExactlyIsTagged(seconds: Double, bytes: String) throws {
    try expectRoundTrip(Date(timeIntervalSince1970: seconds), stored: bytes, by: DateTests.bits)
  }

  @Test(
    arguments: [
      (0.1, "fb 3fb999999999999a"),  // the sum with 31 years loses the last bits
      (-0.0, "f9 8000"),
      (5e300, "fb 7e5ddd4baa009303"),
      (253_402_300_800 - 978_307_200, "fb 424d62d23c800000"),
      (.infinity, "f9 7c00"), (-.infinity, "f9 fc00"), (.nan, "f9 7e00"),
      (.leastNonzeroMagnitude, "fb 0000000000000001"),
      (.greatestFiniteMagnitude, "fb 7fefffffffffffff"),
    ] as [(Double, String)])
  func anyOtherDateIsNamedAndHoldsSecondsSince2001(seconds: Double, bytes: String) throws {
    let name = "d81b 82 64 44617465"  // 27(["Date", …])
    try expectRoundTrip(Date(timeIntervalSinceReferenceDate: seconds), stored: name + bytes, by: DateTests.bits)
  }

  @Test func everyBitOfARandomDateIsRestored() throws {
    var random = SeededGenerator(seed: 3)
    let spans = [1.0, 86_400, 1e9, 1e12]
    let dates = (0..<4000).map { index in
      index.isMultiple(of: 2)
        ? Date(timeIntervalSinceReferenceDate: Double.random(in: -1...1, using: &random) * spans[index / 2 % 4])
        : Date(timeIntervalSinceReferenceDate: Double(bitPattern: random.next()))
    }
    #expect(try roundTrip(dates).map(DateTests.bits) == dates.map(DateTests.bits))
    for date in dates.prefix(500) { #expect(DateTests.bits(try roundTrip(date)) == DateTests.bits(date)) }
  }

  @Test func datesAsTextAreRead() throws {
    let expected = Date(timeIntervalSince1970: 1_363_896_240)
    #expect(try decode(Date.self, "c0 74 323031332d30332d32315432303a30343a30305a") == expected)
    let half = "c0 78 18 " + Data("2013-03-21T20:04:00.500Z".utf8).hex
    #expect(try decode(Date.self, half) == expected + 0.5)
    let zone = "c0 78 19 " + Data("2013-03-21T22:04:00+02:00".utf8).hex
    #expect(try decode(Date.self, zone) == expected)
    #expect(
      try complaint { try decode(Date.self, "c0 63 6e6f77") }.message
        == #""now" is not an RFC 3339 date."#)
  }

  /// A wrapper that encodes its value directly, and decodes it through a container.
  private struct Wrapper: Codable, Equatable {
    var date: Date

    init(_ date: Date) { self.date = date }

    init(from decoder: any Decoder) throws { date = try decoder.singleValueContainer().decode(Date.self) }

    func encode(to encoder: any Encoder) throws { try date.encode(to: encoder) }
  }

  @Test(arguments: [0, 5, 0.1, -0.25, 1e10]) func aDateThatEncodesItselfIsReadThroughAContainer(seconds: Double) throws
  {
    let wrapper = Wrapper(Date(timeIntervalSinceReferenceDate: seconds))
    let data = try KeyedArchiveEncoder().encode([wrapper])
    #expect(try KeyedArchiveDecoder().decode([Wrapper].self, from: data) == [wrapper])
  }

  @Test func anIntegerWithoutATagAndATextUnderTheTagAreNotDates() throws {
    // The epoch of an integer is unknown: Foundation writes floating-point numbers.
    #expect(try complaint { try decode(Date.self, "1a 514b67b0") }.kind == .typeMismatch)
    #expect(try complaint { try decode(Date.self, "c1 6131") }.kind == .typeMismatch)
  }

  @Test func aTreeKeepsTheBytesOfAnotherProgramsDate() throws {
    for bytes in [
      "c1 fb 3fb999999999999a", "c1 fb 7e5dddf6b095ff0c", "c1 f9 7e00", "c1 1b ffffffffffffffff", "c1 6131",
    ] {
      #expect(try encodedHex(decode(ArchiveValue.self, bytes)) == hex(bytes))
    }
  }
}
