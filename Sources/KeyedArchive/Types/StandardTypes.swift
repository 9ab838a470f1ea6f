import Foundation

extension TypeRegistry {
  /// The type of the standard library or Foundation that a tag stands for in every registry; `nil` where none is
  /// `Codable` here. Types made of others, such as `Range<Int>`, are composed on request; see ``CompositeName``.
  package static func standardType(named name: String) -> (any (Codable & Sendable).Type)? {
    let type = standardTypes[name] ?? measurement(named: name) ?? numberFormatStyle(named: name)
    return type as? any (Codable & Sendable).Type
  }

  // Names are written beside the types: asking the runtime for all of them takes longer than opening a store.
  package static let standardTypes: [String: Any.Type] = {
    var types: [String: Any.Type] = [
      "Bool": Bool.self, "String": String.self, "Double": Double.self, "Float": Float.self, "CGFloat": CGFloat.self,
      "Int": Int.self, "Int8": Int8.self, "Int16": Int16.self, "Int32": Int32.self, "Int64": Int64.self,
      "Int128": Int128.self, "UInt": UInt.self, "UInt8": UInt8.self, "UInt16": UInt16.self, "UInt32": UInt32.self,
      "UInt64": UInt64.self, "UInt128": UInt128.self, "Never": Never.self, "Duration": Duration.self,
      "ContinuousClock.Instant": ContinuousClock.Instant.self, "SuspendingClock.Instant": SuspendingClock.Instant.self,
      "TaskPriority": TaskPriority.self, "FloatingPointRoundingRule": FloatingPointRoundingRule.self, "Data": Data.self,
      "Date": Date.self, "UUID": UUID.self, "URL": URL.self, "Decimal": Decimal.self,
      "AttributedString": AttributedString.self, "ArchiveValue": ArchiveValue.self,
      "DateComponents": DateComponents.self, "DateInterval": DateInterval.self, "IndexPath": IndexPath.self,
      "IndexSet": IndexSet.self, "CharacterSet": CharacterSet.self, "PersonNameComponents": PersonNameComponents.self,
      "URLComponents": URLComponents.self, "_NSRange": NSRange.self, "SortOrder": SortOrder.self,
      "String.Comparator": String.Comparator.self, "String.StandardComparator": String.StandardComparator.self,
      "Morphology": Morphology.self, "InflectionRule": InflectionRule.self, "Locale": Locale.self,
      "Locale.Components": Locale.Components.self, "Locale.Language": Locale.Language.self,
      "Locale.Language.Components": Locale.Language.Components.self, "Locale.LanguageCode": Locale.LanguageCode.self,
      "Locale.Region": Locale.Region.self, "Locale.Script": Locale.Script.self,
      "Locale.Subdivision": Locale.Subdivision.self, "Locale.Variant": Locale.Variant.self,
      "Locale.Currency": Locale.Currency.self, "Locale.Collation": Locale.Collation.self,
      "Locale.NumberingSystem": Locale.NumberingSystem.self, "Locale.MeasurementSystem": Locale.MeasurementSystem.self,
      "Locale.HourCycle": Locale.HourCycle.self, "Locale.Weekday": Locale.Weekday.self, "TimeZone": TimeZone.self,
      "Calendar": Calendar.self, "Calendar.Identifier": Calendar.Identifier.self,
      "Calendar.RecurrenceRule": Calendar.RecurrenceRule.self, "Date.FormatStyle": Date.FormatStyle.self,
      "Date.ISO8601FormatStyle": Date.ISO8601FormatStyle.self,
      "Date.VerbatimFormatStyle": Date.VerbatimFormatStyle.self,
      "Date.IntervalFormatStyle": Date.IntervalFormatStyle.self,
      "Date.ComponentsFormatStyle": Date.ComponentsFormatStyle.self,
      "Date.RelativeFormatStyle": Date.RelativeFormatStyle.self, "Date.ParseStrategy": Date.ParseStrategy.self,
      "Duration.TimeFormatStyle": Duration.TimeFormatStyle.self,
      "Duration.UnitsFormatStyle": Duration.UnitsFormatStyle.self, "Decimal.FormatStyle": Decimal.FormatStyle.self,
      "Decimal.FormatStyle.Currency": Decimal.FormatStyle.Currency.self,
      "Decimal.FormatStyle.Percent": Decimal.FormatStyle.Percent.self,
      "ByteCountFormatStyle": ByteCountFormatStyle.self,
    ]
    types["ListFormatStyle<StringStyle, Array<String>>"] = ListFormatStyle<StringStyle, [String]>.self
    types["Float16"] = HalfPrecision.types?.element
    for (name, type) in geometry { types[name] = type }
    return types
  }()

  /// The measurements of units, by the units' names.
  package static let units: [String: Any.Type] = [
    "Unit": Measurement<Unit>.self, "Dimension": Measurement<Dimension>.self,
    "UnitAcceleration": Measurement<UnitAcceleration>.self, "UnitAngle": Measurement<UnitAngle>.self,
    "UnitArea": Measurement<UnitArea>.self, "UnitConcentrationMass": Measurement<UnitConcentrationMass>.self,
    "UnitDispersion": Measurement<UnitDispersion>.self, "UnitDuration": Measurement<UnitDuration>.self,
    "UnitElectricCharge": Measurement<UnitElectricCharge>.self,
    "UnitElectricCurrent": Measurement<UnitElectricCurrent>.self,
    "UnitElectricPotentialDifference": Measurement<UnitElectricPotentialDifference>.self,
    "UnitElectricResistance": Measurement<UnitElectricResistance>.self, "UnitEnergy": Measurement<UnitEnergy>.self,
    "UnitFrequency": Measurement<UnitFrequency>.self, "UnitFuelEfficiency": Measurement<UnitFuelEfficiency>.self,
    "UnitIlluminance": Measurement<UnitIlluminance>.self,
    "UnitInformationStorage": Measurement<UnitInformationStorage>.self, "UnitLength": Measurement<UnitLength>.self,
    "UnitMass": Measurement<UnitMass>.self, "UnitPower": Measurement<UnitPower>.self,
    "UnitPressure": Measurement<UnitPressure>.self, "UnitSpeed": Measurement<UnitSpeed>.self,
    "UnitTemperature": Measurement<UnitTemperature>.self, "UnitVolume": Measurement<UnitVolume>.self,
  ]

  private static func measurement(named name: String) -> Any.Type? {
    guard case .generic("Measurement", let unit) = CompositeName(name) else { return nil }
    return units[unit]
  }

  package static let integers = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
  ]
  package static let floats = ["Double", "Float"]

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
