import Foundation
import KeyedArchive
import TestSupport
import Testing

private struct Holder: Codable {
  var n: Int128
}

@Suite struct IntegerTests {
  @Test func everyWidthIsRestoredAtItsExtremes() throws {
    try expectExtremes(of: Int.self)
    try expectExtremes(of: Int8.self)
    try expectExtremes(of: Int16.self)
    try expectExtremes(of: Int32.self)
    try expectExtremes(of: Int64.self)
    try expectExtremes(of: Int128.self)
    try expectExtremes(of: UInt.self)
    try expectExtremes(of: UInt8.self)
    try expectExtremes(of: UInt16.self)
    try expectExtremes(of: UInt32.self)
    try expectExtremes(of: UInt64.self)
    try expectExtremes(of: UInt128.self)
  }

  private func expectExtremes<Integer: FixedWidthInteger & Codable>(
    of _: Integer.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for value in [Integer.min, .min + 1, 0, 1, .max - 1, .max] {
      try expectRoundTrip(value, sourceLocation: sourceLocation)
    }
    for shift in 0..<Integer.bitWidth {
      let power: Integer = 1 << Integer(shift)
      try expectRoundTrip([power, power &- 1, ~power], sourceLocation: sourceLocation)
    }
  }

  @Test(
    arguments: [
      (0, "00"),
      (18_446_744_073_709_551_615, "1b ffffffffffffffff"),  // the last one that a head holds
      (18_446_744_073_709_551_616, "c2 49 010000000000000000"),  // tag 2, nine bytes
      (-9_223_372_036_854_775_809, "3b 8000000000000000"),  // beyond Int64, but not beyond a head
      (-18_446_744_073_709_551_616, "3b ffffffffffffffff"),
      (-18_446_744_073_709_551_617, "c3 49 010000000000000000"),  // tag 3, nine bytes
      (.max, "c2 50 7fffffffffffffffffffffffffffffff"),
      (.min, "c3 50 7fffffffffffffffffffffffffffffff"),
    ] as [(Int128, String)])
  func integersAreHeadsOrElseBigIntegers(value: Int128, bytes: String) throws {
    let data = try KeyedArchiveEncoder().encode(Holder(n: value))
    #expect(data.hex == hex("d81b 82 66 486f6c646572 a1 616e", bytes))  // 27(["Holder", {"n": value}])
    #expect(try decode(Int128.self, bytes) == value)
  }

  @Test func bigIntegersWithLeadingZerosAreRead() throws {
    #expect(try decode(Int.self, "c2 43 000005") == 5)
    #expect(try decode(Int.self, "c3 41 05") == -6)
    #expect(try decode(Int.self, "c3 40") == -1)
    #expect(try decode(UInt128.self, "c2 51 00ffffffffffffffffffffffffffffffff") == .max)
    #expect(try decode(Int.self, "c2 5f 4100 4105 ff") == 5)
    #expect(
      try complaint { try decode(UInt128.self, "c2 51 0100000000000000000000000000000000") }.kind == .dataCorrupted)
    #expect(try complaint { try decode(Int128.self, "c3 50 80000000000000000000000000000000") }.kind == .dataCorrupted)
    #expect(try complaint { try decode(Int.self, "c2 05") }.kind == .dataCorrupted)
  }

  @Test func anIntegerThatDoesNotFitIsAnError() throws {
    #expect(
      try complaint { try decode(Int8.self, "18 80") }
        == Complaint(kind: .dataCorrupted, path: "", message: "Int8 cannot hold the integer 128."))
    #expect(
      try complaint { try decode([String: UInt8].self, "a1 616e 20") }
        == Complaint(kind: .dataCorrupted, path: "n", message: "UInt8 cannot hold the integer -1."))
    #expect(try complaint { try decode(Int.self, "1b 8000000000000000") }.kind == .dataCorrupted)
    #expect(try complaint { try decode(Int64.self, "3b 8000000000000000") }.kind == .dataCorrupted)
    #expect(try decode(Int64.self, "3b 7fffffffffffffff") == .min)
  }

  @Test func anIntegerOfOneWidthReadsAsAnother() throws {
    #expect(try KeyedArchiveDecoder().decode(Int.self, from: KeyedArchiveEncoder().encode(Int16(-5))) == -5)
    #expect(try KeyedArchiveDecoder().decode(UInt8.self, from: KeyedArchiveEncoder().encode(200 as Int128)) == 200)
    #expect(try KeyedArchiveDecoder().decode(Double.self, from: KeyedArchiveEncoder().encode(7 as UInt32)) == 7)
    #expect(
      try KeyedArchiveDecoder().decode([Int].self, from: KeyedArchiveEncoder().encode([7, 8] as [Int128])) == [7, 8])
    let tooBig = try complaint {
      try KeyedArchiveDecoder().decode(Int8.self, from: KeyedArchiveEncoder().encode(UInt16(200)))
    }
    #expect(tooBig.message == "Int8 cannot hold the integer 200.")
  }

  @Test func aBooleanIsNotAnInteger() throws {
    #expect(try complaint { try decode(Int.self, "f5") }.message == "Expected Int, but found a Boolean.")
    #expect(
      try complaint { try decode(Bool.self, "01") }.message == "Expected Bool, but found the integer 1.")
    try expectRoundTrip(true, stored: "f5")
    try expectRoundTrip(false, stored: "f4")
  }
}
