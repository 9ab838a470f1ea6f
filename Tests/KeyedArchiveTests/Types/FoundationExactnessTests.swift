import Foundation
import KeyedArchive
import TestSupport
import Testing

/// Values that Foundation's own `Codable` conformances change, lose or trap on are restored.
@Suite struct FoundationExactnessTests {
  @Test(arguments: [1, 59, 90, 3601, -3661, -1, 64_799])
  func anOffsetOfSecondsFromGMTKeepsItsSeconds(seconds: Int) throws {
    let timeZone = try #require(TimeZone(secondsFromGMT: seconds))
    try expectRoundTrip(timeZone, by: { $0.secondsFromGMT() })
    try expectRoundTrip(timeZone)
    let calendar = DateComponents(timeZone: timeZone, year: 2024)
    try expectRoundTrip(calendar)
  }

  @Test(arguments: ["Asia/Tokyo", "UTC", "GMT", "GMT+0130", "America/Argentina/Buenos_Aires"])
  func aNamedTimeZoneIsItsIdentifier(identifier: String) throws {
    let timeZone = try #require(TimeZone(identifier: identifier))
    try expectRoundTrip(timeZone, by: \.identifier)
    #expect(try encodedHex(["z": timeZone]).hasSuffix(hex("6a 6964656e746966696572") + encodedHex(timeZone.identifier)))
    #expect(try complaint { try decode(TimeZone.self, "1a 7fffffff") }.kind == .dataCorrupted)
  }

  @Test func aNameKeepsItsPhonetics() throws {
    var phonetics = PersonNameComponents()
    phonetics.givenName = "tarou"
    var name = PersonNameComponents()
    name.givenName = "\u{592a}\u{90ce}"
    name.nickname = ""
    try expectRoundTrip(name, by: { [$0, $0.phoneticRepresentation] })
    name.phoneticRepresentation = phonetics
    try expectRoundTrip(name, by: { [$0, $0.phoneticRepresentation] })
    #expect(try roundTrip(name).phoneticRepresentation?.givenName == "tarou")
    name.phoneticRepresentation = PersonNameComponents()
    try expectRoundTrip(name, by: { [$0, $0.phoneticRepresentation] })
  }

  @Test(arguments: [
    "/%2F", "https://u:p@h.example:1/a;b?c=d%26&e#f", "?q=%C3%A9&=&q", "", "https://xn--e1afmkfd.xn--p1ai/", "x:", "#",
    "//h/%2e", "?", "http://[::1]:0/",
  ])
  func theComponentsOfAURLKeepTheirEscapes(text: String) throws {
    let components = try #require(URLComponents(string: text))
    try expectRoundTrip(components, by: { [$0.string, $0.percentEncodedPath, $0.percentEncodedQuery, $0.host] })
    try expectRoundTrip(components)
  }

