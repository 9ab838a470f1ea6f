import CodingSupport
@_weakLinked import Foundation
package import KeyedArchive

/// CharacterSet: the bitmap that its own `encode(to:)` writes. Each plane that has any scalars takes 8,192 bytes. They
/// follow the number of the plane, which the first plane does not have. The set is created from ranges, because
/// Foundation reads beyond the end of a bitmap of another length. For bitmaps whose parts are alike, it later reads
/// beyond the end of other memory.
extension CharacterSet: RarelyDecodable {
  private static let planeLength = 8192
  private static let surrogates: ClosedRange<UInt32> = 0xd800...0xdfff

  package init(stored decoder: ValueDecoder) throws {
    let bitmap: Data = try StoredFields(["bitmap"], of: decoder).value("bitmap")
    guard bitmap.count >= Self.planeLength, (bitmap.count - Self.planeLength).isMultiple(of: Self.planeLength + 1)
    else {
      throw ItemError.malformed("A character set has a bitmap of \(bitmap.count) bytes, which is not a valid length.")
    }
    self.init()
    try bitmap.withUnsafeBytes { bytes in
      try insert(plane: 0, UnsafeRawBufferPointer(rebasing: bytes[..<Self.planeLength]))
      for start in stride(from: Self.planeLength, to: bytes.count, by: Self.planeLength + 1) {
        guard 1...16 ~= bytes[start] else {
          throw ItemError.malformed("A character set has the invalid plane \(bytes[start]).")
        }
        let plane = UnsafeRawBufferPointer(rebasing: bytes[(start + 1)...].prefix(Self.planeLength))
        try insert(plane: UInt32(bytes[start]), plane)
      }
    }
  }

  private mutating func insert(plane: UInt32, _ bitmap: UnsafeRawBufferPointer) throws {
    var start: UInt32?
    for (index, byte) in bitmap.enumerated() {
      // Most bytes equal their neighbors.
      if byte == 0, start == nil { continue }
      if byte == 0xff, start != nil { continue }
      for bit in 0..<8 {
        let value = plane &<< 16 | UInt32(truncatingIfNeeded: 8 * index + bit)
        if byte &>> bit & 1 == 1 {
          start = start ?? value
        } else if let first = start {
          try insert(first...(value - 1))
          start = nil
        }
      }
    }
    if let start { try insert(start...(plane &<< 16 | 0xffff)) }
  }

  private mutating func insert(_ values: ClosedRange<UInt32>) throws {
    // No range of scalars begins or ends with a surrogate. The range is extended by a neighbor that is not in the set,
    // and the neighbor is then removed.
    let lower = values.lowerBound == CharacterSet.surrogates.lowerBound ? values.lowerBound - 1 : values.lowerBound
    let upper = values.upperBound == CharacterSet.surrogates.upperBound ? values.upperBound + 1 : values.upperBound
    guard let first = Unicode.Scalar(lower), let last = Unicode.Scalar(upper) else {
      throw ItemError.malformed("A character set must contain all surrogates or none.")
    }
    insert(charactersIn: first...last)
    if lower < values.lowerBound { remove(first) }
    if upper > values.upperBound { remove(last) }
  }
}

/// IndexSet: the fields of its own `encode(to:)`. The code below reads them because `init(from:)` traps on invalid
/// ranges.
extension IndexSet: RarelyDecodable {
  package init(stored decoder: ValueDecoder) throws {
    self.init()
    var least = 0
    try StoredFields(["indexes"], of: decoder).forEachObject("indexes", with: ["location", "length"]) { span in
      let (location, length): (Int, Int) = (try span.value("location"), try span.value("length"))
      // Requires ascending order, as in the written form. Foundation also traps when it merges large ranges.
      let (end, isTooLarge) = location.addingReportingOverflow(length)
      guard location >= least, length > 0, !isTooLarge else {
        throw ItemError.malformed(
          "An index set cannot have a range of \(length) indices from \(location) on after those below \(least).")
      }
      insert(integersIn: location..<end)
      least = end
    }
  }
}

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
    let value: Double = try fields.value("value")
    guard let unit = try FuelUnit.unit(of: fields.decoder("unit")) as? UnitType else {
      throw ItemError.mismatch(stored: "a fuel efficiency")
    }
    self.init(value: value, unit: unit)
  }
}

/// The stored form of a unit of fuel efficiency: its symbol, which two units share, and its converter.
private enum FuelUnit {
  /// The units, each with the product of a value in the unit and the same value in the base unit.
  static var all: [(unit: UnitFuelEfficiency, reciprocal: Double)] {
    [.litersPer100Kilometers, .milesPerGallon, .milesPerImperialGallon].map { unit in
      (unit, unit.converter.baseUnitValue(fromValue: 1))
    }
  }

