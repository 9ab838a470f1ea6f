import Foundation

// The conformances of the scalar types. The first members of most select the container's calls for the type.

extension String: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }

  static func converted(from raw: RawScalar) -> String? {
    switch raw {
    case .text(let text): text
    case .bool(let bool): "\(bool)"
    case .integer, .unsigned, .decimal, .numeral, .double: raw.numeral.map { String($0.text) }
    case .null, .object, .array, .composite: nil
    }
  }
}

extension Bool: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }

  static func converted(from raw: RawScalar) -> Bool? {
    if case .bool(let bool) = raw { return bool }
    if case .text(let text) = raw {
      switch text.withoutOuterSpaces.lowercased() {
      case "true", "yes", "on": return true
      case "false", "no", "off": return false
      default: break
      }
    }
    switch Int.converted(from: raw) {
    case 1: return true
    case 0: return false
    default: return nil
    }
  }
}

extension Double: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }

  static func converted(from raw: RawScalar) -> Double? { raw.floatingPoint() }
}

extension Float: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }

  static func converted(from raw: RawScalar) -> Float? { raw.floatingPoint() }
}

extension Decimal: FieldScalar {
  static func converted(from raw: RawScalar) -> Decimal? { raw.numeral?.decimal() }
}

extension Int: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension Int8: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension Int16: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension Int32: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension Int64: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension UInt: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension UInt8: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension UInt16: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension UInt32: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension UInt64: FieldScalar {
  static func read(_ key: FieldKey, in map: Fields) throws -> Self? { try map.decodeIfPresent(Self.self, forKey: key) }
  func write(_ key: FieldKey, in map: inout NewFields) throws { try map.encode(self, forKey: key) }
}

extension Int128: FieldScalar {}
extension UInt128: FieldScalar {}

extension FieldScalar where Self: FixedWidthInteger {
  static func converted(from raw: RawScalar) -> Self? {
    // The shortest digits of a large binary number are not its exact value.
    if case .double(let double) = raw { return Self(exactly: double) }
    return raw.numeral?.integer()
  }
}
