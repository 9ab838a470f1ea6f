struct UnarchivingSingleValueContainer: SingleValueDecodingContainer {
  let session: UnarchivingSession
  let place: ArchivedPlace

  var codingPath: [any CodingKey] { place.path }

  func decodeNil() -> Bool { place.node.isNull }

  /// A truth value; also the integers 0 and 1, which is what older compilers made of Objective-C's `BOOL`.
  func decode(_ type: Bool.Type) throws -> Bool {
    switch try leaf(type) {
    case let value as Bool: return value
    case let value as Int where value == 0 || value == 1: return value == 1
    default: throw session.mismatch(type, place)
    }
  }

  func decode(_ type: String.Type) throws -> String {
    guard let text = try leaf(type) as? String else { throw session.mismatch(type, place) }
    return text
  }

  func decode(_ type: Double.Type) throws -> Double { try float(type) }
  func decode(_ type: Float.Type) throws -> Float { try float(type) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

  /// Generic callers come here with the types above, too.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try failing { try session.decode(type, from: place) }
  }

  private func leaf(_ type: Any.Type) throws -> (any Sendable)? {
    if place.node.isNull {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(codingPath: place.path, debugDescription: "expected \(type), but found null"))
    }
    return try failing { try session.leaf(of: place) }
  }

  /// An integer that the type can hold: a number that is written as one with a fraction counts where that is zero.
  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    let leaf = try leaf(type)
    let integer: Integer? =
      switch leaf {
      case let value as Int: Integer(exactly: value)
      case let value as UInt64: Integer(exactly: value)
      case let value as Int128: Integer(exactly: value)
      case let value as Double: Integer(exactly: value)
      case let value as Bool: value ? 1 : 0
      default: throw session.mismatch(type, place)
      }
    guard let integer else { throw unrepresentable("\(leaf ?? 0)", type) }
    return integer
  }

  /// A number in the precision of the type. An integer has to be one that the type holds exactly.
  private func float<Number: BinaryFloatingPoint>(_ type: Number.Type) throws -> Number {
    let leaf = try leaf(type)
    let number: Number? =
      switch leaf {
      case let value as Double:
        value.isFinite && !Number(value).isFinite ? nil : Number(value)
      case let value as Int: Number(exactly: value)
      case let value as UInt64: Number(exactly: value)
      case let value as Int128: Number(exactly: value)
      default: throw session.mismatch(type, place)
      }
    guard let number else { throw unrepresentable("\(leaf ?? 0)", type) }
    return number
  }

  private func unrepresentable(_ value: String, _ type: Any.Type) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(codingPath: place.path, debugDescription: "\(type) cannot hold the stored \(value)"))
  }
}
