import Foundation
import KeyedArchive
import TestSupport
import Testing

@Suite struct FloatWidthTests {
  @Test(
    arguments: [
      (0, "f9 0000"),
      (-0.0, "f9 8000"),
      (1, "f9 3c00"),
      (1.5, "f9 3e00"),
      (65_504, "f9 7bff"),  // the greatest finite half
      (65_505, "fa 477fe100"),  // one more needs a single
      (65_536, "fa 47800000"),
      (0x1p-14, "f9 0400"),  // the least normal half
      (0x1p-24, "f9 0001"),  // the least subnormal half
      (-0x1p-24, "f9 8001"),
      (0x3ffp-24, "f9 03ff"),  // the greatest subnormal half
      (0x1p-25, "fa 33000000"),  // half of the least half
      (0x1.8p-24, "fa 33c00000"),  // between two subnormal halves
      (0x1.004p0, "f9 3c01"),  // the next half after 1
      (0x1.002p0, "fa 3f801000"),  // between them
      (0.1, "fb 3fb999999999999a"),
      (3.4028234663852886e38, "fa 7f7fffff"),  // the greatest single
      (3.402823669209385e38, "fb 47f0000000000000"),
      (0x1p-149, "fa 00000001"),  // the least single
      (0x1p-150, "fb 3690000000000000"),
      (.leastNonzeroMagnitude, "fb 0000000000000001"),
      (.infinity, "f9 7c00"),
      (-.infinity, "f9 fc00"),
    ] as [(Double, String)])
  func numbersTakeTheShortestFormatThatHoldsThem(value: Double, bytes: String) throws {
    try expectRoundTrip(value, stored: bytes, by: \.bitPattern)
  }

  @Test(
    arguments: [
      (0x7ff8_0000_0000_0000, "f9 7e00"),  // the usual not-a-number
      (0xfff8_0000_0000_0000, "f9 fe00"),  // its negative
      (0x7ff0_0400_0000_0000, "f9 7c01"),  // signaling, the least payload that a half holds
      (0x7fff_fc00_0000_0000, "f9 7fff"),
      (0x7ff0_0200_0000_0000, "fa 7f801000"),
      (0x7ff0_0000_2000_0000, "fa 7f800001"),  // signaling, the least payload that a single holds
      (0x7ff8_0000_0000_0001, "fb 7ff8000000000001"),
      (0x7ff0_0000_0000_0001, "fb 7ff0000000000001"),
      (0xffff_ffff_ffff_ffff, "fb ffffffffffffffff"),
    ] as [(UInt64, String)])
  func notANumberKeepsItsSignAndPayload(bitPattern: UInt64, bytes: String) throws {
    try expectRoundTrip(Double(bitPattern: bitPattern), stored: bytes, by: \.bitPattern)
  }

  @Test(arguments: [0x7fc0_0000, 0x7f80_0001, 0xffff_ffff, 0x8000_0000, 0x0000_0001, 0x7f7f_ffff] as [UInt32])
  func floatsAreRestoredBitForBit(bitPattern: UInt32) throws {
    try expectRoundTrip(Float(bitPattern: bitPattern), by: \.bitPattern)
  }

  @Test func allHalfPrecisionNumbersAreReadAndWrittenUnchanged() throws {
    for bits in UInt16.min...UInt16.max {
      let bytes = Data([0xf9, UInt8(bits >> 8), UInt8(bits & 0xff)])
      let value = try KeyedArchiveDecoder().decode(Double.self, from: bytes)
      if try KeyedArchiveEncoder().encode(value) != bytes { Issue.record("half \(String(bits, radix: 16))") }
    }
  }

  @Test func randomBitPatternsComeBackUnchanged() throws {
    var random = SeededGenerator(seed: 1)
    let doubles = (0..<5000).map { _ in Double(bitPattern: random.next()) }
    let singles = (0..<5000).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: random.next())) }
    #expect(try roundTrip(doubles).map(\.bitPattern) == doubles.map(\.bitPattern))
    #expect(try roundTrip(singles).map(\.bitPattern) == singles.map(\.bitPattern))
    for value in doubles.prefix(1000) { #expect(try roundTrip(value).bitPattern == value.bitPattern) }
    for value in singles.prefix(1000) { #expect(try roundTrip(value).bitPattern == value.bitPattern) }
  }

  @Test func aFloatIsReadOnlyIfNothingIsLost() throws {
    #expect(try decode(Float.self, "fb 3ff8000000000000") == 1.5)
    let complaint = try complaint { try decode(Float.self, "fb 3fb999999999999a") }
    #expect(complaint.kind == .dataCorrupted)
    #expect(complaint.message == "Float cannot hold the number 0.1.")
  }

  @Test func numbersConvertIfNothingIsLost() throws {
    #expect(try decode(Double.self, "18 2a") == 42)
    #expect(try decode(Double.self, "3b 7fffffffffffffff") == -0x1p63)
    #expect(try decode(Int.self, "f9 4900") == 10)
    #expect(try complaint { try decode(Int.self, "f9 3e00") }.message == "Int cannot hold the number 1.5.")
    #expect(try complaint { try decode(Double.self, "1b 0020000000000001") }.kind == .dataCorrupted)  // 2^53 + 1
  }
}
