#if !canImport(FoundationEssentials)
import FoundationCore

extension TypeRegistry {
  package static let singleRareTypes: [String: Any.Type] = {
    var types: [String: Any.Type] = [
      "CGFloat": CGFloat.self,
      "IndexSet": IndexSet.self,
      "CharacterSet": CharacterSet.self,
      "PersonNameComponents": PersonNameComponents.self,
      "_NSRange": NSRange.self,
      "String.Comparator": String.Comparator.self,
      "String.StandardComparator": String.StandardComparator.self,
      "Morphology": Morphology.self,
      "InflectionRule": InflectionRule.self,
      "Date.FormatStyle": Date.FormatStyle.self,
      "Date.VerbatimFormatStyle": Date.VerbatimFormatStyle.self,
      "Date.IntervalFormatStyle": Date.IntervalFormatStyle.self,
      "Date.ComponentsFormatStyle": Date.ComponentsFormatStyle.self,
      "Date.RelativeFormatStyle": Date.RelativeFormatStyle.self,
      "Date.ParseStrategy": Date.ParseStrategy.self,
      "Duration.TimeFormatStyle": Duration.TimeFormatStyle.self,
      "Duration.UnitsFormatStyle": Duration.UnitsFormatStyle.self,
      "Decimal.FormatStyle": Decimal.FormatStyle.self,
      "Decimal.FormatStyle.Currency": Decimal.FormatStyle.Currency.self,
      "Decimal.FormatStyle.Percent": Decimal.FormatStyle.Percent.self,
      "ByteCountFormatStyle": ByteCountFormatStyle.self,
    ]
    types["ListFormatStyle<StringStyle, Array<String>>"] = ListFormatStyle<StringStyle, [String]>.self
    for (name, type) in geometry { types[name] = type }
    return types
  }()

  static func found(_ type: Any.Type) -> Any.Type? { type }

  static func measurement(of unit: String) -> Any.Type? { measurements[unit] }

  static var sortDescriptor: Any.Type? { SortDescriptor<Int>.self }

  private static let measurements: [String: Any.Type] = [
    "Unit": Measurement<Unit>.self,
    "Dimension": Measurement<Dimension>.self,
    "UnitAcceleration": Measurement<UnitAcceleration>.self,
    "UnitAngle": Measurement<UnitAngle>.self,
    "UnitArea": Measurement<UnitArea>.self,
    "UnitConcentrationMass": Measurement<UnitConcentrationMass>.self,
    "UnitDispersion": Measurement<UnitDispersion>.self,
    "UnitDuration": Measurement<UnitDuration>.self,
    "UnitElectricCharge": Measurement<UnitElectricCharge>.self,
    "UnitElectricCurrent": Measurement<UnitElectricCurrent>.self,
    "UnitElectricPotentialDifference": Measurement<UnitElectricPotentialDifference>.self,
    "UnitElectricResistance": Measurement<UnitElectricResistance>.self,
    "UnitEnergy": Measurement<UnitEnergy>.self,
    "UnitFrequency": Measurement<UnitFrequency>.self,
    "UnitFuelEfficiency": Measurement<UnitFuelEfficiency>.self,
    "UnitIlluminance": Measurement<UnitIlluminance>.self,
    "UnitInformationStorage": Measurement<UnitInformationStorage>.self,
    "UnitLength": Measurement<UnitLength>.self,
    "UnitMass": Measurement<UnitMass>.self,
    "UnitPower": Measurement<UnitPower>.self,
    "UnitPressure": Measurement<UnitPressure>.self,
    "UnitSpeed": Measurement<UnitSpeed>.self,
    "UnitTemperature": Measurement<UnitTemperature>.self,
    "UnitVolume": Measurement<UnitVolume>.self,
  ]

  static func integerFormatStyle<Value: BinaryInteger>(_ kind: String, of _: Value.Type) -> Any.Type? {
    switch kind {
    case "": IntegerFormatStyle<Value>.self
    case ".Currency": IntegerFormatStyle<Value>.Currency.self
    case ".Percent": IntegerFormatStyle<Value>.Percent.self
    default: nil
    }
  }

  static func floatFormatStyle<Value: BinaryFloatingPoint>(_ kind: String, of _: Value.Type) -> Any.Type? {
    switch kind {
    case "": FloatingPointFormatStyle<Value>.self
    case ".Currency": FloatingPointFormatStyle<Value>.Currency.self
    case ".Percent": FloatingPointFormatStyle<Value>.Percent.self
    default: nil
    }
  }
}
#endif
