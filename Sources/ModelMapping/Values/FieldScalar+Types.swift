import CodingSupport
import Foundation

// The conformances of the scalar types. The first members of each choose the container's calls for just that type.

extension String: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> String? {
    try container.decodeIfPresent(String.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }

  static func converted(from raw: RawScalar) -> String? {
    switch raw {
    case .text(let text): text
    case .bool(let bool): "\(bool)"
    case .integer, .unsigned, .decimal, .numeral, .double: raw.numeral.map { String($0.text) }
    case .null, .composite: nil
    }
  }
}

extension Bool: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> Bool? {
    try container.decodeIfPresent(Bool.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }

  static func converted(from raw: RawScalar) -> Bool? {
    if case .bool(let bool) = raw { return bool }
    if case .text(let text) = raw {
      switch text.trimmingCharacters(in: .whitespaces).lowercased() {
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
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> Double? {
    try container.decodeIfPresent(Double.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }

  static func converted(from raw: RawScalar) -> Double? {
    raw.floatingPoint()
  }
}

extension Float: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> Float? {
    try container.decodeIfPresent(Float.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }

  static func converted(from raw: RawScalar) -> Float? {
    raw.floatingPoint()
  }
}

extension Decimal: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> Decimal? {
    try container.decodeIfPresent(Decimal.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }

  static func converted(from raw: RawScalar) -> Decimal? {
    raw.numeral?.decimal()
  }
}

extension Int: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> Int? {
    try container.decodeIfPresent(Int.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension Int8: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> Int8? {
    try container.decodeIfPresent(Int8.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension Int16: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> Int16? {
    try container.decodeIfPresent(Int16.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension Int32: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> Int32? {
    try container.decodeIfPresent(Int32.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension Int64: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> Int64? {
    try container.decodeIfPresent(Int64.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension UInt: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> UInt? {
    try container.decodeIfPresent(UInt.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension UInt8: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> UInt8? {
    try container.decodeIfPresent(UInt8.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension UInt16: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> UInt16? {
    try container.decodeIfPresent(UInt16.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension UInt32: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> UInt32? {
    try container.decodeIfPresent(UInt32.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension UInt64: FieldScalar {
  static func readIfPresent(from container: KeyedDecodingContainer<FieldKey>, _ key: FieldKey) throws -> UInt64? {
    try container.decodeIfPresent(UInt64.self, forKey: key)
  }

  func write(into container: inout KeyedEncodingContainer<FieldKey>, _ key: FieldKey) throws {
    try container.encode(self, forKey: key)
  }
}

extension FieldScalar where Self: FixedWidthInteger {
  static func converted(from raw: RawScalar) -> Self? {
    // The shortest digits of a large binary number are not all of it.
    if case .double(let double) = raw { return Self(exactly: double) }
    return raw.numeral?.integer()
  }
}
