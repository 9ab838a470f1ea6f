import Foundation
import TestSupport
import Testing
import ThrownErrors

@testable import KeyedArchive

#if canImport(CoreGraphics)
import CoreGraphics  // CGRect's members, which Foundation only includes on a Mac
#endif

/// Values of the standard library and Foundation are restored without naming or registering their types.
@Suite struct StandardTypeTests {
  /// Encodes values in a mixed array, and expects each to keep its type.
  private func expectKnown<each Value: Codable & Equatable & Sendable>(
    _ values: repeat each Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for value in repeat each values {
      try expectRoundTrip(value, sourceLocation: sourceLocation)
      func expect<V: Codable & Equatable & Sendable>(_ value: V) throws {
        let mixed: [any Sendable] = [value, [value], ["k": value] as [String: any Sendable], [V?.some(value), nil]]
        let decoded = try roundTripDynamically(mixed) as? [any Sendable]
        #expect(decoded?[0] as? V == value, "\(V.self)", sourceLocation: sourceLocation)
        #expect(decoded?[1] as? [V] == [value], "[\(V.self)]", sourceLocation: sourceLocation)
        #expect((decoded?[2] as? [String: any Sendable])?["k"] as? V == value, sourceLocation: sourceLocation)
        #expect(decoded?[3] as? [V?] == [value, nil], "[\(V.self)?]", sourceLocation: sourceLocation)
      }
      try expect(value)
    }
  }

  @Test func scalarsAreKnown() throws {
    try expectKnown(true, "text", 1.5, 1.5 as Float, CGFloat(1.5), 1, Int8.min, Int16.min, Int32.min, Int64.min)
    try expectKnown(UInt.max, UInt8.max, UInt16.max, UInt32.max, UInt64.max, Int128.min, UInt128.max)
    try expectKnown(Duration.milliseconds(-1500), ContinuousClock.now, SuspendingClock.now, TaskPriority.high)
    try expectKnown(FloatingPointRoundingRule.up)
    #expect(try roundTripDynamically([[Never]()] as [any Sendable]).map { "\($0)" } == "[[]]")
  }

  @Test func foundationsValuesAreKnown() throws {
    let phonetics = PersonNameComponents()
    try expectKnown(Data([1]), Date(timeIntervalSinceReferenceDate: 0.1), UUID(), URL(filePath: "/a b"), Decimal(1.25))
    try expectKnown(DateComponents(year: 5), DateInterval(start: .distantPast, end: .distantFuture), phonetics)
    try expectKnown(IndexPath(index: 3), IndexSet([1, 2]), CharacterSet.letters, URLComponents(), NSRange(1..<3))
    try expectKnown(CGPoint(x: 1, y: -0.0), CGSize.zero, CGRect.infinite)
    #if os(macOS) || !canImport(Darwin)
    // Of Apple's systems, only macOS has the type.
    try expectKnown(AffineTransform(rotationByDegrees: 10))
    #endif
    #if canImport(CoreGraphics)
    try expectKnown(CGVector(dx: 1, dy: -2.5), CGAffineTransform(rotationAngle: 1))
    #endif
    try expectKnown(SortOrder.reverse, String.Comparator(options: .numeric), String.StandardComparator.lexical)
    try expectKnown(Morphology(), InflectionRule.automatic, AttributedString("text"))
  }

  @Test func localesAreKnown() throws {
    let language = Locale.Language(identifier: "zh-Hant")
    try expectKnown(Locale(identifier: "de_CH"), Locale.Components(identifier: "de_CH@calendar=iso8601"), language)
    try expectKnown(Locale.Language.Components(identifier: "de-CH"), Locale.LanguageCode("de"), Locale.Region("DE"))
    try expectKnown(Locale.Script("Latn"), Locale.Subdivision("usca"), Locale.Variant("posix"), Locale.Currency("EUR"))
    try expectKnown(Locale.Collation("phonebk"), Locale.NumberingSystem("arab"), Locale.MeasurementSystem.us)
    try expectKnown(Locale.HourCycle.oneToTwelve, Locale.Weekday.monday, TimeZone.gmt, Calendar.Identifier.hebrew)
    let calendar = Calendar(identifier: .gregorian)
    let weekdays: [Calendar.RecurrenceRule.Weekday] = [.every(.monday), .nth(-1, .friday)]
    try expectKnown(calendar, Calendar.RecurrenceRule(calendar: calendar, frequency: .weekly, weekdays: weekdays))
  }

  @Test func formatStylesAreKnown() throws {
    let german = Locale(identifier: "de")
    try expectKnown(Date.FormatStyle(date: .complete, time: .shortened, locale: german), Date.ISO8601FormatStyle())
    try expectKnown(Date.IntervalFormatStyle(), Date.RelativeFormatStyle(), ByteCountFormatStyle(style: .binary))
    try expectKnown(Duration.TimeFormatStyle(pattern: .hourMinute), Decimal.FormatStyle(locale: german))
    try expectKnown(Duration.UnitsFormatStyle(allowedUnits: [.hours], width: .wide), Decimal.FormatStyle.Percent())
    try expectKnown(Decimal.FormatStyle.Currency(code: "EUR"), IntegerFormatStyle<Int>().sign(strategy: .always()))
    try expectKnown(IntegerFormatStyle<UInt8>.Percent(), FloatingPointFormatStyle<Double>().grouping(.never))
    try expectKnown(FloatingPointFormatStyle<Float>.Currency(code: "CHF"))
    try expectKnown(ListFormatStyle<StringStyle, [String]>.list(type: .or, width: .narrow))
  }