  static func unit(of decoder: ValueDecoder) throws -> UnitFuelEfficiency {
    let fields = try StoredFields(["symbol", "converter"], of: decoder)
    let symbol: String = try fields.value("symbol")
    let reciprocal: Double = try StoredFields(["reciprocal"], of: fields.decoder("converter")).value("reciprocal")
    guard let known = all.first(where: { $0.unit.symbol == symbol && $0.reciprocal == reciprocal }) else {
      throw ItemError.malformed("\(symbol.quoted) is not a unit of fuel efficiency.")
    }
    return known.unit
  }
}

/// PersonNameComponents: the fields of its own `encode(to:)`, and `phoneticRepresentation`, which that function omits.
extension PersonNameComponents: RarelyEncodable, RarelyDecodable {
  private static let phonetics = "phoneticRepresentation"

  package func encodeStored(to encoder: any Encoder) throws {
    try encode(to: encoder)
    guard let phoneticRepresentation else { return }
    var fields = encoder.container(keyedBy: AnyCodingKey.self)
    try fields.encode(phoneticRepresentation, forKey: AnyCodingKey(stringValue: PersonNameComponents.phonetics))
  }

  package init(stored decoder: ValueDecoder) throws {
    try self.init(from: decoder)
    let fields = try StoredFields([PersonNameComponents.phonetics], of: decoder)
    phoneticRepresentation = try fields.valueIfPresent(PersonNameComponents.phonetics)
  }
}

/// The precision of a number format. Its own `encode(to:)` writes the limits of both lengths, or of the significant
/// digits. The code below reads them because `init(from:)` rejects null limits, which `.fractionLength(2)` has.
extension NumberFormatStyleConfiguration.Precision: RarelyDecodable {
  private static let limits = [
    "minSignificantDigits", "maxSignificantDigits", "minIntegerLength", "maxIntegerLength", "minFractionalLength",
    "maxFractionalLength",
  ]

  package init(stored decoder: ValueDecoder) throws {
    let option = try StoredFields(["option"], of: decoder).decoder("option")
    let fields = try StoredFields(Self.limits, of: option)
    let stored: [Int?] = try Self.limits.map(fields.valueIfPresent)
    // A missing lower limit is stored as 1. A range from 1 would not extend to the greatest possible limit.
    let leastDigits = stored[0] == 1 && stored[1] != nil ? nil : stored[0]
    let digits = try Self.range(leastDigits, stored[1])
    let integer = try Self.range(stored[2], stored[3])
    let fraction = try Self.range(stored[4], stored[5])
    switch (digits, integer, fraction) {
    // Unlike a range, a single number is not clamped.
    case (let digits as ClosedRange<Int>, nil, nil) where digits.lowerBound == digits.upperBound:
      self = .significantDigits(digits.lowerBound)
    case (nil, let integer as ClosedRange<Int>, nil) where integer.lowerBound == integer.upperBound:
      self = .integerLength(integer.lowerBound)
    case (nil, nil, let fraction as ClosedRange<Int>) where fraction.lowerBound == fraction.upperBound:
      self = .fractionLength(fraction.lowerBound)
    case (let digits?, nil, nil): self = .significantDigits(digits)
    case (nil, let integer?, nil): self = .integerLength(integer)
    case (nil, nil, let fraction?): self = .fractionLength(fraction)
    case (nil, let integer?, let fraction?):
      self = .integerAndFractionLength(integerLimits: integer, fractionLimits: fraction)
    default: throw ItemError.malformed("A precision must have limits of exactly one kind.")
    }
  }

  private static func range(_ least: Int?, _ most: Int?) throws -> (any RangeExpression<Int>)? {
    // Foundation accepts a negative number, and traps when it formats with it.
    guard (least ?? 0) >= 0, (most ?? 0) >= 0 else {
      throw ItemError.malformed("A precision has a negative number of digits.")
    }
    switch (least, most) {
    case (let least?, let most?):
      guard least <= most else {
        throw ItemError.malformed("The lower limit \(least) of a precision exceeds the upper limit \(most).")
      }
      return least...most
    case (let least?, nil): return least...
    case (nil, let most?): return ...most
    case (nil, nil): return nil
    }
  }
}

extension SortDescriptor: RareGenericType {
  package static var composition: Composition { ("SortDescriptor<_>", [Compared.self]) }

  package static func type<Argument>(of _: Argument.Type) -> Any.Type { SortDescriptor<Argument>.self }
}
