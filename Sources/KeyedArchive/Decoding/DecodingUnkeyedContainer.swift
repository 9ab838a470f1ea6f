struct DecodingUnkeyedContainer: UnkeyedDecodingContainer {
  let session: DecodingSession
  let path: CodingPathNode
  let elementCount: Int
  private(set) var currentIndex = 0
  private var cursor: CBORCursor

  init(session: DecodingSession, array: StoredItem, path: CodingPathNode) throws {
    self.session = session
    self.path = path
    elementCount = Int(try session.input.container(at: array.cursor).count)
    cursor = session.input.firstElement(of: array)
  }

  var codingPath: [any CodingKey] { session.keys(of: path) }
  var count: Int? { elementCount }
  var isAtEnd: Bool { currentIndex >= elementCount }

  /// Reads the element at the cursor and advances the cursor. After a failure, the cursor does not move.
  @inline(__always)
  private mutating func next<Value>(
    _ type: Any.Type = Value.self, _ read: (DecodingInput, CBORCursor) throws -> Value
  ) throws -> Value {
    do {
      if isAtEnd { throw NoItem() }
      let value = try read(session.input, cursor)
      try advance()
      return value
    } catch {
      throw located(error, wanted: type)
    }
  }

  @inline(never)
  private mutating func advance() throws {
    cursor = try session.input.skip(cursor)
    currentIndex += 1
  }

  @inline(never)
  private func located(_ error: any Error, wanted type: Any.Type) -> any Error {
    let path = session.keys(of: path) + [AnyCodingKey(index: currentIndex)]
    guard error is NoItem else { return publicError(error, wanted: type, path) }
    return DecodingError.valueNotFound(
      type,
      DecodingError.Context(
        codingPath: path, debugDescription: "The array has only \(counted(elementCount, "element", "elements"))."))
  }

  private var elementPath: CodingPathNode { session.path(path, AnyCodingKey(index: currentIndex)) }

  mutating func decodeNil() throws -> Bool {
    do {
      if isAtEnd { throw NoItem() }
      guard try session.input.isNull(at: cursor) else { return false }
      try advance()
      return true
    } catch {
      throw located(error, wanted: Never.self)
    }
  }

  mutating func decode(_: Bool.Type) throws -> Bool { try next { try $0.bool(at: $1) } }
  mutating func decode(_: String.Type) throws -> String { try next { try $0.text(at: $1) } }
  mutating func decode(_: Double.Type) throws -> Double { try next { try $0.double(at: $1) } }
  mutating func decode(_: Float.Type) throws -> Float { try next { try $0.float(at: $1) } }

  /// Decodes an integer. The method implements those that the protocol has for most types of integers.
  @inline(__always)
  mutating func decode<Integer: FixedWidthInteger & Decodable>(_: Integer.Type) throws -> Integer { try integer() }

  // The standard library has implementations for these two types, which only throw an error.
  mutating func decode(_: Int128.Type) throws -> Int128 { try integer() }
  mutating func decode(_: UInt128.Type) throws -> UInt128 { try integer() }

  @inline(__always)
  private mutating func integer<Integer: FixedWidthInteger>() throws -> Integer {
    try next { try $0.integer(Integer.self, at: $1) }
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (path, index) = (path, currentIndex)
    return try next { [session] _, cursor in
      try session.decode(type, at: cursor) { session.path(path, AnyCodingKey(index: index)) }
    }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let path = elementPath
    return try next([String: Any].self) { [session] _, cursor in
      let nested = ValueDecoder(session: session, cursor: cursor, path: path)
      try nested.enterName()
      return try nested.container(keyedBy: type)
    }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let path = elementPath
    return try next([Any].self) { [session] _, cursor in
      let nested = ValueDecoder(session: session, cursor: cursor, path: path)
      try nested.enterName()
      return try nested.unkeyedContainer()
    }
  }

  mutating func superDecoder() throws -> any Decoder {
    let path = elementPath
    return try next((any Decoder).self) { [session] _, cursor in
      ValueDecoder(session: session, cursor: cursor, path: path)
    }
  }
}