  @Test func measurementsAreKnown() throws {
    try expectKnown(Measurement(value: 1, unit: UnitLength.miles), Measurement(value: 2, unit: UnitMass.kilograms))
    try expectKnown(Measurement(value: 3, unit: UnitFuelEfficiency.milesPerGallon))
    #if !canImport(Darwin) || compiler(>=6.1)
    // Only newer SDKs of Apple declare it as Sendable.
    try expectKnown(Measurement(value: 4, unit: Unit(symbol: "apples")))
    #endif
  }

  @Test func genericTypesAreFoundByTheirArguments() throws {
    try expectKnown(1..<5, "a"..."z", ContiguousArray([1.5]), ContiguousArray([["a": [1..<2]]]), (1 as Decimal)..<3)
    try expectKnown([1, 2, 3].difference(from: [2, 4, 3, 1]).inferringMoves())
    try expectKnown(SIMD2(1.5, -2), SIMD3<Float>(1, 2, 3), SIMD4(1, 2, 3, 4), SIMD8<Int8>(repeating: 1))
    try expectKnown(SIMD16<UInt16>(repeating: 1), SIMD32<Int32>(repeating: 1), SIMD64<UInt8>(repeating: 7))
    let partial: [any Sendable] = [PartialRangeFrom(1), PartialRangeThrough(2.5), PartialRangeUpTo("a")]
    let decoded = try roundTripDynamically(partial) as? [any Sendable]
    #expect((decoded?[0] as? PartialRangeFrom<Int>)?.lowerBound == 1)
    #expect((decoded?[1] as? PartialRangeThrough<Double>)?.upperBound == 2.5)
    #expect((decoded?[2] as? PartialRangeUpTo<String>)?.upperBound == "a")
  }

  @Test(arguments: [
    "Range<[Int]>", "SIMD4<String>", "SIMD5<Int>", "Range<>", "Range<Unknown>", "Slice<Int>", "Range<Int", "<Int>",
    "Measurement<Int>",
  ])
  func aNameWithoutATypeIsUnknown(name: String) throws {
    #expect(try TypeRegistry().type(for: ArchiveTag(name)) == nil)
    let bytes = try "d81b 82 \(encodedHex(name)) 01"
    expectFailure(.unregisteredTag) { try KeyedArchiveDecoder().decode(from: Data(hex: bytes)) }
  }

  @Test func aGenericTypeWithARenamedArgumentIsRead() throws {
    #expect(TypeRegistry().tag(for: ContiguousArray<Renamed?>.self) == "ContiguousArray<Fresh?>")
    // 27(["ContiguousArray<Stale>", [{}]])
    let bytes = try "d81b 82 \(encodedHex("ContiguousArray<Stale>")) 81 a0"
    #expect(try decode(ContiguousArray<Renamed>.self, bytes).count == 1)
    #expect(try complaint { try decode(Range<Int>.self, bytes) }.kind == .typeMismatch)
  }

  /// Foundation only encodes a predicate on Apple's systems.
  @Test func aPredicateIsRestoredWhereItCanBeStored() throws {
    let predicate = #Predicate<Int> { $0 > 3 }
    #if canImport(Darwin)
    #expect(try TypeRegistry().type(for: "Predicate<Int>") == Predicate<Int>.self)
    #expect(try roundTrip(predicate).evaluate(4))
    let copy = try #require(try roundTripDynamically([predicate] as [any Sendable]) as? [any Sendable])
    #expect(try (copy[0] as? Predicate<Int>)?.evaluate(4) == true)
    #else
    #expect(try TypeRegistry().type(for: "Predicate<Int>") == nil)
    expectFailure(.notEncodable) { try roundTripDynamically(predicate) }
    #endif
  }

  /// It contains a key path, which only has a name in Objective-C.
  @Test func aSortDescriptorOfASwiftTypeIsRefusedWhenItIsStored() {
    expectError(EncodingError.self) { try roundTrip(SortDescriptor(\Renamed.number)) }
    expectError(EncodingError.self) { try roundTripDynamically([SortDescriptor(\Renamed.number)]) }
  }

  /// It contains no value of its type argument, so golden archives record its own fields.
  @Test func aSortDescriptorIsNotAContainer() {
    #expect(!TypeRegistry().isTransparent(SortDescriptor<Renamed>.self))
    #expect(TypeRegistry().isModel(SortDescriptor<Renamed>.self))
    #expect(TypeRegistry().isTransparent([Renamed].self) && !TypeRegistry().isModel([Renamed].self))
  }

  @Test func sortDescriptorsAndPredicatesAreNamedAfterTheirArguments() throws {
    let registry = TypeRegistry()
    #expect(registry.tag(for: SortDescriptor<Renamed>.self) == "SortDescriptor<Fresh>")
    #expect(registry.tag(for: Predicate<Renamed>.self) == "Predicate<Fresh>")
    #expect(registry.tag(for: Predicate<Renamed, [Int]>.self) == "Predicate<Fresh, [Int]>")
    #expect(registry.accepts("Predicate<Stale>", as: Predicate<Renamed>.self))
    #expect(!registry.accepts("Predicate<Other>", as: Predicate<Renamed>.self))
    #expect(!registry.accepts("Predicate<Stale>", as: Predicate<Renamed, Int>.self))
    #expect(try registry.type(for: "SortDescriptor<Fresh>") == nil)
    try registry.register(Renamed.self)
    #expect(try registry.type(for: "SortDescriptor<Fresh>") == SortDescriptor<Renamed>.self)
  }

  private struct Renamed: Archivable {
    var number: Int?
    static let archiveTag: ArchiveTag = "Fresh"
    static let formerArchiveTags: [ArchiveTag] = ["Stale"]
  }
}
