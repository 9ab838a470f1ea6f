import Foundation

extension TypeRegistry {
  /// The types of the standard library and Foundation that every registry knows, by tag.
  ///
  /// A type that is not `Codable` on a platform is left out there. Types that are made of others, such as `Range<Int>`,
  /// are composed when they are asked for; see ``CompositeName``.
  package static let standardTypes: [String: any (Codable & Sendable).Type] = {
    let themes = [scalars, values, geometry, locales, formatStyles, measurements] + numberFormatStyles
    let codable = themes.joined().compactMap { $0 as? any (Codable & Sendable).Type }
    return Dictionary(codable.map { (defaultArchiveName(of: $0), $0) }) { first, _ in first }
  }()

  private static let scalars: [Any.Type?] = [
    Bool.self, String.self, Double.self, Float.self, HalfPrecision.types?.element, CGFloat.self,
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Int128.self,
    UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self, Never.self,
    Duration.self, ContinuousClock.Instant.self, SuspendingClock.Instant.self, TaskPriority.self,
    FloatingPointRoundingRule.self,
  ]

  private static let values: [Any.Type?] = [
    Data.self, Date.self, UUID.self, URL.self, Decimal.self, AttributedString.self, ArchiveValue.self,
    DateComponents.self, DateInterval.self, IndexPath.self, IndexSet.self, CharacterSet.self,
    PersonNameComponents.self, URLComponents.self, NSRange.self,
    SortOrder.self, String.Comparator.self, String.StandardComparator.self, Morphology.self, InflectionRule.self,
  ]

  private static let locales: [Any.Type?] = [
    Locale.self, Locale.Components.self, Locale.Language.self, Locale.Language.Components.self,
    Locale.LanguageCode.self, Locale.Region.self, Locale.Script.self, Locale.Subdivision.self, Locale.Variant.self,
    Locale.Currency.self, Locale.Collation.self, Locale.NumberingSystem.self, Locale.MeasurementSystem.self,
    Locale.HourCycle.self, Locale.Weekday.self,
    TimeZone.self, Calendar.self, Calendar.Identifier.self, Calendar.RecurrenceRule.self,
  ]

  private static let formatStyles: [Any.Type?] = [
    Date.FormatStyle.self, Date.ISO8601FormatStyle.self, Date.VerbatimFormatStyle.self,
    Date.IntervalFormatStyle.self, Date.ComponentsFormatStyle.self, Date.RelativeFormatStyle.self,
    Date.ParseStrategy.self, Duration.TimeFormatStyle.self, Duration.UnitsFormatStyle.self,
    Decimal.FormatStyle.self, Decimal.FormatStyle.Currency.self, Decimal.FormatStyle.Percent.self,
    ByteCountFormatStyle.self, ListFormatStyle<StringStyle, [String]>.self,
  ]

  private static let numberFormatStyles: [[Any.Type?]] = [
    styles(of: Double.self), styles(of: Float.self),
    styles(of: Int.self), styles(of: Int8.self), styles(of: Int16.self), styles(of: Int32.self), styles(of: Int64.self),
    styles(of: UInt.self), styles(of: UInt8.self), styles(of: UInt16.self), styles(of: UInt32.self),
    styles(of: UInt64.self),
  ]

  private static func styles<Value: BinaryInteger>(of _: Value.Type) -> [Any.Type?] {
    [IntegerFormatStyle<Value>.self, IntegerFormatStyle<Value>.Currency.self, IntegerFormatStyle<Value>.Percent.self]
  }

  private static func styles<Value: BinaryFloatingPoint>(of _: Value.Type) -> [Any.Type?] {
    [
      FloatingPointFormatStyle<Value>.self, FloatingPointFormatStyle<Value>.Currency.self,
      FloatingPointFormatStyle<Value>.Percent.self,
    ]
  }

  private static let measurements: [Any.Type?] = [
    Measurement<Unit>.self, Measurement<Dimension>.self,
    Measurement<UnitAcceleration>.self, Measurement<UnitAngle>.self, Measurement<UnitArea>.self,
    Measurement<UnitConcentrationMass>.self, Measurement<UnitDispersion>.self, Measurement<UnitDuration>.self,
    Measurement<UnitElectricCharge>.self, Measurement<UnitElectricCurrent>.self,
    Measurement<UnitElectricPotentialDifference>.self, Measurement<UnitElectricResistance>.self,
    Measurement<UnitEnergy>.self, Measurement<UnitFrequency>.self, Measurement<UnitFuelEfficiency>.self,
    Measurement<UnitIlluminance>.self, Measurement<UnitInformationStorage>.self, Measurement<UnitLength>.self,
    Measurement<UnitMass>.self, Measurement<UnitPower>.self, Measurement<UnitPressure>.self,
    Measurement<UnitSpeed>.self, Measurement<UnitTemperature>.self, Measurement<UnitVolume>.self,
  ]
}
