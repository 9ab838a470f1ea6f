import Foundation

/// Measurement: the fields of its own `encode(to:)`; a fuel efficiency is its value, symbol and reciprocal.
///
/// The unit of a fuel efficiency has a converter that is not linear. Its own `encode(to:)` traps for such a unit.
extension Measurement: SpeciallyEncodable, SpeciallyDecodable {
  static var isSelfDescribing: Bool { false }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    guard UnitType.self is Dimension.Type, let dimension = unit as? Dimension,
      !(dimension.converter is UnitConverterLinear)
    else { return try session.encodePlainly(self, path) }
    guard let efficiency = unit as? UnitFuelEfficiency, FuelEfficiency.units.contains(efficiency) else {
      throw KeyedArchiveError(
        .notEncodable, "The unit \(unit.symbol.quoted) has a converter that is neither linear nor one of Foundation's.",
        codingPath: session.keys(of: path()))
    }
    try session.encodePlainly(FuelEfficiency(value: value, unit: FuelEfficiency.Unit(efficiency)), path)
  }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    let decoder = ValueDecoder(session: session, cursor: cursor, path: path())
    guard UnitType.self == UnitFuelEfficiency.self else { return try Self(from: decoder) }
    let stored = try FuelEfficiency(from: decoder)
    guard let unit = FuelEfficiency.units.first(where: { FuelEfficiency.Unit($0) == stored.unit }) as? UnitType else {
      throw ItemError.malformed("\(stored.unit.symbol.quoted) is not a unit of fuel efficiency.")
    }
    return Measurement(value: stored.value, unit: unit)
  }
}

/// The stored form of a fuel efficiency.
private struct FuelEfficiency: Codable {
  struct Unit: Codable, Equatable {
    struct Converter: Codable, Equatable {
      /// What the unit's values and those of the base unit give when they are multiplied.
      var reciprocal: Double
    }

    /// Two of the units have one symbol.
    var symbol: String
    var converter: Converter

    init(_ unit: UnitFuelEfficiency) {
      symbol = unit.symbol
      converter = Converter(reciprocal: unit.converter.baseUnitValue(fromValue: 1))
    }
  }

  var value: Double
  var unit: Unit

  static let units: [UnitFuelEfficiency] = [.litersPer100Kilometers, .milesPerGallon, .milesPerImperialGallon]
}
