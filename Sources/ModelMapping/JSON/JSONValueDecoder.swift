import CodingSupport

/// Decodes one value of a JSON text, exactly as it is written. Foundation's decoder converts numbers to binary before
/// it converts them to integers, rounds silently, and creates a coding path for each nested value.
struct JSONValueDecoder: Decoder {
  let source: JSONSource
  let value: Int
  let path: PathNode?

  var codingPath: [any CodingKey] { ValuePath(path).codingPath }
  var userInfo: [CodingUserInfoKey: Any] { source.userInfo }

  var scalar: RawScalar { source.scalar(value) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(JSONKeyedContainer(object: try object()))
  }

  func object() throws -> JSONObject {
    guard source.text.kind(value) == .object else { throw source.mismatch([String: Any].self, value, path) }
    return JSONObject(source, value, path)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard source.text.kind(value) == .array else { throw source.mismatch([Any].self, value, path) }
    return JSONUnkeyedContainer(source: source, array: value, path: path, next: value + 1)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension JSONValueDecoder: SingleValueDecodingContainer, WideIntegerContainer {
  func decodeNil() -> Bool { source.text.kind(value) == .null }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    source.forgetTrial(of: value)
    defer { source.endTrial(of: value) }
    return try source.decode(type, value) { path }
  }
}

private struct JSONUnkeyedContainer: UnkeyedDecodingContainer, WideIntegerContainer {
  let source: JSONSource
  let array: Int
  let path: PathNode?
  /// The index of the next element.
  var next: Int
  private(set) var currentIndex = 0

  var codingPath: [any CodingKey] { ValuePath(path).codingPath }
  var count: Int? { source.count(of: array) }
  var isAtEnd: Bool { next >= source.text.extents[array].next }

  private func elementPath() -> PathNode? { PathNode(path, .index(currentIndex)) }

  private func current(_ type: Any.Type) throws -> Int {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        .init(
          codingPath: codingPath,
          debugDescription: "The array has only \(counted(currentIndex, "element", "elements"))."))
    }
    return next
  }

  private mutating func advance() {
    next = source.text.next(after: next)
    currentIndex += 1
  }

  mutating func decodeNil() throws -> Bool {
    guard source.text.kind(try current(Any?.self)) == .null else { return false }
    advance()
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try source.decode(type, current(type)) { elementPath() }
    advance()
    return value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try pass { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try pass { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try pass { $0 } }

  private mutating func pass<Result>(_ use: (JSONValueDecoder) throws -> Result) throws -> Result {
    let decoder = JSONValueDecoder(source: source, value: try current((any Decoder).self), path: elementPath())
    let result = try use(decoder)
    advance()
    return result
  }
}
