struct EncodingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let session: EncodingSession
  let slot: EncodingSlot
  let path: CodingPathNode

  var codingPath: [any CodingKey] { session.keys(of: path) }

  /// Begins an entry. Returns the session, which the caller writes the value to.
  @inline(__always) @discardableResult
  private func begin(_ key: Key) throws -> EncodingSession {
    try session.output.begin(in: slot, key: key.stringValue)
    return session
  }

  func encodeNil(forKey key: Key) throws { try begin(key).buffer.appendNull() }

  func encode(_ value: Bool, forKey key: Key) throws { try begin(key).buffer.appendBool(value) }
  func encode(_ value: String, forKey key: Key) throws { try begin(key).write(text: value) }
  func encode(_ value: Double, forKey key: Key) throws { try begin(key).buffer.appendFloat(value) }
  func encode(_ value: Float, forKey key: Key) throws { try begin(key).buffer.appendFloat(value) }

  /// Encodes an integer. The method implements those that the protocol has for most types of integers.
  @inline(__always)
  func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) throws {
    try begin(key).write(integer: value)
  }

  // The standard library has implementations for these two types, which only throw an error.
  func encode(_ value: Int128, forKey key: Key) throws { try begin(key).encode(wide: BigInteger(value), in: slot) }
  func encode(_ value: UInt128, forKey key: Key) throws { try begin(key).encode(wide: BigInteger(value), in: slot) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try begin(key)
    try session.encodeEntry(in: slot) { try session.encode(value) { session.path(path, key) } }
  }

  /// Distinguishes the two kinds of nil that a property can have if its type is `Int??` or may store null. An outer
  /// `nil` is omitted, and an inner `nil` is written. The default implementation would write a plain null for an inner
  /// `nil`, which would be read as an outer `nil`.
  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    guard let value else { return }
    let traits = session.traits(of: Value.self)
    if traits.isOptional { return try encode(Optional.some(value), forKey: key) }
    try begin(key)
    try session.encodeEntry(in: slot) { try session.encodeWrapped(value, knowing: traits) { session.path(path, key) } }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    // The fields of ``UnknownFields`` are next to the other fields.
    if NestedKey.self == UnknownFieldKey.self {
      return KeyedEncodingContainer(EncodingKeyedContainer<NestedKey>(session: session, slot: slot, path: path))
    }
    return nestedEncoder(keyed: true, key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nestedEncoder(keyed: false, key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nestedEncoder(keyed: nil, AnyCodingKey.superclass) }

  func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(keyed: nil, key) }

  private func nestedEncoder(keyed: Bool?, _ key: any CodingKey) -> ValueEncoder {
    let nested = session.beginNested(keyed: keyed, in: slot, key: key, of: path)
    return ValueEncoder(session: session, slot: nested, path: session.path(path, key))
  }
}
