import Foundation

extension TypeRegistry {
  /// The type of the standard library or Foundation that a tag stands for in every registry, or `nil` where there is none.
  ///
  /// A type that is not `Codable` on a platform is left out there. Types that are made of others, such as `Range<Int>`,
  /// are composed when they are asked for; see ``CompositeName``.
  package static func standardType(named name: String) -> (any (Codable & Sendable).Type)? {
    let type = standardTypes[name] ?? (name.hasSuffix(">") ? measurements[name] : nil) ?? numberFormatStyle(named: name)
    return type as? any (Codable & Sendable).Type
  }

  /// The names of the types that ``standardType(named:)`` returns.
  package static var standardTypeNames: [String] {
    let numbers = integers.map { "IntegerFormatStyle<\($0)>" } + floats.map { "FloatingPointFormatStyle<\($0)>" }
    let styles = numbers.flatMap { [$0, $0 + ".Currency", $0 + ".Percent"] }
    return (Array(standardTypes.keys) + Array(measurements.keys) + styles).filter { standardType(named: $0) != nil }
  }

  // The names are written out: asking the runtime for all of them takes longer than most programs need to open a store.
  private static let standardTypes: [String: Any.Type] = {
    var types: [String: Any.Type] = [
      "Bool": Bool.self, "String": String.self, "Double": Double.self, "Float": Float.self, "CGFloat": CGFloat.self,
      "Int": Int.self, "Int8": Int8.self, "Int16": Int16.self, "Int32": Int32.self, "Int64": Int64.self,
      "Int128": Int128.self, "UInt": UInt.self, "UInt8": UInt8.self, "UInt16": UInt16.self, "UInt32": UInt32.self,
      "UInt64": UInt64.self, "UInt128": UInt128.self, "Never": Never.self, "Duration": Duration.self,
      "ContinuousClock.Instant": ContinuousClock.Instant.self,
      "SuspendingClock.Instant": SuspendingClock.Instant.self, "TaskPriority": TaskPriority.self,
      "FloatingPointRoundingRule": FloatingPointRoundingRule.self,
      "Data": Data.self, "Date": Date.self, "UUID": UUID.self, "URL": URL.self, "Decimal": Decimal.self,
      "AttributedString": AttributedString.self, "ArchiveValue": ArchiveValue.self,
      "DateComponents": DateComponents.self, "DateInterval": DateInterval.self, "IndexPath": IndexPath.self,
      "IndexSet": IndexSet.self, "CharacterSet": CharacterSet.self,
      "PersonNameComponents": PersonNameComponents.self, "URLComponents": URLComponents.self,
      "_NSRange": NSRange.self, "SortOrder": SortOrder.self, "String.Comparator": String.Comparator.self,
      "String.StandardComparator": String.StandardComparator.self, "Morphology": Morphology.self,
      "InflectionRule": InflectionRule.self,
      "Locale": Locale.self, "Locale.Components": Locale.Components.self, "Locale.Language": Locale.Language.self,
      "Locale.Language.Components": Locale.Language.Components.self, "Locale.LanguageCode": Locale.LanguageCode.self,
      "Locale.Region": Locale.Region.self, "Locale.Script": Locale.Script.self,
      "Locale.Subdivision": Locale.Subdivision.self, "Locale.Variant": Locale.Variant.self,
      "Locale.Currency": Locale.Currency.self, "Locale.Collation": Locale.Collation.self,
      "Locale.NumberingSystem": Locale.NumberingSystem.self,
      "Locale.MeasurementSystem": Locale.MeasurementSystem.self, "Locale.HourCycle": Locale.HourCycle.self,
      "Locale.Weekday": Locale.Weekday.self, "TimeZone": TimeZone.self, "Calendar": Calendar.self,
      "Calendar.Identifier": Calendar.Identifier.self, "Calendar.RecurrenceRule": Calendar.RecurrenceRule.self,
      "Date.FormatStyle": Date.FormatStyle.self, "Date.ISO8601FormatStyle": Date.ISO8601FormatStyle.self,
      "Date.VerbatimFormatStyle": Date.VerbatimFormatStyle.self,
      "Date.IntervalFormatStyle": Date.IntervalFormatStyle.self,
      "Date.ComponentsFormatStyle": Date.ComponentsFormatStyle.self,
      "Date.RelativeFormatStyle": Date.RelativeFormatStyle.self, "Date.ParseStrategy": Date.ParseStrategy.self,
      "Duration.TimeFormatStyle": Duration.TimeFormatStyle.self,
      "Duration.UnitsFormatStyle": Duration.UnitsFormatStyle.self, "Decimal.FormatStyle": Decimal.FormatStyle.self,
      "Decimal.FormatStyle.Currency": Decimal.FormatStyle.Currency.self,
      "Decimal.FormatStyle.Percent": Decimal.FormatStyle.Percent.self,
      "ByteCountFormatStyle": ByteCountFormatStyle.self,
      "ListFormatStyle<StringStyle, Array<String>>": ListFormatStyle<StringStyle, [String]>.self,
    ]
    types["Float16"] = HalfPrecision.types?.element
    return types.merging(geometry) { first, _ in first }
  }()

