import Foundation
import KeyedArchive
import TestSupport
import Testing

/// The examples of RFC 8949, Appendix A, from its machine-readable form <https://github.com/cbor/test-vectors>.
///
/// Each example is read as a tree and written again. The result intentionally differs from the example in three cases:
/// lengths are always definite, floating-point numbers take the shortest format, and `simple(24)` in two bytes, which
/// the older RFC 7049 allowed, is refused, as RFC 8949, section 3.3 requires.
@Suite struct AppendixATests {
  struct Example: Sendable, CustomTestStringConvertible {
    var bytes: String
    var value: ArchiveValue
    /// The encoding of the value, if it differs from the example.
    var rewritten: String?

    init(_ bytes: String, _ value: ArchiveValue, rewritten: String? = nil) {
      self.bytes = bytes
      self.value = value
      self.rewritten = rewritten
    }

    var testDescription: String { bytes }
  }

  @Test(arguments: integers + numbers + simpleValues + tags + strings + containers + indefiniteLengths)
  func anExampleIsReadAndWrittenAgain(example: Example) throws {
    let value = try decode(ArchiveValue.self, example.bytes)
    #expect(value == example.value)
    #expect(try encodedHex(value) == hex(example.rewritten ?? example.bytes))
  }

  @Test func aSimpleValueBelow32InTwoBytesIsRefused() {
    expectFailure(.malformed) { try decode(ArchiveValue.self, "f818") }
  }

  @Test func allExamplesOfTheAppendixAreTested() {
    let examples = [
      AppendixATests.integers, AppendixATests.numbers, AppendixATests.simpleValues, AppendixATests.tags,
      AppendixATests.strings, AppendixATests.containers, AppendixATests.indefiniteLengths,
    ].joined()
    #expect(examples.count + 1 == 82)
    #expect(Set(examples.map(\.bytes)).count == examples.count)
  }

