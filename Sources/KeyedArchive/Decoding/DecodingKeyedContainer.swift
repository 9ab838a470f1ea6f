/// The fields of a map, by the coding keys of a type.
struct DecodingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// The one stored property, and a reference: the standard library copies the container for each field that is read.
  let fields: FieldCursor

  var codingPath: [any CodingKey] { fields.session.keys(of: fields.path) }

  var allKeys: [Key] {
    var keys: [Key] = []
    for name in fields.allNames {
      if let key = Key(stringValue: name) { keys.append(key) }
    }
    return keys
  }

  func contains(_ key: Key) -> Bool {
    fields.contains(key.stringValue)
  }

  /// Calls a function with the place of the value under a key, or with `nil`; a failure gets the key's path.
  @inline(__always)
  private func find<Result>(
    _ key: some CodingKey, as type: Any.Type, _ body: (CBORCursor?) throws -> Result
  ) throws -> Result {
    do {
      return try body(fields.find(key.stringValue))
    } catch {
      throw fields.located(error, under: key, wanted: type)
    }
  }

  /// The place of the value under a key.
  private func place(_ key: some CodingKey, as type: Any.Type) throws -> CBORCursor {
    try find(key, as: type) { place in
      guard let place else { throw FieldCursor.Missing() }
      return place
    }
  }

  @inline(__always)
  private func scalar<Value>(_ key: Key, _ read: (DecodingSession, CBORCursor) throws -> Value) throws -> Value {
    try find(key, as: Value.self) { place in
      guard let place else { throw FieldCursor.Missing() }
      return try read(fields.session, place)
    }
  }

  /// Reads a scalar, or returns `nil` when there is none or it is null.
  @inline(__always)
  private func scalarIfPresent<Value>(
    _ key: Key, _ read: (DecodingSession, CBORCursor) throws -> Value
  ) throws -> Value? {
    try find(key, as: Value.self) { place in
      guard let place, try !fields.session.isNull(at: place) else { return nil }
      return try read(fields.session, place)
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
    try fields.session.decode(type, at: place(key, as: type)) { fields.session.path(fields.path, key) }
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let place = try find(key, as: type) { place in
      try place.flatMap { try fields.session.isNull(at: $0) ? nil : $0 }
    }
    guard let place else { return nil }
    if fields.session.traits(of: type).isOptional {
      // The counterpart of `encodeIfPresent`: an inner nil is written apart from an outer one.
      return try fields.session.decode(Value?.self, at: place) { fields.session.path(fields.path, key) }
    }
    return try fields.session.decode(type, at: place) { fields.session.path(fields.path, key) }
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
    try decoder(PathKey.superclass)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try decoder(key)
  }

  private func decoder(_ key: some CodingKey) throws -> ValueDecoder {
    ValueDecoder(
      session: fields.session, cursor: try place(key, as: (any Decoder).self),
      path: fields.session.path(fields.path, key))
  }
}
