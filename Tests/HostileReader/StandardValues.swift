import Foundation
import KeyedArchive

#if canImport(CoreGraphics)
import CoreGraphics  // CGRect's members, which Foundation only includes on a Mac
#endif

/// A value, as an archive, of a type that every registry knows, and a way to read an archive as that type.
struct StandardValue: Sendable {
  let type: String
  let encoded: Data
  /// Reads an archive as the type, and uses the value like a store.
  let read: @Sendable (Data) throws -> Void

  init<Value: Codable & Hashable & Sendable>(_ value: Value) throws {
    type = TypeRegistry.shared.tag(for: Value.self).name
    encoded = try KeyedArchiveEncoder().encode([value] as [any Sendable])
    read = { @Sendable data in
      let copies = try KeyedArchiveDecoder().decode([Value].self, from: data)
      _ = try KeyedArchiveEncoder().encode(copies)
      _ = Set(copies).count == copies.count
    }
  }

  init<Value: Codable & Sendable>(unhashable value: Value) throws {
    type = TypeRegistry.shared.tag(for: Value.self).name
    encoded = try KeyedArchiveEncoder().encode([value] as [any Sendable])
    read = { @Sendable data in
      _ = try KeyedArchiveEncoder().encode(KeyedArchiveDecoder().decode([Value].self, from: data))
    }
  }

  /// At least one value of each standard type.
  static func all() throws -> [StandardValue] {
    try scalars() + values() + locales() + dateStyles() + numberStyles() + measurements() + generics()
  }

  private static func scalars() throws -> [StandardValue] {
    let integers: [StandardValue] = try [
      StandardValue(1), StandardValue(Int8(-1)), StandardValue(Int16(300)), StandardValue(Int32(70_000)),
      StandardValue(Int64.min), StandardValue(Int128.min), StandardValue(UInt.max), StandardValue(UInt8(1)),
      StandardValue(UInt16(1)), StandardValue(UInt32(1)), StandardValue(UInt64(1)), StandardValue(UInt128.max),
    ]
    var others: [StandardValue] = try [
      StandardValue(true), StandardValue("text"), StandardValue(0.1), StandardValue(Float(0.1)),
      StandardValue(CGFloat(0.1)), StandardValue(Duration.milliseconds(-1500)), StandardValue(ContinuousClock.now),
      StandardValue(SuspendingClock.now), StandardValue(unhashable: TaskPriority.high),
      StandardValue(unhashable: FloatingPointRoundingRule.up), StandardValue(unhashable: [Never]()),
    ]
    #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
    others.append(try StandardValue(Float16(0.5)))
    #endif
    return integers + others
  }

  private static func values() throws -> [StandardValue] {
    var name = PersonNameComponents(namePrefix: "Dr.", givenName: "Ada", familyName: "Lovelace")
    name.phoneticRepresentation = PersonNameComponents(givenName: "eida")
    var url = URLComponents()
    (url.scheme, url.host, url.port, url.path) = ("https", "example.org", 80, "//a b")
    (url.user, url.password, url.query, url.fragment) = ("u", "p", "q=1", "f")
    var hostless = URLComponents()
    hostless.path = "//a"
    var textless = url
    textless.path = "a b"  // no text has a host before such a path
    var calendar = Calendar(identifier: .hebrew)
    (calendar.firstWeekday, calendar.minimumDaysInFirstWeek) = (3, 4)
    calendar.timeZone = TimeZone(secondsFromGMT: 5401) ?? .gmt
    let components = DateComponents(
      calendar: calendar, timeZone: TimeZone(identifier: "Europe/Berlin"), era: 1, year: 2026, month: 11, day: 22,
      hour: 9, minute: 12, second: 55, nanosecond: 5, weekday: 1, weekdayOrdinal: 4, quarter: 4, weekOfMonth: 4,
      weekOfYear: 47, yearForWeekOfYear: 2026)
    return try [
      StandardValue(Data([1, 2])), StandardValue(Date(timeIntervalSinceReferenceDate: 0.1)),
      StandardValue(Date.distantPast),
      StandardValue(UUID()), StandardValue(URL(fileURLWithPath: "b", relativeTo: URL(fileURLWithPath: "/a/"))),
      StandardValue(URL(fileURLWithPath: "/a b")), StandardValue(Decimal(-125) / 100), StandardValue(Decimal.nan),
      StandardValue(["a": [1, nil, 2.5, "x"]] as ArchiveValue), StandardValue(components),
      StandardValue(DateInterval(start: Date(timeIntervalSince1970: 0), duration: 60)),
      StandardValue(IndexPath(indexes: [1, 2, 3])), StandardValue(IndexSet([1, 2, 3, 7, 9])),
      StandardValue(CharacterSet(charactersIn: "a\u{1f69a}")), StandardValue(CharacterSet.letters.inverted),
      StandardValue(name), StandardValue(url), StandardValue(hostless), StandardValue(textless),
      StandardValue(URLComponents()),
      StandardValue(NSRange(1..<3)), StandardValue(unhashable: CGPoint(x: 1, y: -0.0)),
      StandardValue(unhashable: CGSize.zero), StandardValue(unhashable: CGRect.infinite),
      StandardValue(SortOrder.reverse), StandardValue(String.Comparator(options: .numeric)),
      StandardValue(String.StandardComparator.lexical), StandardValue(morphology()),
      StandardValue(InflectionRule.automatic), StandardValue(InflectionRule(morphology: morphology())),
    ] + transforms() + attributedTexts()
  }