  private static let measurements: [String: Any.Type] = [
    "Measurement<Unit>": Measurement<Unit>.self, "Measurement<Dimension>": Measurement<Dimension>.self,
    "Measurement<UnitAcceleration>": Measurement<UnitAcceleration>.self,
    "Measurement<UnitAngle>": Measurement<UnitAngle>.self, "Measurement<UnitArea>": Measurement<UnitArea>.self,
    "Measurement<UnitConcentrationMass>": Measurement<UnitConcentrationMass>.self,
    "Measurement<UnitDispersion>": Measurement<UnitDispersion>.self,
    "Measurement<UnitDuration>": Measurement<UnitDuration>.self,
    "Measurement<UnitElectricCharge>": Measurement<UnitElectricCharge>.self,
    "Measurement<UnitElectricCurrent>": Measurement<UnitElectricCurrent>.self,
    "Measurement<UnitElectricPotentialDifference>": Measurement<UnitElectricPotentialDifference>.self,
    "Measurement<UnitElectricResistance>": Measurement<UnitElectricResistance>.self,
    "Measurement<UnitEnergy>": Measurement<UnitEnergy>.self,
    "Measurement<UnitFrequency>": Measurement<UnitFrequency>.self,
    "Measurement<UnitFuelEfficiency>": Measurement<UnitFuelEfficiency>.self,
    "Measurement<UnitIlluminance>": Measurement<UnitIlluminance>.self,
    "Measurement<UnitInformationStorage>": Measurement<UnitInformationStorage>.self,
    "Measurement<UnitLength>": Measurement<UnitLength>.self, "Measurement<UnitMass>": Measurement<UnitMass>.self,
    "Measurement<UnitPower>": Measurement<UnitPower>.self,
    "Measurement<UnitPressure>": Measurement<UnitPressure>.self,
    "Measurement<UnitSpeed>": Measurement<UnitSpeed>.self,
    "Measurement<UnitTemperature>": Measurement<UnitTemperature>.self,
    "Measurement<UnitVolume>": Measurement<UnitVolume>.self,
  ]

  private static let integers = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
  ]
  private static let floats = ["Double", "Float"]

  /// A number's format, of which there are three for each type of number: `IntegerFormatStyle<Int>.Percent`.
  private static func numberFormatStyle(named name: String) -> Any.Type? {
    guard name.hasPrefix("IntegerFormatStyle<") || name.hasPrefix("FloatingPointFormatStyle<"),
      let start = name.firstIndex(of: "<"), let end = name.firstIndex(of: ">")
    else { return nil }
    let number = String(name[name.index(after: start)..<end])
    let kind = name[name.index(after: end)...]
    guard (name.hasPrefix("I") ? integers : floats).contains(number) else { return nil }
    switch standardTypes[number] {
    case let type as any BinaryInteger.Type: return integerFormatStyle(kind, of: type)
    case let type as any BinaryFloatingPoint.Type: return floatFormatStyle(kind, of: type)
    default: return nil
    }
  }

  private static func integerFormatStyle<Value: BinaryInteger>(_ kind: Substring, of _: Value.Type) -> Any.Type? {
    switch kind {
    case "": IntegerFormatStyle<Value>.self
    case ".Currency": IntegerFormatStyle<Value>.Currency.self
    case ".Percent": IntegerFormatStyle<Value>.Percent.self
    default: nil
    }
  }

  private static func floatFormatStyle<Value: BinaryFloatingPoint>(_ kind: Substring, of _: Value.Type) -> Any.Type? {
    switch kind {
    case "": FloatingPointFormatStyle<Value>.self
    case ".Currency": FloatingPointFormatStyle<Value>.Currency.self
    case ".Percent": FloatingPointFormatStyle<Value>.Percent.self
    default: nil
    }
  }
}
