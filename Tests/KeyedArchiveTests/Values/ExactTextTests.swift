import Foundation
import KeyedArchive
import TestSupport
import Testing

/// The text of a value represents exactly that value.
@Suite struct ExactTextTests {
  /// The seconds since 2001 of a date in JSON, as Foundation and `JSONDecoder` read it.
  private func seconds(in json: String) throws -> Double {
    guard json.hasPrefix("\"") else { return try #require(Double(json)) }
    let text = String(json.dropFirst().dropLast())
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
    return try style.parse(text).timeIntervalSinceReferenceDate
  }

  private static let borders: [Double] = [
    Date.distantPast.timeIntervalSinceReferenceDate, Date.distantFuture.timeIntervalSinceReferenceDate,
    0, -0.0, 0.001, 0.005, -0.001, 1e-9, -1e-9, 1e-20, -1e-20, .leastNonzeroMagnitude, 0.1 + 0.2, 0.999_999_999_9,
    59.999_5,
    -978_307_200, -978_307_200.5, 252_423_993_599.999_97, 252_423_993_600, -63_114_076_800.000_01, 1e15, 1e300, -1e300,
    .greatestFiniteMagnitude, 8_388_608.000_000_001, 788_918_400.123_456_7, 788_918_400.001, 788_918_400.002,
    788_918_400.003,
  ]

  @Test func everyDateReadsBackAsItself() throws {
    var generator = SeededGenerator(seed: 2_001)
    let ranges: [ClosedRange<Double>] = [
      -63_114_076_800...252_423_993_599, -1e9...1e9, -1e7...1e7, -100...100, -1e-3...1e-3, -1e14...1e14,
    ]
    let random = (0..<3_000).map { Double.random(in: ranges[$0 % ranges.count], using: &generator) }
    let milliseconds = (0..<1_000).map { _ in Double(generator.below(2_000_000_000_000)) / 1_000 - 978_307_200 }
    for seconds in Self.borders + random + milliseconds {
      let json = ArchiveValue.date(Date(timeIntervalSinceReferenceDate: seconds)).json()
      #expect(try self.seconds(in: json).bitPattern == seconds.bitPattern, "\(seconds) became \(json)")
      // A date is a number only if the digits of a text are not enough.
      if abs(seconds) > 8_388_608, -63_114_076_800..<252_423_993_600 ~= seconds { #expect(json.hasPrefix("\"")) }
    }
  }

  @Test(arguments: [
    (Date.distantPast, "0001-01-01T00:00:00Z"), (.distantFuture, "4001-01-01T00:00:00Z"),
    (Date(timeIntervalSinceReferenceDate: 0.005), "2001-01-01T00:00:00.005Z"),
    (Date(timeIntervalSinceReferenceDate: -0.5), "2000-12-31T23:59:59.500Z"),
    (Date(timeIntervalSinceReferenceDate: 788_918_400.000_000_119), "2026-01-01T00:00:00.000000119Z"),
  ])
  func aDateIsWrittenInISO8601(date: Date, text: String) {
    #expect(ArchiveValue.date(date).json() == "\"\(text)\"")
  }

  @Test func datesThatAreNotFiniteAreText() {
    #expect(ArchiveValue.date(Date(timeIntervalSinceReferenceDate: .infinity)).json() == "\"Infinity\"")
    #expect(ArchiveValue.date(Date(timeIntervalSinceReferenceDate: .nan)).json() == "\"NaN\"")
  }

  @Test func integersOfAnySizeHaveAllTheirDigits() {
    var generator = SeededGenerator(seed: 7)
    for count in 9...16 {
      for _ in 0..<20 {
        let magnitude = Data((0..<count).map { UInt8($0 == 0 ? 1 + generator.below(127) : generator.below(256)) })
        let number = magnitude.reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
        #expect(ArchiveValue.bigInteger(isNegative: false, magnitude: magnitude).json() == "\(number)")
        #expect(ArchiveValue.bigInteger(isNegative: true, magnitude: magnitude).json() == "-\(number + 1)")
      }
    }
    // 10^27 - 1. For a negative value, the magnitude is one greater.
    let nines = Data(hex: "033b2e3c9fd0803ce7ffffff")
    #expect(ArchiveValue.bigInteger(isNegative: false, magnitude: nines).json() == String(repeating: "9", count: 27))
    #expect(
      ArchiveValue.bigInteger(isNegative: true, magnitude: nines).json() == "-1" + String(repeating: "0", count: 27))
  }

  @Test func nonTextKeysDoNotLookLikeText() throws {
    let keys: [ArchiveValue] = [
      1, "1", "\"1\"", true, "true", nil, "null", .double(1), "1.0", [1], "[1]", [:], "{}", .data(Data()), "h''",
      .undefined,
      "undefined", .double(.nan), "NaN", .double(-.infinity), "-Infinity", .simple(9), "simple(9)", .tagged(6, 1),
      "6(1)", "a",
    ]
    let map = ArchiveValue.map(keys.map { .init(key: $0, value: 0) })
    let object = try #require(try JSONSerialization.jsonObject(with: Data(map.json().utf8)) as? [String: Any])
    #expect(object.count == keys.count)
    #expect(object["a"] != nil)
    let coded = try JSONDecoder().decode([String: Int].self, from: JSONEncoder().encode(map))
    #expect(coded.count == keys.count)
  }

  /// Collected text and text in pieces are the same.
  @Test func textInPiecesIsTheSameText() throws {
    let value: ArchiveValue = [
      "long \"text\"": .string(String(repeating: "\u{1f69a} \"\\\n\u{7f}a", count: 20_000)),
      "map": .map([.init(key: ["x\"y", 1], value: 1)]),
      "list": .array(Array(repeating: ["a", [:], []], count: 10_000)),
    ]
    var bytes: [UInt8] = []
    var count = 0
    let writer = TextWriter(JSONStyle(isPretty: true)) { piece in
      bytes += piece
      count += 1
    }
    writer.append(json: value)
    try writer.finish()
    #expect(count > 3)
    #expect(String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(value.json(isPretty: true).utf8))
    bytes = []
    let notation = TextWriter { bytes += $0 }
    notation.append(notation: value)
    try notation.finish()
    #expect(String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(value.diagnostic.utf8))
    #expect(try JSONDecoder().decode(ArchiveValue.self, from: Data(value.json().utf8))["list"] == value["list"])
  }
}
