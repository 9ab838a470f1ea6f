import Foundation
import ModelMapping
import TestSupport
import Testing
import ThrownErrors

/// A model with one value that a converter reads and writes.
private protocol Converted: Model {
  associatedtype Value: Equatable
  var value: Value { get set }
}

private struct Seconds: Converted { @Field(as: .unixSeconds) var value = Date(timeIntervalSince1970: 0) }
private struct Milliseconds: Converted { @Field(as: .unixMilliseconds) var value = Date(timeIntervalSince1970: 0) }
private struct ISO: Converted { @Field(as: .iso8601) var value = Date(timeIntervalSince1970: 0) }
private struct Fractions: Converted { @Field(as: .iso8601WithFractions) var value = Date(timeIntervalSince1970: 0) }
private struct Unconverted: Converted { @Field var value = Date(timeIntervalSince1970: 0) }
private struct Formatted: Converted {
  @Field(as: .date("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")) var value = Date(timeIntervalSince1970: 0)
}
private struct Day: Converted { @Field(as: .date("yyyy-MM-dd")) var value = Date(timeIntervalSince1970: 0) }
private struct Price: Converted { @Field(as: .decimalString) var value = Decimal(0) }
private struct Hex: Converted { @Field(as: .hex) var value = Data() }
private struct Base64: Converted { @Field(as: .base64) var value = Data() }
private struct Link: Converted { @Field(as: .url) var value = URL(fileURLWithPath: "/") }
private struct Quoted: Converted { @Field(as: .text) var value = 0.0 }
private struct QuotedInt: Converted { @Field(as: .text) var value = 0 }
private struct Days: Converted { @Field(as: .each(.iso8601)) var value: [Date] = [] }
private struct Named: Converted { @Field(as: .values(.unixSeconds)) var value: [String: Date] = [:] }

@Suite struct ConverterExactnessTests {
  private let dates: [Date] = {
    var random = SeededGenerator(seed: 19)
    let edges: [Double] = [
      0, 0.5, -0.5, 0.001, -0.001, 1e-9, 794_133_677.005, 978_307_200, -978_307_200, -978_307_200.001, 63_113_904_000,
      -63_114_076_800, 252_423_993_599, 252_423_993_599.999, -12_219_292_800, -13_197_600_000.25, 0x1p-30,
    ]
    return edges.map { Date(timeIntervalSinceReferenceDate: $0) } + [.distantPast, .distantFuture]
      + (0..<150).map { _ in
        Date(timeIntervalSinceReferenceDate: .random(in: -63_113_904_000...252_423_993_599, using: &random))
      } + (0..<150).map { _ in Date(timeIntervalSinceReferenceDate: .random(in: 5e8...9e8, using: &random)) }
  }()

  /// Expects that a written value is read as the same value, with an empty report, and then written as the same text.
  private func roundTrip<M: Converted>(
    _ type: M.Type, _ values: [M.Value], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for value in values {
      var model = M()
      model.value = value
      let text = try model.json()
      let copy = try M(json: text, mode: .strict)
      #expect(copy.value == value, "\(String(decoding: text, as: UTF8.self))", sourceLocation: sourceLocation)
      #expect(try copy.json() == text, sourceLocation: sourceLocation)
    }
  }

  /// Expects that texts are read with an empty report, and written unchanged.
  private func roundTrip<M: Converted>(
    _ type: M.Type, texts: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for text in texts {
      let json = #"{"value":\#(text)}"#
      let copy = try M(json: json, mode: .strict).json()
      #expect(String(decoding: copy, as: UTF8.self) == json, sourceLocation: sourceLocation)
    }
  }

  @Test func everyDateIsRestoredFromItsText() throws {
    try roundTrip(ISO.self, dates)
    try roundTrip(Fractions.self, dates)
    try roundTrip(Unconverted.self, dates)
    try roundTrip(Days.self, dates.map { [$0, $0] })
  }

  @Test func everyDateIsRestoredFromItsNumber() throws {
    try roundTrip(Seconds.self, dates)
    try roundTrip(Milliseconds.self, dates)
    try roundTrip(Named.self, dates.map { ["a": $0] })
  }

