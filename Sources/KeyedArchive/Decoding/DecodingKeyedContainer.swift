struct DecodingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// The only stored property, and a reference, because the standard library copies the container for each field.
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] { decoder.allKeys(Key.self) }

  func contains(_ key: Key) -> Bool { decoder.contains(key.stringValue) }

  @inline(__always)
  private func nextText(_ key: Key) throws -> String? {
    do {
      return try decoder.nextText(key.stringValue)
    } catch {
      throw decoder.located(error, under: key, wanted: String.self)
    }
  }

  @inline(never)
  private func otherText(_ key: Key) throws -> String { try scalar(key) { try $0.text(at: $1) } }

  @inline(never)
  private func otherTextIfPresent(_ key: Key) throws -> String? { try scalarIfPresent(key) { try $0.text(at: $1) } }

  @inline(__always)
  private func scalar<Value>(_ key: Key, _ read: (DecodingInput, CBORCursor) throws -> Value) throws -> Value {
    do {
      guard let cursor = try decoder.find(key.stringValue) else { throw NoItem() }
      return try read(decoder.input, cursor)
    } catch {
      throw decoder.located(error, under: key, wanted: Value.self)
    }
  }

  @inline(__always)
  private func scalarIfPresent<Value>(
    _ key: Key, _ read: (DecodingInput, CBORCursor) throws -> Value
  ) throws -> Value? {
    guard let cursor = try cursorOfValue(key, as: Value.self) else { return nil }
    do {
      return try read(decoder.input, cursor)
    } catch {
      try decoder.check(error, at: cursor, under: key, wanted: Value.self)
      return nil
    }
  }

  @inline(__always)
  private func integer<Integer: FixedWidthInteger>(_ key: Key) throws -> Integer {
    try scalar(key) { try $0.integer(Integer.self, at: $1) }
  }

  @inline(__always)
  private func integerIfPresent<Integer: FixedWidthInteger>(_ key: Key) throws -> Integer? {
    try scalarIfPresent(key) { try $0.integer(Integer.self, at: $1) }
  }

  func decodeNil(forKey key: Key) throws -> Bool { try scalar(key) { try $0.isNull(at: $1) } }

  func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try scalar(key) { try $0.bool(at: $1) } }
  func decode(_: String.Type, forKey key: Key) throws -> String {
    try nextText(key) ?? otherText(key)
  }
  func decode(_: Double.Type, forKey key: Key) throws -> Double { try scalar(key) { try $0.double(at: $1) } }
  func decode(_: Float.Type, forKey key: Key) throws -> Float { try scalar(key) { try $0.float(at: $1) } }

  /// Decodes an integer. The method implements those that the protocol has for most types of integers.
  @inline(__always)
  func decode<Integer: FixedWidthInteger & Decodable>(_: Integer.Type, forKey key: Key) throws -> Integer {
    try integer(key)
  }

  // The standard library has implementations for these two types, which only throw an error, and for all of
  // `decodeIfPresent`, which find a field twice.
  func decode(_: Int128.Type, forKey key: Key) throws -> Int128 { try integer(key) }
  func decode(_: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(key) }

  func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? {
    try scalarIfPresent(key) { try $0.bool(at: $1) }
  }
  func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
    try nextText(key) ?? otherTextIfPresent(key)
  }
  func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? {
    try scalarIfPresent(key) { try $0.double(at: $1) }
  }
  func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? {
    try scalarIfPresent(key) { try $0.float(at: $1) }
  }
  func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? { try integerIfPresent(key) }
  func decodeIfPresent(_: Int8.Type, forKey key: Key) throws -> Int8? { try integerIfPresent(key) }
  func decodeIfPresent(_: Int16.Type, forKey key: Key) throws -> Int16? { try integerIfPresent(key) }
  func decodeIfPresent(_: Int32.Type, forKey key: Key) throws -> Int32? { try integerIfPresent(key) }
  func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? { try integerIfPresent(key) }
  func decodeIfPresent(_: UInt.Type, forKey key: Key) throws -> UInt? { try integerIfPresent(key) }
  func decodeIfPresent(_: UInt8.Type, forKey key: Key) throws -> UInt8? { try integerIfPresent(key) }
  func decodeIfPresent(_: UInt16.Type, forKey key: Key) throws -> UInt16? { try integerIfPresent(key) }
  func decodeIfPresent(_: UInt32.Type, forKey key: Key) throws -> UInt32? { try integerIfPresent(key) }
  func decodeIfPresent(_: UInt64.Type, forKey key: Key) throws -> UInt64? { try integerIfPresent(key) }
  func decodeIfPresent(_: Int128.Type, forKey key: Key) throws -> Int128? { try integerIfPresent(key) }
  func decodeIfPresent(_: UInt128.Type, forKey key: Key) throws -> UInt128? { try integerIfPresent(key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder.session.decode(type, at: cursor(of: key, as: type)) { decoder.session.path(decoder.path, key) }
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let (session, path) = (decoder.session, decoder.path)
    guard let cursor = try cursorOfValue(key, as: type) else { return nil }
    let traits = session.traits(of: type)
    if try traits.isOptional || (!traits.readsNames && session.input.isNamed(at: cursor)) {
      // The counterpart of `encodeIfPresent`: an inner nil is written differently from an outer nil.
      return try session.decode(Value?.self, at: cursor) { session.path(path, key) }
    }
    return try session.decode(type, knowing: traits, at: cursor) { session.path(path, key) }
  }

  private func cursor(of key: some CodingKey, as type: Any.Type) throws -> CBORCursor {
    do {
      guard let cursor = try decoder.find(key.stringValue) else { throw NoItem() }
      return cursor
    } catch {
      throw decoder.located(error, under: key, wanted: type)
    }
  }

  /// Returns the cursor at the value under a key, or `nil` if there is no value or the value is null.
  private func cursorOfValue(_ key: Key, as type: Any.Type) throws -> CBORCursor? {
    do {
      guard let cursor = try decoder.find(key.stringValue), try !decoder.input.isNull(at: cursor) else { return nil }
      return cursor
    } catch {
      throw decoder.located(error, under: key, wanted: type)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    // The fields of ``UnknownFields`` are next to the other fields.
    if NestedKey.self == UnknownFieldKey.self { return decoder.keyedContainer(type) }
    let nested = try nestedDecoder(key)
    try nested.enterName()
    return try nested.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    let nested = try nestedDecoder(key)
    try nested.enterName()
    return try nested.unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = AnyCodingKey.superclass
    let stored = try cursor(of: key, as: (any Decoder).self)
    do {
      // The coding keys of a class do not name the field of its superclass.
      decoder.session.unreadFields?.note(readBy: decoder) { $0 == key.stringValue }
      let cursor = try decoder.session.completedSuperclass(at: stored, of: decoder.cursor)
      return decoder.part(at: cursor, path: decoder.session.path(decoder.path, key))
    } catch {
      throw decoder.located(error, under: key, wanted: (any Decoder).self)
    }
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try nestedDecoder(key) }

  func nestedDecoder(_ key: some CodingKey) throws -> ValueDecoder {
    let cursor = try cursor(of: key, as: (any Decoder).self)
    return decoder.part(at: cursor, path: decoder.session.path(decoder.path, key))
  }
}
