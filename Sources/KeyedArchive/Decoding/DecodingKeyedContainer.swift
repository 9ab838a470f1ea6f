/// The fields of a map, by the coding keys of a type.
struct DecodingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let session: DecodingSession
  let fields: FieldCursor
  let path: CodingPathNode?

  var codingPath: [any CodingKey] { path.keys }

  var allKeys: [Key] {
    fields.allNames.compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool {
    fields.contains(key.stringValue)
  }

  private func value(_ key: Key) throws -> CBORCursor {
    if let value = try fields.find(key.stringValue) { return value }
    throw DecodingError.keyNotFound(
      key,
      DecodingError.Context(codingPath: codingPath, debugDescription: "No value stands under \"\(key.stringValue)\"."))
  }

  /// The value under a key, or `nil` when there is none or it is null.
  private func valueIfPresent(_ key: Key) throws -> CBORCursor? {
    guard let value = try fields.find(key.stringValue), try !session.item(at: value).isNull else { return nil }
    return value
  }

  /// Reads a scalar; a failure gets the path of its key.
  @inline(__always)
  private func scalar<Value>(_ key: Key, at value: CBORCursor, _ read: (CBORCursor) throws -> Value) throws -> Value {
    do {
      return try read(value)
    } catch let error as ItemError {
      throw error.decodingError(wanted: Value.self, path: path.keys(appending: key))
    } catch let error as CBORError {
      throw KeyedArchiveError(error, codingPath: path.keys(appending: key))
    }
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try session.item(at: value(key)).isNull
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try scalar(key, at: value(key)) { try session.bool(at: $0) }
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try scalar(key, at: value(key)) { try session.text(at: $0) }
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try scalar(key, at: value(key)) { try session.double(at: $0) }
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try scalar(key, at: value(key)) { try session.float(at: $0) }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try scalar(key, at: value(key)) { try session.integer(Int.self, at: $0) }
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try scalar(key, at: value(key)) { try session.integer(Int8.self, at: $0) }
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try scalar(key, at: value(key)) { try session.integer(Int16.self, at: $0) }
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try scalar(key, at: value(key)) { try session.integer(Int32.self, at: $0) }
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try scalar(key, at: value(key)) { try session.integer(Int64.self, at: $0) }
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try scalar(key, at: value(key)) { try session.integer(UInt.self, at: $0) }
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try scalar(key, at: value(key)) { try session.integer(UInt8.self, at: $0) }
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try scalar(key, at: value(key)) { try session.integer(UInt16.self, at: $0) }
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try scalar(key, at: value(key)) { try session.integer(UInt32.self, at: $0) }
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try scalar(key, at: value(key)) { try session.integer(UInt64.self, at: $0) }
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try scalar(key, at: value(key)) { try session.integer(Int128.self, at: $0) }
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try scalar(key, at: value(key)) { try session.integer(UInt128.self, at: $0) }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.bool(at: $0) }
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.text(at: $0) }
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.double(at: $0) }
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.float(at: $0) }
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(Int.self, at: $0) }
  }

  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(Int8.self, at: $0) }
  }

  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(Int16.self, at: $0) }
  }

  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(Int32.self, at: $0) }
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(Int64.self, at: $0) }
  }

  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(UInt.self, at: $0) }
  }

  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(UInt8.self, at: $0) }
  }

  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(UInt16.self, at: $0) }
  }

  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(UInt32.self, at: $0) }
  }

  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(UInt64.self, at: $0) }
  }

  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(Int128.self, at: $0) }
  }

  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    guard let value = try valueIfPresent(key) else { return nil }
    return try scalar(key, at: value) { try session.integer(UInt128.self, at: $0) }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try session.decode(type, at: value(key)) { CodingPathNode(path, key) }
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let value = try valueIfPresent(key) else { return nil }
    if session.traits(of: type).isOptional {
      // The counterpart of `encodeIfPresent`: an inner nil is written apart from an outer one.
      return try session.decode(Value?.self, at: value) { CodingPathNode(path, key) }
    }
    return try session.decode(type, at: value) { CodingPathNode(path, key) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = PathKey.superclass
    guard let value = try fields.find(key.stringValue) else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "No value stands under \"super\"."))
    }
    return ValueDecoder(session: session, cursor: value, path: CodingPathNode(path, key))
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try decoder(key)
  }

  private func decoder(_ key: Key) throws -> ValueDecoder {
    ValueDecoder(session: session, cursor: try value(key), path: CodingPathNode(path, key))
  }
}
