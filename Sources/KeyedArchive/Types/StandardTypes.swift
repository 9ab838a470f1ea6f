import Foundation

extension TypeRegistry {
  /// The type of the standard library or Foundation that a tag stands for in every registry, or `nil` where there is
  /// none.
  ///
  /// A type that is not `Codable` on a platform is left out there. Types that are made of others, such as `Range<Int>`,
  /// are composed when they are asked for; see ``CompositeName``.
  package static func standardType(named name: String) -> (any (Codable & Sendable).Type)? {
    let type = standardTypes[name] ?? measurement(named: name) ?? numberFormatStyle(named: name)
    return type as? any (Codable & Sendable).Type
  }

  /// The names of the types that ``standardType(named:)`` returns.
  package static var standardTypeNames: [String] {
    let formats = integers.map { "IntegerFormatStyle<\($0)>" } + floats.map { "FloatingPointFormatStyle<\($0)>" }
    let names = formats.flatMap { [$0, $0 + ".Currency", $0 + ".Percent"] }
    return (standardTypes.keys + units.keys.map { "Measurement<\($0)>" } + names).filter {
      standardType(named: $0) != nil
    }
  }

  // Names are written beside the types: asking the runtime for all of them takes longer than opening a store.
  private static func types(_ names: String, _ types: [Any.Type]) -> [String: Any.Type] {
    Dictionary(zip(names.split(separator: " ").map(String.init), types)) { first, _ in first }
  }

  private static let standardTypes: [String: Any.Type] = {
    var types = TypeRegistry.types(
      """
      Bool String Double Float CGFloat Int Int8 Int16 Int32 Int64 Int128 UInt UInt8 UInt16 UInt32 UInt64 UInt128 Never \
      Duration ContinuousClock.Instant SuspendingClock.Instant TaskPriority FloatingPointRoundingRule \
      Data Date UUID URL Decimal AttributedString ArchiveValue DateComponents DateInterval IndexPath IndexSet \
      CharacterSet PersonNameComponents URLComponents _NSRange SortOrder String.Comparator String.StandardComparator \
      Morphology InflectionRule \
      Locale Locale.Components Locale.Language Locale.Language.Components Locale.LanguageCode Locale.Region \
      Locale.Script Locale.Subdivision Locale.Variant Locale.Currency Locale.Collation Locale.NumberingSystem \
      Locale.MeasurementSystem Locale.HourCycle Locale.Weekday TimeZone Calendar Calendar.Identifier \
      Calendar.RecurrenceRule \
      Date.FormatStyle Date.ISO8601FormatStyle Date.VerbatimFormatStyle Date.IntervalFormatStyle \
      Date.ComponentsFormatStyle Date.RelativeFormatStyle Date.ParseStrategy Duration.TimeFormatStyle \
      Duration.UnitsFormatStyle Decimal.FormatStyle Decimal.FormatStyle.Currency Decimal.FormatStyle.Percent \
      ByteCountFormatStyle
      """,
      [
        Bool.self, String.self, Double.self, Float.self, CGFloat.self, Int.self, Int8.self, Int16.self, Int32.self,
        Int64.self, Int128.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self, Never.self,
        Duration.self, ContinuousClock.Instant.self, SuspendingClock.Instant.self, TaskPriority.self,
        FloatingPointRoundingRule.self,
        Data.self, Date.self, UUID.self, URL.self, Decimal.self, AttributedString.self, ArchiveValue.self,
        DateComponents.self, DateInterval.self, IndexPath.self, IndexSet.self, CharacterSet.self,
        PersonNameComponents.self, URLComponents.self, NSRange.self, SortOrder.self, String.Comparator.self,
        String.StandardComparator.self, Morphology.self, InflectionRule.self,
        Locale.self, Locale.Components.self, Locale.Language.self, Locale.Language.Components.self,
        Locale.LanguageCode.self, Locale.Region.self, Locale.Script.self, Locale.Subdivision.self, Locale.Variant.self,
        Locale.Currency.self, Locale.Collation.self, Locale.NumberingSystem.self, Locale.MeasurementSystem.self,
        Locale.HourCycle.self, Locale.Weekday.self, TimeZone.self, Calendar.self, Calendar.Identifier.self,
        Calendar.RecurrenceRule.self,
        Date.FormatStyle.self, Date.ISO8601FormatStyle.self, Date.VerbatimFormatStyle.self,
        Date.IntervalFormatStyle.self, Date.ComponentsFormatStyle.self, Date.RelativeFormatStyle.self,
        Date.ParseStrategy.self, Duration.TimeFormatStyle.self, Duration.UnitsFormatStyle.self,
        Decimal.FormatStyle.self, Decimal.FormatStyle.Currency.self, Decimal.FormatStyle.Percent.self,
        ByteCountFormatStyle.self,
      ])
    types["ListFormatStyle<StringStyle, Array<String>>"] = ListFormatStyle<StringStyle, [String]>.self
    types["Float16"] = HalfPrecision.types?.element
    for (name, type) in geometry { types[name] = type }
    return types
  }()