  private static func transforms() throws -> [StandardValue] {
    var values: [StandardValue] = []
    #if os(macOS) || !canImport(Darwin)
    // Of Apple's systems, only macOS has the type.
    values.append(try StandardValue(AffineTransform(rotationByDegrees: 10)))
    #endif
    #if canImport(CoreGraphics)
    values.append(try StandardValue(unhashable: CGVector(dx: 1, dy: -0.0)))
    values.append(try StandardValue(unhashable: CGAffineTransform(rotationAngle: 1)))
    #endif
    return values
  }

  private static func morphology() -> Morphology {
    var morphology = Morphology()
    (morphology.grammaticalGender, morphology.number, morphology.partOfSpeech) = (.feminine, .plural, .noun)
    return morphology
  }

  private static func attributedTexts() throws -> [StandardValue] {
    var text = AttributedString("link", attributes: AttributeContainer().link(URL(fileURLWithPath: "/a")))
    text += AttributedString("language", attributes: AttributeContainer().languageIdentifier("de"))
    text += AttributedString("name", attributes: AttributeContainer().personNameComponent(.familyName))
    text += AttributedString("number", attributes: AttributeContainer().numberPart(.integer))
    text += AttributedString("field", attributes: AttributeContainer().dateField(.era))
    text += AttributedString("shown", attributes: AttributeContainer().alternateDescription("alternative"))
    text += AttributedString("index", attributes: AttributeContainer().replacementIndex(3))
    var long = AttributedString()
    for _ in 0..<4 { long += text + AttributedString("plain") }
    return try [StandardValue(AttributedString("text")), StandardValue(text), StandardValue(long)]
  }

