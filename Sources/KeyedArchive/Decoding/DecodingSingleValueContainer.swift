struct DecodingSingleValueContainer: SingleValueDecodingContainer {
  /// The only stored property. A larger container would be allocated on the heap.
  let decoder: ValueDecoder

  private var cursor: CBORCursor { decoder.cursor }

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool {
    do {
      return try decoder.input.isNull(at: cursor) || decoder.input.isNamedNil(at: cursor)
    } catch {
      // The protocol does not allow an error here. Any later attempt to decode the value throws the same error.
      return false
    }
  }

  @inline(__always)
  private func scalar<Value>(_ read: (DecodingInput, CBORCursor) throws -> Value) throws -> Value {
    do {
      return try read(decoder.input, cursor)
    } catch {
      throw decoder.located(error, wanted: Value.self)
    }
  }

  func decode(_: Bool.Type) throws -> Bool { try scalar { try $0.bool(at: $1) } }
  func decode(_: String.Type) throws -> String { try scalar { try $0.text(at: $1) } }
  func decode(_: Double.Type) throws -> Double { try scalar { try $0.double(at: $1) } }
  func decode(_: Float.Type) throws -> Float { try scalar { try $0.float(at: $1) } }

  /// Decodes an integer. The method implements those that the protocol has for most types of integers.
  @inline(__always)
  func decode<Integer: FixedWidthInteger & Decodable>(_: Integer.Type) throws -> Integer { try integer() }

  // The standard library has implementations for these two types, which only throw an error.
  func decode(_: Int128.Type) throws -> Int128 { try integer() }
  func decode(_: UInt128.Type) throws -> UInt128 { try integer() }

  @inline(__always)
  private func integer<Integer: FixedWidthInteger>() throws -> Integer {
    try scalar { try $0.integer(Integer.self, at: $1) }
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decoder.session.decode(type, at: cursor) { decoder.path }
  }
}