  /// The measurements of units, by the units' names.
  private static let units = types(
    """
    Unit Dimension UnitAcceleration UnitAngle UnitArea UnitConcentrationMass UnitDispersion UnitDuration \
    UnitElectricCharge UnitElectricCurrent UnitElectricPotentialDifference UnitElectricResistance UnitEnergy \
    UnitFrequency UnitFuelEfficiency UnitIlluminance UnitInformationStorage UnitLength UnitMass UnitPower UnitPressure \
    UnitSpeed UnitTemperature UnitVolume
    """,
    [
      Measurement<Unit>.self, Measurement<Dimension>.self, Measurement<UnitAcceleration>.self,
      Measurement<UnitAngle>.self, Measurement<UnitArea>.self, Measurement<UnitConcentrationMass>.self,
      Measurement<UnitDispersion>.self, Measurement<UnitDuration>.self, Measurement<UnitElectricCharge>.self,
      Measurement<UnitElectricCurrent>.self, Measurement<UnitElectricPotentialDifference>.self,
      Measurement<UnitElectricResistance>.self, Measurement<UnitEnergy>.self, Measurement<UnitFrequency>.self,
      Measurement<UnitFuelEfficiency>.self, Measurement<UnitIlluminance>.self,
      Measurement<UnitInformationStorage>.self, Measurement<UnitLength>.self, Measurement<UnitMass>.self,
      Measurement<UnitPower>.self, Measurement<UnitPressure>.self, Measurement<UnitSpeed>.self,
      Measurement<UnitTemperature>.self, Measurement<UnitVolume>.self,
    ])

  private static func measurement(named name: String) -> Any.Type? {
    guard case .generic("Measurement", let unit) = CompositeName(name) else { return nil }
    return units[unit]
  }

  private static let integers = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
  ]
  private static let floats = ["Double", "Float"]

  /// A format of numbers: `IntegerFormatStyle<Int>.Percent`.
  private static func numberFormatStyle(named name: String) -> Any.Type? {
    guard let end = name.firstIndex(of: ">"), case .generic(let style, let number) = CompositeName(String(name[...end]))
    else { return nil }
    let kind = String(name[end...].dropFirst())
    switch (style, standardTypes[number]) {
    case ("IntegerFormatStyle", let type as any BinaryInteger.Type) where integers.contains(number):
      return integerFormatStyle(kind, of: type)
    case ("FloatingPointFormatStyle", let type as any BinaryFloatingPoint.Type) where floats.contains(number):
      return floatFormatStyle(kind, of: type)
    default: return nil
    }
  }

  private static func integerFormatStyle<Value: BinaryInteger>(_ kind: String, of _: Value.Type) -> Any.Type? {
    switch kind {
    case "": IntegerFormatStyle<Value>.self
    case ".Currency": IntegerFormatStyle<Value>.Currency.self
    case ".Percent": IntegerFormatStyle<Value>.Percent.self
    default: nil
    }
  }

  private static func floatFormatStyle<Value: BinaryFloatingPoint>(_ kind: String, of _: Value.Type) -> Any.Type? {
    switch kind {
    case "": FloatingPointFormatStyle<Value>.self
    case ".Currency": FloatingPointFormatStyle<Value>.Currency.self
    case ".Percent": FloatingPointFormatStyle<Value>.Percent.self
    default: nil
    }
  }
}
