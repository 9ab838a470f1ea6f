struct EncodingUnkeyedContainer: UnkeyedEncodingContainer {
  let session: EncodingSession
  let slot: EncodingSlot
  let path: CodingPathNode

  var codingPath: [any CodingKey] { session.keys(of: path) }

  var count: Int { session.output.count(in: slot) }

  /// Begins an element. Returns the session, which the caller writes the value to.
  @inline(__always) @discardableResult
  private func begin() throws -> EncodingSession {
    try session.output.begin(in: slot)
    return session
  }

  func encodeNil() throws { try begin().buffer.appendNull() }

  func encode(_ value: Bool) throws { try begin().buffer.appendBool(value) }
  func encode(_ value: String) throws { try begin().write(text: value) }
  func encode(_ value: Double) throws { try begin().buffer.appendFloat(value) }
  func encode(_ value: Float) throws { try begin().buffer.appendFloat(value) }

  /// Encodes an integer. The method implements those that the protocol has for most types of integers.
  @inline(__always)
  func encode(_ value: some FixedWidthInteger & Encodable) throws { try begin().write(integer: value) }

  // The standard library has implementations for these two types, which only throw an error.
  func encode(_ value: Int128) throws { try begin().encode(wide: BigInteger(value), in: slot) }
  func encode(_ value: UInt128) throws { try begin().encode(wide: BigInteger(value), in: slot) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try begin()
    try session.encodeEntry(in: slot) {
      try session.encode(value) { session.path(path, AnyCodingKey(index: count - 1)) }
    }
  }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    nestedEncoder(keyed: true).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    nestedEncoder(keyed: false).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nestedEncoder(keyed: nil) }

  private func nestedEncoder(keyed: Bool?) -> ValueEncoder {
    let key = AnyCodingKey(index: count)
    let nested = session.beginNested(keyed: keyed, in: slot, of: path)
    return ValueEncoder(session: session, slot: nested, path: session.path(path, key))
  }
}
