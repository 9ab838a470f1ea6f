import FoundationCore

/// With other coders, such as `JSONEncoder`, a tree becomes numbers, text, arrays and dictionaries. Other formats have
/// no room for tags and versions, so those are left out. A key that is not text becomes its diagnostic notation.
extension ArchiveValue: Codable {
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object):
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      for field in object.fields { try container.encode(field.value, forKey: AnyCodingKey(stringValue: field.name)) }
    case .map(let pairs):
      var container = encoder.container(keyedBy: AnyCodingKey.self)
      for pair in pairs {
        let name = pair.key.string.flatMap { ArchiveValue.couldBeNotation($0) ? nil : $0 } ?? pair.key.diagnostic
        try container.encode(pair.value, forKey: AnyCodingKey(stringValue: name))
      }
    case .array, .numbers, .set:
      var container = encoder.unkeyedContainer()
      for element in array ?? [] { try container.encode(element) }
    case .named(_, _, let value), .tagged(_, let value): try value.encode(to: encoder)
    default: try encodeScalar(to: encoder)
    }
  }

  private func encodeScalar(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .uint(let value): try container.encode(value)
    case .bigInteger(let isNegative, let magnitude):
      let big = BigInteger(isNegative: isNegative, magnitude: magnitude)
      if let value = UInt128(exactly: big) {
        try container.encode(value)
      } else if let value = Int128(exactly: big) {
        try container.encode(value)
      } else {
        try container.encode(big.digits)
      }
    case .double(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .uuid(let value): try container.encode(value)
    case .url(let value): try container.encode(value)
    default: try container.encodeNil()
    }
  }

  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyCodingKey.self) {  // a decoder has no other way to check
      var object = ArchiveObject()
      let keys = container.allKeys
      for key in EncodingSession.order(of: keys.map(\.stringValue)).map({ keys[$0] }) {
        object[key.stringValue] = try container.decode(ArchiveValue.self, forKey: key)
      }
      self = .object(object)
    } else if var container = try? decoder.unkeyedContainer() {  // likewise
      var elements: [ArchiveValue] = []
      while !container.isAtEnd { elements.append(try container.decode(ArchiveValue.self)) }
      self = .array(elements)
    } else {
      self = try ArchiveValue(scalarFrom: decoder.singleValueContainer())
    }
  }

  /// Returns a number if it has more digits than a `Double` has.
  private static func longDecimal(in container: any SingleValueDecodingContainer) -> Decimal? {
    // The type that is returned comes last, because a model's report lists what the last trial rounded.
    guard let number = try? container.decode(Double.self),  // likewise
      let decimal = try? container.decode(Decimal.self),  // likewise
      !decimal.isNaN, decimal != Decimal(shortestFormOf: number)
    else { return nil }
    return decimal
  }

  private init(scalarFrom container: any SingleValueDecodingContainer) throws {
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {  // likewise, from narrower to wider types
      self = .bool(value)
    } else if let value = try? container.decode(Double.self), value == 0, value.sign == .minus {  // likewise
      self = .double(value)  // an integer has no negative zero
    } else if let value = ArchiveValue.longDecimal(in: container), value.description.contains(".") {
      self = .decimal(value)
    } else if let value = try? container.decode(Int.self) {  // likewise
      self = .int(value)
    } else if let value = try? container.decode(UInt64.self) {  // likewise
      self = .uint(value)
    } else if let value = try? container.decode(UInt128.self) {  // likewise
      self = .bigInteger(isNegative: false, magnitude: Data(BigInteger(value).magnitude))
    } else if let value = try? container.decode(Int128.self) {  // likewise
      self = .bigInteger(isNegative: true, magnitude: Data(BigInteger(value).magnitude))
    } else if let value = ArchiveValue.longDecimal(in: container) {
      self = .decimal(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Date.self) {  // of a property list, like the bytes
      self = .date(value)
    } else if let value = try? container.decode(Data.self) {
      self = .data(value)
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "Expected a value of JSON, but found something else or a number out of range.")
    }
  }
}
