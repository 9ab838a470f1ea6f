/// The fields of a map, by the coding keys of a type.
struct DecodingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// The one stored property, and a reference: the standard library copies the container for each field that is read.
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  var allKeys: [Key] { decoder.allKeys(Key.self) }

  func contains(_ key: Key) -> Bool {
    decoder.contains(key.stringValue)
  }

  /// The place of the value under a key.
  private func place(_ key: some CodingKey, as type: Any.Type) throws -> CBORCursor {
    do {
      guard let place = try decoder.find(key.stringValue) else { throw ValueDecoder.Missing() }
      return place
    } catch {
      throw decoder.located(error, under: key, wanted: type)
    }
  }

  @inline(__always)
  private func scalar<Value>(_ key: Key, _ read: (DecodingInput, CBORCursor) throws -> Value) throws -> Value {
    do {
      guard let place = try decoder.find(key.stringValue) else { throw ValueDecoder.Missing() }
      return try read(decoder.input, place)
    } catch {
      throw decoder.located(error, under: key, wanted: Value.self)
    }
  }

  /// Reads a scalar, or returns `nil` when there is none or it is null.
  @inline(__always)
  private func scalarIfPresent<Value>(
    _ key: Key, _ read: (DecodingInput, CBORCursor) throws -> Value
  ) throws -> Value? {
    do {
      guard let place = try decoder.find(key.stringValue), try !decoder.input.isNull(at: place) else { return nil }
      return try read(decoder.input, place)
    } catch {
      throw decoder.located(error, under: key, wanted: Value.self)
    }
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try scalar(key) { try $0.isNull(at: $1) }
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try scalar(key) { try $0.bool(at: $1) }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try scalar(key) { try $0.text(at: $1) }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try scalar(key) { try $0.double(at: $1) }
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try scalar(key) { try $0.float(at: $1) }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try scalar(key) { try $0.integer(Int.self, at: $1) }
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try scalar(key) { try $0.integer(Int8.self, at: $1) }
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try scalar(key) { try $0.integer(Int16.self, at: $1) }
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try scalar(key) { try $0.integer(Int32.self, at: $1) }
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try scalar(key) { try $0.integer(Int64.self, at: $1) }
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try scalar(key) { try $0.integer(UInt.self, at: $1) }
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try scalar(key) { try $0.integer(UInt8.self, at: $1) }
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try scalar(key) { try $0.integer(UInt16.self, at: $1) }
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try scalar(key) { try $0.integer(UInt32.self, at: $1) }
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try scalar(key) { try $0.integer(UInt64.self, at: $1) }
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try scalar(key) { try $0.integer(Int128.self, at: $1) }
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try scalar(key) { try $0.integer(UInt128.self, at: $1) }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try scalarIfPresent(key) { try $0.bool(at: $1) }
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try scalarIfPresent(key) { try $0.text(at: $1) }
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try scalarIfPresent(key) { try $0.double(at: $1) }
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try scalarIfPresent(key) { try $0.float(at: $1) }
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try scalarIfPresent(key) { try $0.integer(Int.self, at: $1) }
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    try scalarIfPresent(key) { try $0.integer(Int8.self, at: $1) }
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    try scalarIfPresent(key) { try $0.integer(Int16.self, at: $1) }
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    try scalarIfPresent(key) { try $0.integer(Int32.self, at: $1) }
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try scalarIfPresent(key) { try $0.integer(Int64.self, at: $1) }
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    try scalarIfPresent(key) { try $0.integer(UInt.self, at: $1) }
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    try scalarIfPresent(key) { try $0.integer(UInt8.self, at: $1) }
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try scalarIfPresent(key) { try $0.integer(UInt16.self, at: $1) }
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try scalarIfPresent(key) { try $0.integer(UInt32.self, at: $1) }
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try scalarIfPresent(key) { try $0.integer(UInt64.self, at: $1) }
  }

  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    try scalarIfPresent(key) { try $0.integer(Int128.self, at: $1) }
  }

  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try scalarIfPresent(key) { try $0.integer(UInt128.self, at: $1) }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder.session.decode(type, at: place(key, as: type)) { decoder.session.path(decoder.path, key) }
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let (session, path) = (decoder.session, decoder.path)
    guard let place = try placeOfValue(key, as: type) else { return nil }
    let traits = session.traits(of: type)
    if try traits.isOptional || (traits.speciallyDecodable == nil && session.input.isNamed(at: place)) {
      // The counterpart of `encodeIfPresent`: an inner nil is written apart from an outer one.
      return try session.decode(Value?.self, at: place) { session.path(path, key) }
    }
    return try session.decode(type, knowing: traits, at: place) { session.path(path, key) }
  }

  /// The place of the value under a key, or `nil` when there is none or it is null.
  private func placeOfValue(_ key: Key, as type: Any.Type) throws -> CBORCursor? {
    do {
      guard let place = try decoder.find(key.stringValue), try !decoder.input.isNull(at: place) else { return nil }
      return place
    } catch {
      throw decoder.located(error, under: key, wanted: type)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    // The fields of ``UnknownFields`` stand beside the others.
    if NestedKey.self == UnknownFieldKey.self { return decoder.keyedContainer(type) }
    return try nestedDecoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nestedDecoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    try nestedDecoder(AnyCodingKey.superclass)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try nestedDecoder(key)
  }

  private func nestedDecoder(_ key: some CodingKey) throws -> ValueDecoder {
    let place = try place(key, as: (any Decoder).self)
    return decoder.part(at: place, path: decoder.session.path(decoder.path, key))
  }
}
