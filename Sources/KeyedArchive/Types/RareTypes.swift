/// The Foundation types that FoundationEssentials does not have. Every registry of a program that links these types
/// knows them. Their names are fixed here. Only the way to find a type differs between systems.
extension TypeRegistry {
  static func rareType(named name: String) -> Any.Type? {
    if let type = singleRareTypes[name] { return found(type) }
    if name.hasSuffix(">"), case .generic("Measurement", let unit) = CompositeName(name) {
      return units.contains(unit) ? measurement(of: unit) : nil
    }
    return numberFormatStyle(named: name)
  }

  package static let units = [
    "Unit",
    "Dimension",
    "UnitAcceleration",
    "UnitAngle",
    "UnitArea",
    "UnitConcentrationMass",
    "UnitDispersion",
    "UnitDuration",
    "UnitElectricCharge",
    "UnitElectricCurrent",
    "UnitElectricPotentialDifference",
    "UnitElectricResistance",
    "UnitEnergy",
    "UnitFrequency",
    "UnitFuelEfficiency",
    "UnitIlluminance",
    "UnitInformationStorage",
    "UnitLength",
    "UnitMass",
    "UnitPower",
    "UnitPressure",
    "UnitSpeed",
    "UnitTemperature",
    "UnitVolume",
  ]

  package static let integers = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
  ]
  package static let floats = ["Double", "Float"]

  /// Returns the type of a number format, such as `IntegerFormatStyle<Int>.Percent`.
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
}