  @Test func textsWithMillisecondsRoundTrip() throws {
    let fractions = stride(from: 0, to: 1000, by: 3).map { String("\($0 + 1000)".dropFirst()) }
    for minute in [
      "2026-03-02T08:41:17", "1969-12-31T23:59:59", "0001-01-01T00:00:00", "9999-12-31T23:59:59", "1582-10-15T00:00:00",
    ] {
      try roundTrip(Fractions.self, texts: fractions.map { #""\#(minute).\#($0)Z""# })
    }
    try roundTrip(Formatted.self, texts: fractions.map { #""2026-03-02T08:41:17.\#($0)Z""# })
    try roundTrip(Milliseconds.self, texts: fractions.flatMap { ["1700000000\($0)", "-1700000001\($0)"] })
    try roundTrip(
      Seconds.self, texts: (1..<1000).map { "\(1_700_000_000 + $0)" } + ["0.5", "-0.5", "1700000000.005", "-1.25"])
  }

  @Test func daysAndYearsAreThoseOfTheCalendar() throws {
    let days = stride(from: 0, to: 36_525, by: 11).map { Date(timeIntervalSince1970: Double($0) * 86_400) }
    for day in days {
      var model = ISO()
      model.value = day
      let text = String(decoding: try model.json(), as: UTF8.self)
      // Foundation's own style is exact for whole seconds.
      #expect(text == #"{"value":"\#(day.formatted(.iso8601))"}"#)
    }
    for year in stride(from: 1, to: 10_000, by: 37) {
      let text = "\(String(repeating: "0", count: 4 - "\(year)".count))\(year)-02-28T12:00:00Z"
      let date = try ISO(json: #"{"value":"\#(text)"}"#).value
      #expect(date == (try? Date(text, strategy: .iso8601)))
      #expect(date.formatted(.iso8601) == text)
    }
    try roundTrip(Day.self, texts: [#""2026-02-28""#, #""2024-02-29""#, #""1970-01-01""#])
  }

  @Test(arguments: [
    "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-32T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T12:00:60Z", "2026-01-01T00:00:00", "2026-01-01",
    "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00Zx",
    "1582-10-10T00:00:00Z", "",
    "12026-01-01T00:00:00Z",
  ])
  func datesBeyondAllCalendarsAreRefused(text: String) {
    #expect(throws: DecodingError.self) { try ISO(json: #"{"value": "\#(text)"}"#) }
    #expect(throws: DecodingError.self) { try Unconverted(json: #"{"value": "\#(text)"}"#) }
  }

  @Test(arguments: [253_402_300_800, 300_000_000_000, -63_000_000_000])
  func datesBeyondTheYearsOfACalendarAreNotWritten(secondsSince1970: Double) throws {
    var model = ISO()
    model.value = Date(timeIntervalSince1970: secondsSince1970)
    let error = try requireError(EncodingError.self) { try model.json() }
    #expect("\(error)".contains("Only the years 0 to 9999 can be written in ISO 8601."))
  }

  @Test func timesInOtherZonesAreEqualAndALeapSecondIsReported() throws {
    let date = Date(timeIntervalSince1970: 1_772_440_877.25)
    for text in ["08:41:17.25Z", "10:41:17.250+02:00", "03:11:17.25-0530", "09:41:17.25+01"] {
      #expect(try ISO(json: #"{"value": "2026-03-02T\#(text)"}"#, mode: .strict).value == date)
    }
    let (leap, report) = try ISO.decode(json: #"{"value": "2016-12-31T23:59:60Z"}"#)
    #expect(leap.value == Date(timeIntervalSince1970: 1_483_228_800))
    #expect(report.entries.map(\.kind) == [.rounding])
  }

  @Test func digitsBeyondTheDatesPrecisionAreReported() throws {
    func kinds<M: Converted>(_ type: M.Type, _ value: String) throws -> [DecodingReport.Kind] {
      try M.decode(json: #"{"value": \#(value)}"#).report.entries.map(\.kind)
    }
    let text = #""2026-03-02T08:41:17.123456789123Z""#
    #expect(try kinds(ISO.self, text) == [.rounding])
    #expect(try kinds(Fractions.self, text) == [.rounding])
    #expect(try kinds(Unconverted.self, text) == [.rounding])
    #expect(try kinds(Formatted.self, #""2026-03-02T08:41:17.1234Z""#) == [.coercion])
    #expect(try kinds(Seconds.self, "1700000000.123456789123") == [.rounding])
    #expect(try kinds(Milliseconds.self, "1700000000123.456789123") == [.rounding])
    #expect(try kinds(Seconds.self, #""1700000000""#) == [.coercion])
    #expect(try kinds(Seconds.self, "1e-99999999") == [.rounding])
    #expect(throws: DecodingError.self) { try Seconds(json: #"{"value": 1e99999999}"#) }
  }

  @Test func datesWithoutATextAreRefused() {
    func refuses<M: Converted>(_ type: M.Type, _ date: Date) where M.Value == Date {
      var model = M()
      model.value = date
      #expect(throws: EncodingError.self) { try model.json() }
    }
    for seconds in [1e12, -1e12, .infinity, .nan, -.infinity, 1e300] {
      refuses(ISO.self, Date(timeIntervalSinceReferenceDate: seconds))
      refuses(Fractions.self, Date(timeIntervalSinceReferenceDate: seconds))
      refuses(Unconverted.self, Date(timeIntervalSinceReferenceDate: seconds))
    }
    for seconds in [.infinity, .nan, 1e300, 1.0.ulp] {
      refuses(Seconds.self, Date(timeIntervalSinceReferenceDate: seconds))
      refuses(Milliseconds.self, Date(timeIntervalSinceReferenceDate: seconds))
    }
    for seconds in [.infinity, .nan, -.infinity, 1e300, 1e15] {
      refuses(Day.self, Date(timeIntervalSinceReferenceDate: seconds))
    }
  }

  @Test func aNumberIsADateOnlyWithAConverter() throws {
    for number in ["1767225600", "0", "-1.5", "1767225600000"] {
      let text = #"{"value": \#(number)}"#
      #expect {
        try Unconverted(json: text)
      } throws: { error in
        "\(error)".contains("give the field a converter such as .unixSeconds")
      }
    }
    #expect(try Seconds(json: #"{"value": 1767225600}"#).value == Date(timeIntervalSince1970: 1_767_225_600))
  }

  @Test func aNumberBeyondAllDatesIsReportedAsOutOfRange() {
    for number in ["1e300", "-1e19", "1e400"] {
      for decode in [{ _ = try Seconds(json: $0) }, { _ = try Milliseconds(json: $0) }] as [(String) throws -> Void] {
        #expect {
          try decode(#"{"value": \#(number)}"#)
        } throws: { error in
          "\(error)".contains("out of the range of dates") && !"\(error)".contains("Double")
        }
      }
    }
  }

  @Test func decimalsBytesURLsAndQuotedNumbersRoundTrip() throws {
    var random = SeededGenerator(seed: 20)
    let decimals = (0..<100).map { _ in
      Decimal(
        sign: Bool.random(using: &random) ? .plus : .minus, exponent: Int.random(in: -120...90, using: &random),
        significand: Decimal(UInt64.random(in: 0 ... .max, using: &random))
          * Decimal(UInt64.random(in: 0 ... .max, using: &random)))
    }
    try roundTrip(Price.self, decimals)
    let bytes = (0..<100).map { count in Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }) }
    try roundTrip(Hex.self, bytes)
    try roundTrip(Base64.self, bytes)
    try roundTrip(
      Link.self,
      ["https://a.example/b?c=d#e", "file:///x%20y", "a/b", "mailto:a@b.example"].compactMap { URL(string: $0) })
    try roundTrip(
      Quoted.self, (0..<100).map { _ in Double(bitPattern: .random(in: 0..<0x7ff0_0000_0000_0000, using: &random)) })
    try roundTrip(QuotedInt.self, [0, .max, .min, -1])
    var price = Price()
    price.value = .nan
    #expect(throws: EncodingError.self) { try price.json() }
  }

  @Test func aTextThatDoesNotRoundTripIsReported() throws {
    func kinds<M: Converted>(_ type: M.Type, _ value: String) throws -> [DecodingReport.Kind] {
      try M.decode(json: #"{"value": "\#(value)"}"#).report.entries.map(\.kind)
    }
    #expect(try kinds(Base64.self, "AR==") == [.coercion])
    #expect(try kinds(Link.self, "a b") == [.coercion])
    #expect(try kinds(Quoted.self, "1.0000000000000001") == [.rounding])
    #expect(try kinds(Quoted.self, "1.50") == [])
    #expect(try kinds(QuotedInt.self, "007") == [])
    #expect(try kinds(Price.self, "12.30") == [])
  }
}
