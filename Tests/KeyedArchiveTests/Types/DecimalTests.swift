import Foundation
import KeyedArchive
import TestSupport
import Testing

@Suite struct DecimalTests {
  /// The parts of a decimal number that must be restored: its digits and its exponent, not only its value.
  private struct Digits: Equatable {
    var isNegative: Bool
    var significand: String
    var exponent: Int
    var isNaN: Bool

    init(_ value: Decimal) {
      isNegative = value.isSignMinus
      significand = value.significand.magnitude.description
      exponent = value.exponent
      isNaN = value.isNaN
    }
  }

  @Test(arguments: [
    ("0", "c4 82 00 00"),  // 4([exponent, significand])
    ("1", "c4 82 00 01"), ("-1", "c4 82 00 20"), ("12.5", "c4 82 20 187d"), ("-0.001", "c4 82 22 20"),
    ("273.15", "c4 82 21 196ab3"), ("100", "c4 82 02 01"),  // Decimal itself drops trailing zeros
    ("18446744073709551616", "c4 82 00 c2 49 010000000000000000"),
    ("1e127", "c4 82 187f 01"), ("1e-127", "c4 82 387e 01"),
  ])
  func aDecimalIsAnExponentAndASignificand(text: String, bytes: String) throws {
    try expectRoundTrip(#require(Decimal(string: text)), stored: bytes, by: Digits.init)
  }

  @Test(arguments: [
    "99999999999999999999999999999999999999", "-12345678901234567890123456789012345678",
    "0.12345678901234567890123456789012345678", "170141183460469231731687303715884105727",
    "170141183460469231731687303715884105728",  // beyond Int128
    "340282366920938463463374607431768211455",  // 2^128 - 1, the greatest significand
    "-340282366920938463463374607431768211455",
    "1.7976931348623157", "123456789.987654321",
  ])
  func allDigitsAreRestored(text: String) throws {
    let value = try #require(Decimal(string: text))
    #expect(value.description == text)
    try expectRoundTrip(value, by: Digits.init)
  }

  @Test func extremesAreRestored() throws {
    try expectRoundTrip(Decimal.greatestFiniteMagnitude, by: Digits.init)
    try expectRoundTrip(-Decimal.greatestFiniteMagnitude, by: Digits.init)
    try expectRoundTrip(Decimal.leastNonzeroMagnitude, by: Digits.init)
    try expectRoundTrip(Decimal.pi, by: Digits.init)
  }

  @Test func notANumberHasAName() throws {
    try expectRoundTrip(Decimal.nan, stored: "d81b 82 67 446563696d616c 63 4e614e", by: Digits.init)
    #expect(try roundTrip([Decimal.nan, 1]).map(\.isNaN) == [true, false])
  }

  /// Arithmetic of `Decimal` drops trailing zeros, but a decoded `Decimal` can have them, and must not be changed.
  @Test(arguments: [
    ("c4 82 21 18 64", "1.00"), ("c4 82 20 39 03e7", "-100.0"),
    ("c4 82 3826 1b 8ac7230489e80000", "0.000000000000000000010000000000000000000"),
    ("c4 82 187f c2 50 4b3b4ca85a86c47a098a224000000000", "1" + String(repeating: "0", count: 165)),
  ])
  func trailingZerosAreRestored(bytes: String, text: String) throws {
    let value = try decode(Decimal.self, bytes)
    #expect(value.description == text)
    try expectRoundTrip(value, stored: bytes, by: Digits.init)
  }

  @Test func randomDecimalsAreRestored() throws {
    var random = SeededGenerator(seed: 2)
    var values: [Decimal] = []
    for _ in 0..<2000 {
      let digits = String((0..<random.below(38) + 1).map { _ in Character(String(random.below(10))) })
      let text = "\(random.below(2) == 0 ? "-" : "")\(digits)e\(random.below(160) - 120)"
      try values.append(#require(Decimal(string: text)))
    }
    #expect(try roundTrip(values).map(Digits.init) == values.map(Digits.init))
  }

  @Test func otherNumbersAreReadIfNothingIsLost() throws {
    #expect(try decode(Decimal.self, "18 2a") == 42)
    #expect(try decode(Decimal.self, "3b ffffffffffffffff").description == "-18446744073709551616")
    #expect(try decode(Decimal.self, "c2 50 ffffffffffffffffffffffffffffffff").description == "\(UInt128.max)")
    #expect(try decode(Decimal.self, "c4 82 00 c3 41 05") == -6)
    #expect(try complaint { try decode(Decimal.self, "c4 82 1880 01") }.kind == .dataCorrupted)  // exponent 128
    let tooManyDigits = "c4 82 00 c2 51 0100000000000000000000000000000000"  // 2^128
    #expect(try complaint { try decode(Decimal.self, tooManyDigits) }.kind == .dataCorrupted)
    #expect(try complaint { try decode(Decimal.self, "c4 81 00") }.kind == .dataCorrupted)
    #expect(try complaint { try decode(Decimal.self, "c4 05") }.kind == .dataCorrupted)
    #expect(
      try complaint { try decode(Decimal.self, "6131") }
        == Complaint(kind: .typeMismatch, path: "", message: "Expected Decimal, but found text."))
  }

  @Test func aWholeDecimalIsReadAsAnInteger() throws {
    #expect(try KeyedArchiveDecoder().decode(Int.self, from: KeyedArchiveEncoder().encode(Decimal(5))) == 5)
    #expect(
      try KeyedArchiveDecoder().decode([Int8].self, from: KeyedArchiveEncoder().encode([Decimal(-128), 0])) == [
        -128, 0,
      ])
    #expect(try decode(UInt64.self, "c4 82 13 01") == 10_000_000_000_000_000_000)
    #expect(try decode(Int.self, "c4 82 21 19 01f4") == 5)  // 500 hundredths
    let largest = "c4 82 00 c2 50 ffffffffffffffffffffffffffffffff"
    #expect(try decode(UInt128.self, largest) == .max)
    for (type, bytes) in [
      (Int8.self, "c4 82 00 18 80"), (Int.self, "c4 82 20 0f"), (Int.self, largest), (UInt.self, "c4 82 00 20"),
      (Int.self, "c4 82 18 7f 01"),
    ] as [(any Decodable.Type, String)] {
      #expect(
        try complaint { try KeyedArchiveDecoder().decode(type, from: Data(hex: bytes)) as Any }.kind == .dataCorrupted,
        "\(type) \(bytes)")
    }
  }

  @Test func aNamedNumberIsReadAsADecimal() throws {
    func read(_ number: some Encodable) throws -> Decimal {
      try KeyedArchiveDecoder().decode(Decimal.self, from: KeyedArchiveEncoder().encode(number))
    }
    #expect(try read(-5 as Int8) == -5 && read(UInt.max) == Decimal(UInt.max) && read(0.5 as Float) == 0.5)
    #expect(try read(7 as UInt128) == 7)
    let mixed = try KeyedArchiveEncoder().encode(Polymorphic<[any Sendable]>(wrappedValue: [3 as Int16]))
    #expect(try KeyedArchiveDecoder().decode([Decimal?].self, from: mixed) == [3])
  }

  @Test func aLargerIntegerIsReadIfADecimalHoldsIt() throws {
    // 10^50, -10^50, 2^128 and 2^128 - 1 times 10^30.
    let powerOfTen = "446c3b15f9926687d2c40534fdb564000000000000"
    #expect(try decode(Decimal.self, "c2 55 \(powerOfTen)") == Decimal(sign: .plus, exponent: 50, significand: 1))
    let less = "446c3b15f9926687d2c40534fdb563ffffffffffff"  // 10^50 - 1, for -1 - (10^50 - 1)
    #expect(try decode(Decimal.self, "c3 55 \(less)") == Decimal(sign: .minus, exponent: 50, significand: 1))
    #expect(try decode(Decimal.self, "c4 82 38 31 c2 55 \(powerOfTen)") == 1)
    for bytes in [
      "c2 51 0100000000000000000000000000000000", "c2 55 \(less)", "c2 58 50" + String(repeating: "ff", count: 80),
    ] {
      #expect(try complaint { try decode(Decimal.self, bytes) }.kind == .dataCorrupted)
    }
  }
}
