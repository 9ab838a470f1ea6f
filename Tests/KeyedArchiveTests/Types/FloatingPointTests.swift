import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Floating-point numbers are restored bit by bit: the sign of zero, the payload of a NaN, and whether a NaN signals.
@Suite struct FloatingPointTests {
  @Test(
    arguments: [
      (0, "f9 0000"), (0x8000_0000_0000_0000, "f9 8000"),  // 0 and -0
      (0x7ff0_0000_0000_0000, "f9 7c00"), (0xfff0_0000_0000_0000, "f9 fc00"),  // infinities
      (0x7ff8_0000_0000_0000, "f9 7e00"), (0xfff8_0000_0000_0000, "f9 fe00"),  // quiet NaN
      (0x7ff0_0400_0000_0000, "f9 7c01"),  // a signaling NaN of half precision
      (0x7ff0_0000_2000_0000, "fa 7f800001"), (0x7ff0_0000_0000_0001, "fb 7ff0000000000001"),
      (1, "fb 0000000000000001"), (0x7fef_ffff_ffff_ffff, "fb 7fefffffffffffff"),  // the smallest, the greatest
      (0x36a0_0000_0000_0000, "fa 00000001"), (0x3e70_0000_0000_0000, "f9 0001"),  // the smallest of narrower formats
    ] as [(UInt64, String)])
  func everyBitOfADoubleIsRestored(bits: UInt64, bytes: String) throws {
    try expectRoundTrip(Double(bitPattern: bits), stored: bytes, by: \.bitPattern)
    try expectRoundTrip(CGFloat(bitPattern: UInt(bits)), by: \.bitPattern)
    try expectRoundTrip([Double(bitPattern: bits)], by: { $0.map(\.bitPattern) })
    try expectRoundTrip(SIMD2(Double(bitPattern: bits), 1), by: { $0[0].bitPattern })
  }

  @Test(
    arguments: [
      0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001, 0xffbf_ffff, 1, 0x007f_ffff, 0x7f7f_ffff,
      0x3380_0000, 0x3dcc_cccd,
    ] as [UInt32])
  func everyBitOfAFloatIsRestored(bits: UInt32) throws {
    try expectRoundTrip(Float(bitPattern: bits), by: \.bitPattern)
    try expectRoundTrip([Float(bitPattern: bits)], by: { $0.map(\.bitPattern) })
    try expectRoundTrip(SIMD3(1, Float(bitPattern: bits), 2), by: { $0[1].bitPattern })
    let decoded = try roundTripDynamically([Float(bitPattern: bits)] as [any Sendable]) as? [any Sendable]
    #expect((decoded?.first as? Float)?.bitPattern == bits)
  }

  @Test func nanAndInfinityAreRestoredInCollections() throws {
    try expectRoundTrip([nil, .nan, -0.0, nil] as [Double?], by: { $0.map { $0?.bitPattern } })
    let decoded = try roundTrip([Double.nan: 1, -.infinity: 2, 0: 3])
    #expect(decoded.filter { $0.key.isNaN }.map(\.value) == [1])
    #expect(decoded[-.infinity] == 2)
    #expect(
      try roundTrip(Set([Double.nan, -0.0])).map(\.bitPattern).sorted() == [Double.nan.bitPattern, (-0.0).bitPattern])
  }

  #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
  /// All 65,536 of them.
  @Test func everyHalfPrecisionNumberIsRestored() throws {
    let all = (0...UInt16.max).map { Float16(bitPattern: $0) }
    #expect(try roundTrip(all).map(\.bitPattern) == all.map(\.bitPattern))
    let single = try roundTrip(all.map { Optional($0) })
    #expect(single.map { $0?.bitPattern } == all.map(\.bitPattern))
  }

  @Test func halfPrecisionNumbersAreStoredAsSuch() throws {
    try expectRoundTrip(Float16(1.5), stored: "d81b 82 67 466c6f61743136 f9 3e00")  // 27(["Float16", 1.5])
    try expectRoundTrip(Float16(bitPattern: 0x7c01), by: \.bitPattern)
    try expectRoundTrip([1.5, -0.0] as [Float16], stored: "d854 44 003e 0080", by: { $0.map(\.bitPattern) })
    try expectRoundTrip([0.5: 1, .infinity: 2] as [Float16: Int])
    let mixed = try roundTripDynamically([Float16(2), [Float16(3)]] as [any Sendable]) as? [any Sendable]
    #expect(mixed?.first as? Float16 == 2)
    #expect(mixed?.last as? [Float16] == [3])
    #expect(try decode([Float].self, "d854 42 003e") == [1.5])
    #expect(try decode([Float16].self, "d850 42 3e00") == [1.5])  // big-endian
    #expect(try decode([Float16].self, "82 01 f9 3e00") == [1, 1.5])
    #expect(
      try complaint { try decode(Float16.self, "fa 3dcccccd") }.message == "Float16 cannot hold the number 0.1.")
  }
  #endif
}