  @Test func componentsWithoutTextAreStoredAsFields() throws {
    var components = URLComponents()
    components.path = "//a"  // would be a host in text
    #expect(components.string == nil)
    try expectRoundTrip(components)
    components.path = "a b"
    components.queryItems = [URLQueryItem(name: "\u{fc}", value: nil), URLQueryItem(name: "", value: "")]
    try expectRoundTrip(components)
    #expect(
      try complaint { try decode(URLComponents.self, "6b" + Data("http://a b/".utf8).hex) }.kind == .dataCorrupted)
  }

  @Test func measurementsOfEveryKindAreRestored() throws {
    for unit in [UnitFuelEfficiency.litersPer100Kilometers, .milesPerGallon, .milesPerImperialGallon] {
      try expectRoundTrip(
        Measurement(value: 0.1, unit: unit), by: { [$0.value, $0.converted(to: .milesPerGallon).value] })
      try expectRoundTrip(Measurement(value: 0.1, unit: unit))
    }
    for value in [0.1, -0.0, .infinity] {
      try expectRoundTrip(Measurement(value: value, unit: UnitTemperature.fahrenheit))
      try expectRoundTrip(Measurement(value: value, unit: UnitInformationStorage.gibibytes))
    }
    try expectRoundTrip(Measurement(value: 2, unit: Unit(symbol: "apples")))
    let own = UnitLength(symbol: "ell", converter: UnitConverterLinear(coefficient: 0.6, constant: 0.1))
    try expectRoundTrip(Measurement(value: 2, unit: own))
  }

  @Test func aUnitWithACustomConverterIsRefused() throws {
    final class Square: UnitConverter, @unchecked Sendable {}
    let own = UnitLength(symbol: "square", converter: Square())
    let error = expectFailure(.notEncodable) {
      try KeyedArchiveEncoder().encode(["a": Measurement(value: 2, unit: own)])
    }
    #expect(error?.codingPath.map(\.stringValue) == ["a"])
  }

  @Test(arguments: ["phonebk", "standard", "X1"])
  func aCollationStaysEqual(identifier: String) throws {
    try expectRoundTrip(Locale.Collation(identifier))
    var components = Locale.Components(identifier: "de_CH")
    components.collation = Locale.Collation(identifier)
    try expectRoundTrip(components)
  }

  @Test(arguments: ["de_CH", "en_US@calendar=buddhist;numbers=arab", "", "root", "zh-Hans-CN", "x"])
  func aLocaleKeepsItsIdentifier(identifier: String) throws {
    try expectRoundTrip(Locale(identifier: identifier), by: \.identifier)
  }

  @Test(arguments: [Calendar.Identifier.gregorian, .iso8601, .hebrew, .islamicUmmAlQura, .chinese, .japanese])
  func aCalendarKeepsItsSettings(identifier: Calendar.Identifier) throws {
    var calendar = Calendar(identifier: identifier)
    calendar.firstWeekday = 5
    calendar.minimumDaysInFirstWeek = 3
    calendar.locale = Locale(identifier: "de_CH")
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 5401))
    try expectRoundTrip(calendar)
    try expectRoundTrip(calendar, by: { [$0.firstWeekday, $0.minimumDaysInFirstWeek, $0.timeZone.secondsFromGMT()] })
    var components = DateComponents(calendar: calendar, era: 1, year: .max, nanosecond: .min, weekOfYear: 5)
    components.dayOfYear = 12
    components.isLeapMonth = true
    try expectRoundTrip(components)
  }

  @Test func indexAndCharacterSetsAreRestored() throws {
    try expectRoundTrip(IndexPath())
    try expectRoundTrip(IndexPath(indexes: [0, -1, .max, 9, 10]))
    try expectRoundTrip(IndexSet(integersIn: 0..<(.max - 1)))
    for characters in [CharacterSet(), .alphanumerics.inverted, CharacterSet(charactersIn: "\u{0}\u{10ffff}")] {
      try expectRoundTrip(characters)
    }
  }

  /// Null is both a tree and the absence of one.
  @Test func anOptionalTreeOfNullIsNotNil() throws {
    let trees: [ArchiveValue] = [.null, .undefined, .named("Optional", version: 1, .null), object("Optional", [:])]
    for tree in trees {
      try expectRoundTrip(ArchiveValue?.some(tree))
      try expectRoundTrip(ArchiveValue??.some(.some(tree)))
    }
    try expectRoundTrip([nil, .some(.null)] as [ArchiveValue?])
  }

  /// Swift compares canonically equivalent forms of texts, which does not give the order of their scalars.
  @Test func textsAreSortedByTheirScalars() throws {
    struct Words: Codable {
      var words: Set<String>
    }
    let texts = ["e\u{301}", "\u{e9}\\", "e\u{301}\u{fffd}", "f", "\u{212b}", "", "e"]
    let sorted = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for _ in 0..<20 {
      let tree = try decode(ArchiveValue.self, encodedHex(Words(words: Set(texts.shuffled()))))
      #expect(tree["words"]?.array?.compactMap(\.string) == sorted)
    }
  }
}
