/// The Foundation types that FoundationEssentials does not have. Every registry of a program that links these types
/// knows them. Their names are fixed here. Only the way to find a type differs between systems.
extension TypeRegistry {
  static func rareType(named name: String) -> Any.Type? {
    if let type = singleRareTypes[name] { return found(type) }
    if name.hasSuffix(">"), let measured = CompositeName(name), measured.form == "Measurement<_>" {
      return units.contains(measured.arguments[0]) ? measurement(of: measured.arguments[0]) : nil
    }
    return numberFormatStyle(named: name)
  }

  package static let units = [
    "Unit", "Dimension", "UnitAcceleration", "UnitAngle", "UnitArea", "UnitConcentrationMass", "UnitDispersion",
    "UnitDuration", "UnitElectricCharge", "UnitElectricCurrent", "UnitElectricPotentialDifference",
    "UnitElectricResistance", "UnitEnergy", "UnitFrequency", "UnitFuelEfficiency", "UnitIlluminance",
    "UnitInformationStorage", "UnitLength", "UnitMass", "UnitPower", "UnitPressure", "UnitSpeed", "UnitTemperature",
    "UnitVolume",
  ]

  package static let integers = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
  ]
  package static let floats = ["Double", "Float"]

  /// Returns the type of a number format, such as `IntegerFormatStyle<Int>.Percent`.
  private static func numberFormatStyle(named name: String) -> Any.Type? {
    guard let end = name.firstIndex(of: ">"), let style = CompositeName(String(name[...end])) else { return nil }
    let kind = String(name[end...].dropFirst())
    let number = style.arguments[0]
    switch (style.form, standardTypes[number]) {
    case ("IntegerFormatStyle<_>", let type as any BinaryInteger.Type) where integers.contains(number):
      return integerFormatStyle(kind, of: type)
    case ("FloatingPointFormatStyle<_>", let type as any BinaryFloatingPoint.Type) where floats.contains(number):
      return floatFormatStyle(kind, of: type)
    default: return nil
    }
  }
}
