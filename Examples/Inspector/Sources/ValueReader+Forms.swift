import KeyedArchive

// The forms that tags give to items: named values, integers of any length, numbers, arrays of numbers.

extension ValueReader {
  struct Named {
    var name: String
    var version: Int64
    var content: CBORCursor
  }

  /// Reads tag 27: `[name, value]` or `[name, value, version]`. Returns `nil` for any other item and any other form.
  mutating func named(_ item: FoundItem) throws(ValueFailure) -> Named? {
    guard item.hasTag(CBORTag.object) else { return nil }
    let array = try self.item(at: content(of: item))
    guard array.head.major == .array else { return nil }
    let count = try container(at: array.cursor, array.head).count
    guard count == 2 || count == 3 else { return nil }
    let first = firstElement(of: array)
    guard let name = try text(self.item(at: first)), !name.isEmpty, name.utf8.count <= limits.maximumTagLength else {
      return nil
    }
    let content = try skip(first)
    var version: Int64 = 1
    if count == 3 {
      guard let stored = try self.version(self.item(at: skip(content))), stored > 0 else { return nil }
      version = stored
    }
    return Named(name: name, version: version, content: content)
  }

  private mutating func version(_ item: FoundItem) throws(ValueFailure) -> Int64? {
    if item.head.major == .unsigned { return Int64(exactly: item.head.argument) }
    guard let big = try wideInteger(item), !big.isNegative, big.magnitude.count <= 8 else { return nil }
    return Int64(exactly: big.magnitude.reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
  }

  /// Reads tag 2 or 3 around a byte string. Returns `nil` for any other item and any other form.
  mutating func wideInteger(_ item: FoundItem) throws(ValueFailure) -> WideInteger? {
    guard item.hasTag(CBORTag.positiveBigInteger) || item.hasTag(CBORTag.negativeBigInteger) else { return nil }
    guard let bytes = try byteString(self.item(at: content(of: item))) else { return nil }
    return withBytes(bytes) { bytes in
      WideInteger(isNegative: item.hasTag(CBORTag.negativeBigInteger), magnitude: Array(bytes.drop { $0 == 0 }))
    }
  }

  /// Reads the seconds of a date, tag 1 around a number. Returns `nil` for any other item, and for seconds that a date
  /// cannot store exactly.
  mutating func unixSeconds(_ item: FoundItem) throws(ValueFailure) -> Double? {
    guard item.hasTag(CBORTag.date), let seconds = try number(self.item(at: content(of: item))) else { return nil }
    // The seconds from 1970 to 2001, which is the reference date of `Date`, and the years 1 to 9999.
    let sinceReference = seconds - 978_307_200
    let isExact = sinceReference + 978_307_200 == seconds && (-62_135_596_800.0...253_402_300_799).contains(seconds)
    return isExact ? seconds : nil
  }

  /// Reads a number that a `Double` represents exactly, also if it is named as a number type.
  private mutating func number(_ item: FoundItem) throws(ValueFailure) -> Double? {
    var item = item
    while let named = try named(item), ValueReader.numberNames.contains(named.name) {
      item = try self.item(at: named.content)
    }
    switch item.head.major {
    case .unsigned: return Double(exactly: item.head.argument)
    case .negative: return Double(exactly: item.head.argument).map { -1 - $0 }
    default: return reader.float(item.head)
    }
  }

  private static let numberNames = [
    "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    "Float16", "Float", "Double", "CGFloat",
  ]

  /// Reads a typed array. Returns `nil` for any other item, and for bytes that end within a number.
  mutating func numbers(_ item: FoundItem) throws(ValueFailure) -> (format: NumberFormat, bytes: StringBytes)? {
    guard item.head.major == .tag, let format = NumberFormat(tag: item.head.argument),
      let bytes = try byteString(self.item(at: content(of: item))),
      withBytes(bytes, { $0.count.isMultiple(of: format.width) })
    else { return nil }
    return (format, bytes)
  }

  /// Reads tag 258 around an array. Returns `nil` for any other item.
  mutating func set(_ item: FoundItem) throws(ValueFailure) -> FoundItem? {
    guard item.hasTag(CBORTag.set) else { return nil }
    let array = try self.item(at: content(of: item))
    return array.head.major == .array ? array : nil
  }

  /// Reads tag 4 around two integers, and returns the digits of the second integer and the power of ten. Returns `nil`
  /// for any other item.
  mutating func decimal(_ item: FoundItem) throws(ValueFailure) -> (digits: String, exponent: Int)? {
    guard item.hasTag(CBORTag.decimalFraction) else { return nil }
    let pair = try self.item(at: content(of: item))
    guard pair.head.major == .array, try container(at: pair.cursor, pair.head).count == 2 else { return nil }
    let first = firstElement(of: pair)
    guard let exponent = try integerDigits(self.item(at: first)).flatMap({ Int($0) }),
      let digits = try integerDigits(self.item(at: skip(first)))
    else { return nil }
    return (digits, exponent)
  }

  /// Returns the decimal digits of an integer of any form, or `nil` for any other item and for an integer that is too
  /// long for decimal digits.
  mutating func integerDigits(_ item: FoundItem) throws(ValueFailure) -> String? {
    switch item.head.major {
    case .unsigned: return String(item.head.argument)
    case .negative:
      guard item.head.argument < .max else { return "-18446744073709551616" }
      return "-" + String(item.head.argument + 1)
    default:
      guard let big = try wideInteger(item), big.magnitude.count <= WideInteger.longestInDigits else { return nil }
      return big.digits
    }
  }
}

/// An integer of any length: `magnitude`, most significant byte first, or `-1 - magnitude`.
struct WideInteger {
  var isNegative: Bool
  var magnitude: [UInt8]

