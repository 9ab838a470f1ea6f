/// The elements of an array, one after the other.
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

  /// Reads the element at the cursor and moves on; after a failure, or when the element is kept, the cursor stays.
  private mutating func next<Value>(
    _ type: Any.Type, isKept: (Value) -> Bool = { _ in false }, _ read: (CBORCursor) throws -> Value
  ) throws -> Value {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(
          codingPath: elementKeys, debugDescription: "The array has no more than \(elementCount) elements."))
    }
    do {
      let value = try read(cursor)
      if isKept(value) { return value }
      cursor = try session.input.skip(cursor)
      currentIndex += 1
      return value
    } catch let error as ItemError {
      throw error.decodingError(wanted: type, path: elementKeys)
    } catch let error as CBORError {
      throw error.publicError(codingPath: elementKeys)
    }
  }

  private mutating func scalar<Value>(_ read: (DecodingInput, CBORCursor) throws -> Value) throws -> Value {
    try next(Value.self) { [input = session.input] in try read(input, $0) }
  }

  private var elementKeys: [any CodingKey] { session.keys(of: path) + [AnyCodingKey(index: currentIndex)] }

  private var elementPath: CodingPathNode { session.path(path, AnyCodingKey(index: currentIndex)) }

  mutating func decodeNil() throws -> Bool {
    let isNull = { [input = session.input] cursor in try input.isNull(at: cursor) }
    return try next(Never.self, isKept: { isNull in !isNull }, isNull)
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    try scalar { try $0.bool(at: $1) }
  }

  mutating func decode(_ type: String.Type) throws -> String {
    try scalar { try $0.text(at: $1) }
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    try scalar { try $0.double(at: $1) }
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    try scalar { try $0.float(at: $1) }
  }

  mutating func decode(_ type: Int.Type) throws -> Int {
    try scalar { try $0.integer(Int.self, at: $1) }
  }

  mutating func decode(_ type: Int8.Type) throws -> Int8 {
    try scalar { try $0.integer(Int8.self, at: $1) }
  }

  mutating func decode(_ type: Int16.Type) throws -> Int16 {
    try scalar { try $0.integer(Int16.self, at: $1) }
  }

  mutating func decode(_ type: Int32.Type) throws -> Int32 {
    try scalar { try $0.integer(Int32.self, at: $1) }
  }

  mutating func decode(_ type: Int64.Type) throws -> Int64 {
    try scalar { try $0.integer(Int64.self, at: $1) }
  }

  mutating func decode(_ type: UInt.Type) throws -> UInt {
    try scalar { try $0.integer(UInt.self, at: $1) }
  }

  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    try scalar { try $0.integer(UInt8.self, at: $1) }
  }

  mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    try scalar { try $0.integer(UInt16.self, at: $1) }
  }

  mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    try scalar { try $0.integer(UInt32.self, at: $1) }
  }

  mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    try scalar { try $0.integer(UInt64.self, at: $1) }
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    try scalar { try $0.integer(Int128.self, at: $1) }
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    try scalar { try $0.integer(UInt128.self, at: $1) }
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let (path, index) = (path, currentIndex)
    return try next(type) { [session] in
      try session.decode(type, at: $0) { session.path(path, AnyCodingKey(index: index)) }
    }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let path = elementPath
    return try next([String: Any].self) { [session] in
      try ValueDecoder(session: session, cursor: $0, path: path).container(keyedBy: type)
    }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let path = elementPath
    return try next([Any].self) { [session] in
      try ValueDecoder(session: session, cursor: $0, path: path).unkeyedContainer()
    }
  }

  mutating func superDecoder() throws -> any Decoder {
    let path = elementPath
    return try next((any Decoder).self) { [session] in ValueDecoder(session: session, cursor: $0, path: path) }
  }
}