  private static func locales() throws -> [StandardValue] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.locale = Locale(identifier: "de_CH")
    var components = Locale.Components(identifier: "de_CH@calendar=iso8601;numbers=arab")
    components.firstDayOfWeek = .monday
    components.timeZone = .gmt
    let rule = Calendar.RecurrenceRule(
      calendar: calendar, frequency: .monthly, interval: 2, end: .afterOccurrences(5),
      matchingPolicy: .nextTimePreservingSmallerComponents, repeatedTimePolicy: .last,
      months: [Calendar.RecurrenceRule.Month(3, isLeap: true)], daysOfTheYear: [-1, 100], daysOfTheMonth: [1, 31],
      weeks: [5], weekdays: [.every(.monday), .nth(-1, .friday)], hours: [1], minutes: [2], seconds: [3],
      setPositions: [-1])
    return try [
      StandardValue(Locale(identifier: "de_CH")), StandardValue(components),
      StandardValue(Locale.Language(identifier: "zh-Hant")),
      StandardValue(Locale.Language.Components(identifier: "de-CH")),
      StandardValue(Locale.LanguageCode("de")), StandardValue(Locale.Region("DE")),
      StandardValue(Locale.Script("Latn")),
      StandardValue(Locale.Subdivision("usca")), StandardValue(Locale.Variant("posix")),
      StandardValue(Locale.Currency("EUR")),
      StandardValue(Locale.Collation("phonebk")), StandardValue(Locale.NumberingSystem("arab")),
      StandardValue(Locale.MeasurementSystem.us), StandardValue(Locale.HourCycle.oneToTwelve),
      StandardValue(Locale.Weekday.monday), StandardValue(TimeZone(identifier: "Asia/Tokyo") ?? .gmt),
      StandardValue(TimeZone(secondsFromGMT: 90) ?? .gmt), StandardValue(calendar),
      StandardValue(Calendar.Identifier.hebrew),
      StandardValue(unhashable: rule),
      StandardValue(unhashable: Calendar.RecurrenceRule(calendar: calendar, frequency: .daily)),
    ]
  }

  private static func dateStyles() throws -> [StandardValue] {
    let locale = Locale(identifier: "de_CH")
    let iso = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let verbatim = Date.VerbatimFormatStyle(
      format: "\(year: .defaultDigits)", locale: locale, timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    let strategy = Date.ParseStrategy(
      format: "\(year: .defaultDigits)", locale: locale, timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    return try [
      StandardValue(Date.FormatStyle(date: .complete, time: .shortened, locale: locale)),
      StandardValue(Date.FormatStyle().year().month(.wide).day().hour().minute().secondFraction(.fractional(3))),
      StandardValue(iso), StandardValue(verbatim), StandardValue(strategy),
      StandardValue(Date.IntervalFormatStyle(date: .long, time: .standard, locale: locale)),
      StandardValue(JSONDecoder().decode(Date.ComponentsFormatStyle.self, from: Data("{}".utf8))),
      StandardValue(Date.RelativeFormatStyle(presentation: .named, unitsStyle: .wide, locale: locale)),
      StandardValue(
        Duration.TimeFormatStyle(pattern: .hourMinuteSecond(padHourToLength: 2, fractionalSecondsLength: 3))),
      StandardValue(
        Duration.UnitsFormatStyle(
          allowedUnits: [.hours, .seconds], width: .wide, maximumUnitCount: 2, valueLength: 3,
          fractionalPart: .show(length: 3))),
    ]
  }

  private static func numberStyles() throws -> [StandardValue] {
    let locale = Locale(identifier: "de_CH")
    let decimal = Decimal.FormatStyle(locale: locale).precision(.integerAndFractionLength(integer: 2, fraction: 3))
      .scale(1.5).notation(.compactName).rounded(rule: .up, increment: 2)
    let others: [StandardValue] = try [
      StandardValue(decimal),
      StandardValue(Decimal.FormatStyle.Currency(code: "EUR").precision(.significantDigits(1...4))),
      StandardValue(Decimal.FormatStyle.Percent().precision(.fractionLength(2))),
      StandardValue(ByteCountFormatStyle(style: .binary, allowedUnits: [.kb, .mb])),
      StandardValue(ListFormatStyle<StringStyle, [String]>.list(type: .or, width: .narrow)),
    ]
    let signed = try [
      integers(Int.self), integers(Int8.self), integers(Int16.self), integers(Int32.self), integers(Int64.self),
    ]
    let unsigned = try [
      integers(UInt.self), integers(UInt8.self), integers(UInt16.self), integers(UInt32.self), integers(UInt64.self),
    ]
    let real = try [floats(Double.self), floats(Float.self)]
    return others + [real, signed, unsigned].joined().joined()
  }

  private static func floats<Value: BinaryFloatingPoint & Codable & Sendable>(_: Value.Type) throws -> [StandardValue] {
    try [
      StandardValue(
        FloatingPointFormatStyle<Value>().precision(.fractionLength(2...5)).rounded(rule: .down, increment: 0.5)),
      StandardValue(FloatingPointFormatStyle<Value>.Currency(code: "EUR").scale(2)),
      StandardValue(FloatingPointFormatStyle<Value>.Percent().grouping(.never)),
    ]
  }

  private static func integers<Value: BinaryInteger & Codable & Sendable>(_: Value.Type) throws -> [StandardValue] {
    try [
      StandardValue(IntegerFormatStyle<Value>().precision(.integerLength(2...5)).rounded(rule: .down, increment: 5)),
      StandardValue(IntegerFormatStyle<Value>.Currency(code: "EUR").sign(strategy: .accounting)),
      StandardValue(IntegerFormatStyle<Value>.Percent().decimalSeparator(strategy: .always)),
    ]
  }

  /// Only newer SDKs of Apple declare these two as Sendable.
  private static func anyUnits() throws -> [StandardValue] {
    #if !canImport(Darwin) || compiler(>=6.1)
    try [
      StandardValue(Measurement(value: 1, unit: Unit(symbol: "apples"))),
      StandardValue(Measurement<Dimension>(value: 1, unit: UnitLength.miles)),
    ]
    #else
    []
    #endif
  }

  private static func measurements() throws -> [StandardValue] {
    try anyUnits() + [
      StandardValue(Measurement(value: 1, unit: UnitAcceleration.gravity)),
      StandardValue(Measurement(value: 1, unit: UnitAngle.degrees)),
      StandardValue(Measurement(value: 1, unit: UnitArea.acres)),
      StandardValue(Measurement(value: 1, unit: UnitConcentrationMass.gramsPerLiter)),
      StandardValue(Measurement(value: 1, unit: UnitDispersion.partsPerMillion)),
      StandardValue(Measurement(value: 1, unit: UnitDuration.hours)),
      StandardValue(Measurement(value: 1, unit: UnitElectricCharge.coulombs)),
      StandardValue(Measurement(value: 1, unit: UnitElectricCurrent.amperes)),
      StandardValue(Measurement(value: 1, unit: UnitElectricPotentialDifference.volts)),
      StandardValue(Measurement(value: 1, unit: UnitElectricResistance.ohms)),
      StandardValue(Measurement(value: 1, unit: UnitEnergy.calories)),
      StandardValue(Measurement(value: 1, unit: UnitFrequency.hertz)),
      StandardValue(Measurement(value: 1, unit: UnitFuelEfficiency.milesPerGallon)),
      StandardValue(Measurement(value: 1, unit: UnitIlluminance.lux)),
      StandardValue(Measurement(value: 1, unit: UnitInformationStorage.bytes)),
      StandardValue(Measurement(value: 1, unit: UnitLength.miles)),
      StandardValue(Measurement(value: 1, unit: UnitMass.grams)),
      StandardValue(Measurement(value: 1, unit: UnitPower.watts)),
      StandardValue(Measurement(value: 1, unit: UnitPressure.bars)),
      StandardValue(Measurement(value: 1, unit: UnitSpeed.knots)),
      StandardValue(Measurement(value: 1, unit: UnitTemperature.celsius)),
      StandardValue(Measurement(value: 1, unit: UnitVolume.liters)),
    ]
  }

  private static func generics() throws -> [StandardValue] {
    try [
      StandardValue(1..<5), StandardValue("a"..."z"), StandardValue((1 as Decimal)..<3), StandardValue(0.5...2),
      StandardValue(Date.distantPast..<Date.distantFuture), StandardValue(unhashable: PartialRangeFrom(1)),
      StandardValue(unhashable: PartialRangeThrough(2.5)), StandardValue(unhashable: PartialRangeUpTo("a")),
      StandardValue(ContiguousArray([[1..<2]])), StandardValue(SIMD2(1.5, -2)), StandardValue(SIMD3<Float>(1, 2, 3)),
      StandardValue(SIMD4(1, 2, 3, 4)), StandardValue(SIMD8<Int8>(repeating: 1)),
      StandardValue(SIMD16<UInt16>(repeating: 1)),
      StandardValue(SIMD32<Int32>(repeating: 1)), StandardValue(SIMD64<UInt8>(repeating: 7)),
      StandardValue([1, 2, 3].difference(from: [2, 4, 3, 1]).inferringMoves()),
      StandardValue([1..<2: IndexSet([1])]), StandardValue(Set([Date(timeIntervalSinceReferenceDate: 0.1)])),
      StandardValue([Int??.some(nil)]), StandardValue([1.5, 2]), StandardValue([Int32(5)]),
    ]
  }
}
