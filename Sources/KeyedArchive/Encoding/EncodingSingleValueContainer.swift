struct EncodingSingleValueContainer: SingleValueEncodingContainer {
  let session: EncodingSession
  let slot: EncodingSlot
  let path: CodingPathNode

  var codingPath: [any CodingKey] { session.keys(of: path) }

  @inline(__always)
  private func begin() throws { try session.output.beginSingleValue(in: slot) }

  func encodeNil() throws {
    try begin()
    session.buffer.appendNull()
  }

  func encode(_ value: Bool) throws {
    try begin()
    session.buffer.appendBool(value)
  }

  func encode(_ value: String) throws {
    try begin()
    session.write(text: value)
  }

  func encode(_ value: Double) throws {
    try begin()
    session.buffer.appendFloat(value)
  }

  func encode(_ value: Float) throws {
    try begin()
    session.buffer.appendFloat(HalfPrecision.double(value.bitPattern))
  }

  /// Encodes an integer. The method implements those that the protocol has for most types of integers.
  @inline(__always)
  func encode(_ value: some FixedWidthInteger & Encodable) throws { try encode(integer: value) }

  // The standard library has implementations for these two types, which only throw an error.
  func encode(_ value: Int128) throws { try encode(integer: value) }
  func encode(_ value: UInt128) throws { try encode(integer: value) }

  @inline(__always)
  private func encode(integer value: some FixedWidthInteger) throws {
    try begin()
    try session.write(integer: value)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    try begin()
    try session.encodeEntry(in: slot) { try session.encode(value) { path } }
  }
}
