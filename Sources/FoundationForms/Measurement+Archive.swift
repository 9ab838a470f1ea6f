import CodingSupport
@_weakLinked import Foundation
package import KeyedArchive

/// Measurement: the fields of its own `encode(to:)`. A fuel efficiency is stored as its value, symbol and reciprocal.
/// The unit of a fuel efficiency has a converter that is not linear, and the type's own `encode(to:)` traps for such a
/// unit.
extension Measurement: RarelyEncodable, RarelyDecodable {
  package func encodeStored(to encoder: any Encoder) throws {
    guard UnitType.self is Dimension.Type, let dimension = unit as? Dimension,
      !(dimension.converter is UnitConverterLinear)
    else { return try encode(to: encoder) }
    guard let efficiency = unit as? UnitFuelEfficiency,
      let stored = FuelUnit.all.first(where: { $0.unit == efficiency })
    else {
      throw KeyedArchiveError(
        .notEncodable, "The unit \(unit.symbol.quoted) has a converter that is neither linear nor one of Foundation's.",
        codingPath: encoder.codingPath)
    }
    let tree: ArchiveValue = [
      "value": .double(value),
      "unit": ["symbol": .string(efficiency.symbol), "converter": ["reciprocal": .double(stored.reciprocal)]],
    ]
    try tree.encode(to: encoder)
  }

  package init(stored decoder: ValueDecoder) throws {
    guard UnitType.self == UnitFuelEfficiency.self else {
      self = try Self(from: decoder)
      return
    }
    let fields = try StoredFields(["value", "unit"], of: decoder)
    let value = try fields.double("value")
    guard let unit = try FuelUnit.unit(of: fields.decoder("unit")) as? UnitType else {
      throw ItemError.mismatch(stored: "a fuel efficiency")
    }
    self.init(value: value, unit: unit)
  }
}

/// The stored form of a unit of fuel efficiency: its symbol, which two units share, and its converter.
private struct FuelUnit {
  let unit: UnitFuelEfficiency
  /// The product of a value in this unit and the same value in the base unit.
  let reciprocal: Double

  static var all: [FuelUnit] {
    [.litersPer100Kilometers, .milesPerGallon, .milesPerImperialGallon].map { unit in
      FuelUnit(unit: unit, reciprocal: unit.converter.baseUnitValue(fromValue: 1))
    }
  }

  static func unit(of decoder: ValueDecoder) throws -> UnitFuelEfficiency {
    let fields = try StoredFields(["symbol", "converter"], of: decoder)
    let symbol = try fields.text("symbol")
    let reciprocal = try StoredFields(["reciprocal"], of: fields.decoder("converter")).double("reciprocal")
    guard let known = all.first(where: { $0.unit.symbol == symbol && $0.reciprocal == reciprocal }) else {
      throw ItemError.malformed("\(symbol.quoted) is not a unit of fuel efficiency.")
    }
    return known.unit
  }
}
