import Foundation
import TestSupport
import Testing

@testable import KeyedArchive

/// The types that a program need not link. If the program links one, its name in files leads to it.
@Suite struct RareTypeTests {
  private static let types: [(name: String, type: Any.Type)] = [
    ("CGFloat", CGFloat.self),
    ("IndexSet", IndexSet.self),
    ("CharacterSet", CharacterSet.self),
    ("PersonNameComponents", PersonNameComponents.self),
    ("_NSRange", NSRange.self),
    ("String.Comparator", String.Comparator.self),
    ("String.StandardComparator", String.StandardComparator.self),
    ("Morphology", Morphology.self),
    ("InflectionRule", InflectionRule.self),
    ("Date.FormatStyle", Date.FormatStyle.self),
    ("Date.VerbatimFormatStyle", Date.VerbatimFormatStyle.self),
    ("Date.IntervalFormatStyle", Date.IntervalFormatStyle.self),
    ("Date.ComponentsFormatStyle", Date.ComponentsFormatStyle.self),
    ("Date.RelativeFormatStyle", Date.RelativeFormatStyle.self),
    ("Date.ParseStrategy", Date.ParseStrategy.self),
    ("Duration.TimeFormatStyle", Duration.TimeFormatStyle.self),
    ("Duration.UnitsFormatStyle", Duration.UnitsFormatStyle.self),
    ("Decimal.FormatStyle", Decimal.FormatStyle.self),
    ("Decimal.FormatStyle.Currency", Decimal.FormatStyle.Currency.self),
    ("Decimal.FormatStyle.Percent", Decimal.FormatStyle.Percent.self),
    ("ByteCountFormatStyle", ByteCountFormatStyle.self),
    ("ListFormatStyle<StringStyle, Array<String>>", ListFormatStyle<StringStyle, [String]>.self),
    ("CGPoint", CGPoint.self),
    ("CGSize", CGSize.self),
    ("CGRect", CGRect.self),
    ("Measurement<Unit>", Measurement<Unit>.self),
    ("Measurement<Dimension>", Measurement<Dimension>.self),
    ("Measurement<UnitAcceleration>", Measurement<UnitAcceleration>.self),
    ("Measurement<UnitAngle>", Measurement<UnitAngle>.self),
    ("Measurement<UnitArea>", Measurement<UnitArea>.self),
    ("Measurement<UnitConcentrationMass>", Measurement<UnitConcentrationMass>.self),
    ("Measurement<UnitDispersion>", Measurement<UnitDispersion>.self),
    ("Measurement<UnitDuration>", Measurement<UnitDuration>.self),
    ("Measurement<UnitElectricCharge>", Measurement<UnitElectricCharge>.self),
    ("Measurement<UnitElectricCurrent>", Measurement<UnitElectricCurrent>.self),
    ("Measurement<UnitElectricPotentialDifference>", Measurement<UnitElectricPotentialDifference>.self),
    ("Measurement<UnitElectricResistance>", Measurement<UnitElectricResistance>.self),
    ("Measurement<UnitEnergy>", Measurement<UnitEnergy>.self),
    ("Measurement<UnitFrequency>", Measurement<UnitFrequency>.self),
    ("Measurement<UnitFuelEfficiency>", Measurement<UnitFuelEfficiency>.self),
    ("Measurement<UnitIlluminance>", Measurement<UnitIlluminance>.self),
    ("Measurement<UnitInformationStorage>", Measurement<UnitInformationStorage>.self),
    ("Measurement<UnitLength>", Measurement<UnitLength>.self),
    ("Measurement<UnitMass>", Measurement<UnitMass>.self),
    ("Measurement<UnitPower>", Measurement<UnitPower>.self),
    ("Measurement<UnitPressure>", Measurement<UnitPressure>.self),
    ("Measurement<UnitSpeed>", Measurement<UnitSpeed>.self),
    ("Measurement<UnitTemperature>", Measurement<UnitTemperature>.self),
    ("Measurement<UnitVolume>", Measurement<UnitVolume>.self),
    ("IntegerFormatStyle<Int>", IntegerFormatStyle<Int>.self),
    ("IntegerFormatStyle<Int>.Currency", IntegerFormatStyle<Int>.Currency.self),
    ("IntegerFormatStyle<Int>.Percent", IntegerFormatStyle<Int>.Percent.self),
    ("IntegerFormatStyle<Int8>", IntegerFormatStyle<Int8>.self),
    ("IntegerFormatStyle<Int8>.Currency", IntegerFormatStyle<Int8>.Currency.self),
    ("IntegerFormatStyle<Int8>.Percent", IntegerFormatStyle<Int8>.Percent.self),
    ("IntegerFormatStyle<Int16>", IntegerFormatStyle<Int16>.self),
    ("IntegerFormatStyle<Int16>.Currency", IntegerFormatStyle<Int16>.Currency.self),
    ("IntegerFormatStyle<Int16>.Percent", IntegerFormatStyle<Int16>.Percent.self),
    ("IntegerFormatStyle<Int32>", IntegerFormatStyle<Int32>.self),
    ("IntegerFormatStyle<Int32>.Currency", IntegerFormatStyle<Int32>.Currency.self),
    ("IntegerFormatStyle<Int32>.Percent", IntegerFormatStyle<Int32>.Percent.self),
    ("IntegerFormatStyle<Int64>", IntegerFormatStyle<Int64>.self),
    ("IntegerFormatStyle<Int64>.Currency", IntegerFormatStyle<Int64>.Currency.self),
    ("IntegerFormatStyle<Int64>.Percent", IntegerFormatStyle<Int64>.Percent.self),
    ("IntegerFormatStyle<UInt>", IntegerFormatStyle<UInt>.self),
    ("IntegerFormatStyle<UInt>.Currency", IntegerFormatStyle<UInt>.Currency.self),
    ("IntegerFormatStyle<UInt>.Percent", IntegerFormatStyle<UInt>.Percent.self),
    ("IntegerFormatStyle<UInt8>", IntegerFormatStyle<UInt8>.self),
    ("IntegerFormatStyle<UInt8>.Currency", IntegerFormatStyle<UInt8>.Currency.self),
    ("IntegerFormatStyle<UInt8>.Percent", IntegerFormatStyle<UInt8>.Percent.self),
    ("IntegerFormatStyle<UInt16>", IntegerFormatStyle<UInt16>.self),
    ("IntegerFormatStyle<UInt16>.Currency", IntegerFormatStyle<UInt16>.Currency.self),
    ("IntegerFormatStyle<UInt16>.Percent", IntegerFormatStyle<UInt16>.Percent.self),
    ("IntegerFormatStyle<UInt32>", IntegerFormatStyle<UInt32>.self),
    ("IntegerFormatStyle<UInt32>.Currency", IntegerFormatStyle<UInt32>.Currency.self),
    ("IntegerFormatStyle<UInt32>.Percent", IntegerFormatStyle<UInt32>.Percent.self),
    ("IntegerFormatStyle<UInt64>", IntegerFormatStyle<UInt64>.self),
    ("IntegerFormatStyle<UInt64>.Currency", IntegerFormatStyle<UInt64>.Currency.self),
    ("IntegerFormatStyle<UInt64>.Percent", IntegerFormatStyle<UInt64>.Percent.self),
    ("FloatingPointFormatStyle<Double>", FloatingPointFormatStyle<Double>.self),
    ("FloatingPointFormatStyle<Double>.Currency", FloatingPointFormatStyle<Double>.Currency.self),
    ("FloatingPointFormatStyle<Double>.Percent", FloatingPointFormatStyle<Double>.Percent.self),
    ("FloatingPointFormatStyle<Float>", FloatingPointFormatStyle<Float>.self),
    ("FloatingPointFormatStyle<Float>.Currency", FloatingPointFormatStyle<Float>.Currency.self),
    ("FloatingPointFormatStyle<Float>.Percent", FloatingPointFormatStyle<Float>.Percent.self),
  ]

  @Test func eachIsFoundByItsName() {
    for (name, type) in RareTypeTests.types {
      let found = TypeRegistry.rareType(named: name)
      #expect(found.map { ObjectIdentifier($0) } == ObjectIdentifier(type), "\(name)")
    }
  }

  @Test func allRareTypesAreTested() {
    let others = Set(TypeRegistry.rareTypeNames).subtracting(RareTypeTests.types.map(\.name))
    #expect(others.isSubset(of: ["AffineTransform", "CGVector", "CGAffineTransform"]), "\(others)")
  }

  @Test(arguments: [
    "10Foundation8IndexSetV", "Measurement<10Foundation8UnitMassC>", "IntegerFormatStyle<10Foundation8IndexSetV>",
    "Measurement<>",
  ])
  func aNameInAFileCreatesNoOtherType(name: String) {
    #expect(TypeRegistry.rareType(named: name) == nil)
  }
}
