/// One value at one place.
struct DecodingSingleValueContainer: SingleValueDecodingContainer {
  /// The one stored property: a larger container would be put on the heap.
  let decoder: ValueDecoder

  private var session: DecodingSession { decoder.session }
  private var cursor: CBORCursor { decoder.cursor }
  private var path: CodingPathNode { decoder.path }

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool {
    do {
      if try decoder.input.isNull(at: cursor) { return true }
      // A nil that an optional named, which the type does without by now.
      guard try decoder.input.isNamed(at: cursor),
        let named = try decoder.input.namedValue(decoder.input.markedItem(at: cursor))
      else {
        return false
      }
      return try named.name == OptionalName.tag && decoder.input.isNull(at: named.content)
    } catch {
      // The protocol leaves no way to throw here; whatever is decoded instead throws the same error.
      return false
    }
  }

  private func scalar<Value>(_ read: (CBORCursor) throws -> Value) throws -> Value {
    do {
      return try read(cursor)
    } catch let error as ItemError {
      throw error.decodingError(wanted: Value.self, path: codingPath)
    } catch let error as CBORError {
      throw error.publicError(codingPath: codingPath)
    }
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    try scalar { try decoder.input.bool(at: $0) }
  }

  func decode(_ type: String.Type) throws -> String {
    try scalar { try decoder.input.text(at: $0) }
  }

  func decode(_ type: Double.Type) throws -> Double {
    try scalar { try decoder.input.double(at: $0) }
  }

  func decode(_ type: Float.Type) throws -> Float {
    try scalar { try decoder.input.float(at: $0) }
  }

  func decode(_ type: Int.Type) throws -> Int {
    try scalar { try decoder.input.integer(Int.self, at: $0) }
  }

  func decode(_ type: Int8.Type) throws -> Int8 {
    try scalar { try decoder.input.integer(Int8.self, at: $0) }
  }

  func decode(_ type: Int16.Type) throws -> Int16 {
    try scalar { try decoder.input.integer(Int16.self, at: $0) }
  }

  func decode(_ type: Int32.Type) throws -> Int32 {
    try scalar { try decoder.input.integer(Int32.self, at: $0) }
  }

  func decode(_ type: Int64.Type) throws -> Int64 {
    try scalar { try decoder.input.integer(Int64.self, at: $0) }
  }

  func decode(_ type: UInt.Type) throws -> UInt {
    try scalar { try decoder.input.integer(UInt.self, at: $0) }
  }

  func decode(_ type: UInt8.Type) throws -> UInt8 {
    try scalar { try decoder.input.integer(UInt8.self, at: $0) }
  }

  func decode(_ type: UInt16.Type) throws -> UInt16 {
    try scalar { try decoder.input.integer(UInt16.self, at: $0) }
  }

  func decode(_ type: UInt32.Type) throws -> UInt32 {
    try scalar { try decoder.input.integer(UInt32.self, at: $0) }
  }

  func decode(_ type: UInt64.Type) throws -> UInt64 {
    try scalar { try decoder.input.integer(UInt64.self, at: $0) }
  }

  func decode(_ type: Int128.Type) throws -> Int128 {
    try scalar { try decoder.input.integer(Int128.self, at: $0) }
  }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try scalar { try decoder.input.integer(UInt128.self, at: $0) }
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try session.decode(type, at: cursor) { path }
  }
}
