import CodingSupport

/// An object in a JSON text, which finds the values of keys.
final class JSONObject {
  /// The number of keys up to which a linear search is faster than hashing.
  private static let fewKeys = 16

  let source: JSONSource
  let path: PathNode?
  /// The indices of the keys' extents.
  let keys: [Int]
  /// The key to try first, because fields are usually read in text order.
  private var likely = 0
  /// The indices of all keys, created when one of many keys is requested out of order.
  private lazy var indices = Dictionary(keys.indices.map { (name($0), $0) }) { first, _ in first }

  init(_ source: JSONSource, _ object: Int, _ path: PathNode?) {
    self.source = source
    self.path = path
    keys = source.text.children(of: object)
  }

  func name(_ index: Int) -> String { source.text.string(keys[index]) }

  func path(_ name: String) -> PathNode { PathNode(path, .key(name)) }

  /// Returns the decoder of the value under a key. A missing value reads as null.
  func decoder(_ name: String) -> JSONValueDecoder {
    JSONValueDecoder(source: source, value: value(name) ?? JSONText.absent, path: path(name))
  }

  /// Returns the value of a key, or `nil` if it is missing or null.
  func valueIfPresent(_ name: String) -> Int? {
    value(name).flatMap { source.text.kind($0) == .null ? nil : $0 }
  }

  /// Returns the index of the value for a key.
  func value(_ name: String) -> Int? {
    guard let index = index(of: name) else { return nil }
    likely = index + 1
    return keys[index] + 1
  }

  private func index(of name: String) -> Int? {
    if likely < keys.count, hasSameBytes(likely, name) { return likely }
    if keys.count > JSONObject.fewKeys { return indices[name] }
    if let index = keys.indices.first(where: { hasSameBytes($0, name) }) { return index }
    // Other strings can be equal with different bytes, and a key can have escapes.
    let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
    return keys.indices.first { !(isASCII && source.text.extents[keys[$0]].isPlain) && self.name($0) == name }
  }

  private func hasSameBytes(_ index: Int, _ name: String) -> Bool {
    let extent = source.text.extents[keys[index]]
    let range = extent.range
    // The quotation marks are part of the extent.
    guard extent.isPlain, range.count == name.utf8.count + 2 else { return false }
    return source.text.bytes[range.lowerBound + 1..<range.upperBound - 1].elementsEqual(name.utf8)
  }
}

struct JSONKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol, WideIntegerContainer {
  let object: JSONObject

  private var source: JSONSource { object.source }
  var codingPath: [any CodingKey] { ValuePath(object.path).codingPath }
  var allKeys: [Key] { object.keys.indices.compactMap { Key(stringValue: object.name($0)) } }

  func contains(_ key: Key) -> Bool { object.value(key.stringValue) != nil }

  private func value(_ key: Key) throws -> Int {
    if let value = object.value(key.stringValue) { return value }
    throw DecodingError.keyNotFound(
      key, .init(codingPath: codingPath, debugDescription: "The key \(String(reflecting: key.stringValue)) is missing.")
    )
  }

  func decodeNil(forKey key: Key) throws -> Bool { source.text.kind(try value(key)) == .null }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try source.decode(type, value(key)) { object.path(key.stringValue) }
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let name = key.stringValue
    return try object.valueIfPresent(name).map { value in try source.decode(type, value) { object.path(name) } }
  }

  @inline(__always)
  private func read<Scalar: JSONScalar>(_ key: Key) throws -> Scalar? {
    let name = key.stringValue
    return try object.valueIfPresent(name).map { value in try source.read(Scalar.self, value) { object.path(name) } }
  }

  // The most frequent types, which need no look-up.
  func decodeIfPresent(_: Bool.Type, forKey key: Key) throws -> Bool? { try read(key) }
  func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? { try read(key) }
  func decodeIfPresent(_: Double.Type, forKey key: Key) throws -> Double? { try read(key) }
  func decodeIfPresent(_: Float.Type, forKey key: Key) throws -> Float? { try read(key) }
  func decodeIfPresent(_: Int.Type, forKey key: Key) throws -> Int? { try read(key) }
  func decodeIfPresent(_: Int64.Type, forKey key: Key) throws -> Int64? { try read(key) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try existingDecoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try existingDecoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { object.decoder("super") }

  func superDecoder(forKey key: Key) throws -> any Decoder { object.decoder(key.stringValue) }

  private func existingDecoder(_ key: Key) throws -> JSONValueDecoder {
    _ = try value(key)
    return object.decoder(key.stringValue)
  }
}