  /// The diagnostic notation in the appendix, for examples that have no JSON value.
  @Test(arguments: [
    ("f97c00", "Infinity"), ("f97e00", "NaN"), ("f9fc00", "-Infinity"), ("fa7f800000", "Infinity"),
    ("fa7fc00000", "NaN"), ("faff800000", "-Infinity"), ("fb7ff0000000000000", "Infinity"),
    ("fb7ff8000000000000", "NaN"), ("fbfff0000000000000", "-Infinity"), ("f7", "undefined"), ("f0", "simple(16)"),
    ("f8ff", "simple(255)"), ("c074323031332d30332d32315432303a30343a30305a", #"0("2013-03-21T20:04:00Z")"#),
    ("c11a514b67b0", "1(1363896240)"), ("c1fb41d452d9ec200000", "1(1363896240.5)"),
    ("d74401020304", "23(h'01020304')"), ("d818456449455446", "24(h'6449455446')"),
    ("d82076687474703a2f2f7777772e6578616d706c652e636f6d", #"32("http://www.example.com")"#), ("40", "h''"),
    ("4401020304", "h'01020304'"), ("a201020304", "{1: 2, 3: 4}"),
    ("5f42010243030405ff", "h'0102030405'"),  // the appendix shows the chunks, which are not preserved
    ("c249010000000000000000", "18446744073709551616"), ("3bffffffffffffffff", "-18446744073709551616"),
    ("c349010000000000000000", "-18446744073709551617"), ("826161a161626163", #"["a", {"b": "c"}]"#),
  ])
  func anExampleIsShownInDiagnosticNotation(bytes: String, diagnostic: String) throws {
    #expect(try decode(ArchiveValue.self, bytes).diagnostic == diagnostic)
  }
}

extension AppendixATests {
  static let integers = [
    Example("00", 0), Example("01", 1), Example("0a", 10), Example("17", 23), Example("1818", 24), Example("1819", 25),
    Example("1864", 100), Example("1903e8", 1000), Example("1a000f4240", 1_000_000),
    Example("1b000000e8d4a51000", 1_000_000_000_000),
    Example("1bffffffffffffffff", .uint(.max)),
    Example("c249010000000000000000", .bigInteger(isNegative: false, magnitude: Data(hex: "010000000000000000"))),
    Example("3bffffffffffffffff", .bigInteger(isNegative: true, magnitude: Data(hex: "ffffffffffffffff"))),
    Example("c349010000000000000000", .bigInteger(isNegative: true, magnitude: Data(hex: "010000000000000000"))),
    Example("20", -1), Example("29", -10), Example("3863", -100), Example("3903e7", -1000),
  ]

  static let numbers = [
    Example("f90000", 0.0), Example("f98000", .double(-0.0)), Example("f93c00", 1.0),
    Example("fb3ff199999999999a", 1.1), Example("f93e00", 1.5), Example("f97bff", 65_504.0),
    Example("fa47c35000", 100_000.0), Example("fa7f7fffff", 3.4028234663852886e+38),
    Example("fb7e37e43c8800759c", 1.0e+300), Example("f90001", 5.960464477539063e-8),
    Example("f90400", 0.00006103515625), Example("f9c400", -4.0), Example("fbc010666666666666", -4.1),
    Example("f97c00", .double(.infinity)), Example("f97e00", .double(.nan)), Example("f9fc00", .double(-.infinity)),
    Example("fa7f800000", .double(.infinity), rewritten: "f97c00"),
    Example("fa7fc00000", .double(.nan), rewritten: "f97e00"),
    Example("faff800000", .double(-.infinity), rewritten: "f9fc00"),
    Example("fb7ff0000000000000", .double(.infinity), rewritten: "f97c00"),
    Example("fb7ff8000000000000", .double(.nan), rewritten: "f97e00"),
    Example("fbfff0000000000000", .double(-.infinity), rewritten: "f9fc00"),
  ]

  static let simpleValues = [
    Example("f4", false), Example("f5", true), Example("f6", nil), Example("f7", .undefined),
    Example("f0", .simple(16)), Example("f8ff", .simple(255)),
  ]

  static let tags = [
    Example("c074323031332d30332d32315432303a30343a30305a", .tagged(0, "2013-03-21T20:04:00Z")),
    Example("c11a514b67b0", .date(Date(timeIntervalSince1970: 1_363_896_240))),
    Example("c1fb41d452d9ec200000", .date(Date(timeIntervalSince1970: 1_363_896_240.5))),
    Example("d74401020304", .tagged(23, .data(Data([1, 2, 3, 4])))),
    Example("d818456449455446", .tagged(24, .data(Data("dIETF".utf8)))),
    Example(
      "d82076687474703a2f2f7777772e6578616d706c652e636f6d",
      URL(string: "http://www.example.com").map { .url($0) } ?? nil),
  ]

  static let strings = [
    Example("40", .data(Data())), Example("4401020304", .data(Data([1, 2, 3, 4]))),
    Example("60", ""), Example("6161", "a"), Example("6449455446", "IETF"), Example("62225c", "\"\\"),
    Example("62c3bc", "\u{fc}"), Example("63e6b0b4", "\u{6c34}"), Example("64f0908591", "\u{10151}"),
  ]

  private static let oneTo25 = ArchiveValue.array((1...25).map { .int($0) })

  static let containers = [
    Example("80", []), Example("83010203", [1, 2, 3]), Example("8301820203820405", [1, [2, 3], [4, 5]]),
    Example("98190102030405060708090a0b0c0d0e0f101112131415161718181819", oneTo25),
    Example("a0", [:]),
    Example("a201020304", .map([.init(key: 1, value: 2), .init(key: 3, value: 4)])),
    Example("a26161016162820203", ["a": 1, "b": [2, 3]]), Example("826161a161626163", ["a", ["b": "c"]]),
    Example("a56161614161626142616361436164614461656145", ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]),
  ]

  static let indefiniteLengths = [
    Example("5f42010243030405ff", .data(Data([1, 2, 3, 4, 5])), rewritten: "45 0102030405"),
    Example("7f657374726561646d696e67ff", "streaming", rewritten: "69 73747265616d696e67"),
    Example("9fff", [], rewritten: "80"),
    Example("9f018202039f0405ffff", [1, [2, 3], [4, 5]], rewritten: "8301820203820405"),
    Example("9f01820203820405ff", [1, [2, 3], [4, 5]], rewritten: "8301820203820405"),
    Example("83018202039f0405ff", [1, [2, 3], [4, 5]], rewritten: "8301820203820405"),
    Example("83019f0203ff820405", [1, [2, 3], [4, 5]], rewritten: "8301820203820405"),
    Example(
      "9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff", oneTo25,
      rewritten: "98190102030405060708090a0b0c0d0e0f101112131415161718181819"),
    Example("bf61610161629f0203ffff", ["a": 1, "b": [2, 3]], rewritten: "a26161016162820203"),
    Example("826161bf61626163ff", ["a", ["b": "c"]], rewritten: "826161a161626163"),
    Example("bf6346756ef563416d7421ff", ["Fun": true, "Amt": -2], rewritten: "a2 6346756e f5 63416d74 21"),
  ]
}