  /// The greatest length of a magnitude that is written in decimal digits, in bytes; longer ones would take too long.
  static let longestInDigits = 1024

  /// The decimal digits, in O(*n*²), where *n* is the length of the magnitude.
  var digits: String {
    let base: UInt64 = 1_000_000_000
    var limbs: [UInt64] = [0]  // nine digits each, least significant first
    for byte in magnitude {
      var carry = UInt64(byte)
      for index in limbs.indices {
        let value = limbs[index] << 8 + carry
        limbs[index] = value % base
        carry = value / base
      }
      if carry > 0 { limbs.append(carry) }
    }
    if isNegative {
      // The value is -1 - magnitude, so the digits are those of magnitude + 1.
      var index = 0
      while index < limbs.count, limbs[index] == base - 1 {
        limbs[index] = 0
        index += 1
      }
      if index == limbs.count { limbs.append(1) } else { limbs[index] += 1 }
    }
    var text = isNegative ? "-" : ""
    for (index, limb) in limbs.reversed().enumerated() {
      let digits = String(limb)
      if index > 0 { text += String(repeating: "0", count: 9 - digits.utf8.count) }
      text += digits
    }
    return text
  }
}

/// The stored form of the elements of a typed array: tags 64 to 87. The tag's low five bits, from the top: floating
/// point, signed, little-endian, and two bits for the width. Source: RFC 8746, section 2.1.
struct NumberFormat {
  let isFloat: Bool
  let isSigned: Bool
  let isLittleEndian: Bool
  /// The width of one element, in bytes.
  let width: Int

  /// Creates the format of a tag. Returns `nil` for other tags, for the reserved one, and for quadruple precision,
  /// which Swift has no type for.
  init?(tag: UInt64) {
    guard CBORTag.typedArrays.contains(tag), tag != 76 else { return nil }
    isFloat = tag & 0x10 != 0
    isSigned = !isFloat && tag & 0x08 != 0
    width = (isFloat ? 2 : 1) << Int(tag & 0x03)
    isLittleEndian = tag & 0x04 != 0
    guard width <= 8 else { return nil }
  }

  /// The name of the elements' type if no name is stored.
  var elementName: String {
    if isFloat { return width == 8 ? "Double" : width == 4 ? "Float" : "Float16" }
    if isSigned { return width == 8 ? "Int" : "Int\(8 * width)" }
    return "UInt\(8 * width)"
  }

  /// Returns the text of the element at an index, which the caller has checked.
  func text(at index: Int, in bytes: UnsafeRawBufferPointer) -> String {
    var bits: UInt64 = 0
    for position in 0..<width {
      bits = bits << 8 | UInt64(bytes[index * width + (isLittleEndian ? width - 1 - position : position)])
    }
    switch (isFloat, width) {
    case (true, 2):
      return NumberText.of(HalfPrecision.double(HalfPrecision.single(UInt16(truncatingIfNeeded: bits)).bitPattern))
    case (true, 4): return NumberText.of(HalfPrecision.double(UInt32(truncatingIfNeeded: bits)))
    case (true, _): return NumberText.of(Double(bitPattern: bits))
    default:
      let unused = UInt64(64 - 8 * width)
      return isSigned ? String(Int64(bitPattern: bits << unused) >> unused) : String(bits)
    }
  }
}

enum NumberText {
  /// Returns the shortest digits that result in the same number, in the notation of RFC 8949, section 8.
  static func of(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
    return value.description
  }
}
