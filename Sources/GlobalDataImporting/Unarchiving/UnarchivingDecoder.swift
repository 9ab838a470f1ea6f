import CodingSupport
import KeyedArchive
import ModelMapping

/// The decoder that a type's `init(from:)` receives for an archived value.
struct UnarchivingDecoder: Decoder {
  let session: UnarchivingSession
  let position: ArchivedPosition
  /// Whether the decoder reads an array or a set.
  var isOfList = false

  var codingPath: [any CodingKey] { position.path }
  var userInfo: [CodingUserInfoKey: Any] {
    [TypeRegistry.userInfoKey: session.registry, .reportCollector: session.collector]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let fields = try failing({ try session.fields(of: position) }) else {
      throw session.mismatch([String: Any].self, position)
    }
    return KeyedDecodingContainer(UnarchivingKeyedContainer<Key>(session: session, position: position, fields: fields))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    // Only a `Dictionary` reads its keys and values in turn. A type that tries an array before a dictionary, as types
    // for any JSON do, must not take a dictionary for an array.
    if isOfList, position.node.isDictionary { throw session.mismatch([Any].self, position) }
    guard let elements = try failing({ try session.elements(of: position) }) else {
      throw session.mismatch([Any].self, position)
    }
    return UnarchivingUnkeyedContainer(session: session, position: position, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

/// Converts a failure of the archive to the error that a type's `init(from:)` expects.
private func failing<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let failure as ImportFailure {
    throw failure.decodingError
  }
}

private struct UnarchivingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol, WideIntegerContainer {
  let session: UnarchivingSession
  let position: ArchivedPosition
  let fields: ArchivedFields

  var codingPath: [any CodingKey] { position.path }

  var allKeys: [Key] {
    fields.names.compactMap { name in
      Key(stringValue: name)
        ?? (fields.className != nil && name.hasPrefix("_") ? Key(stringValue: String(name.dropFirst())) : nil)
    }
  }

  func contains(_ key: Key) -> Bool { reference(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(of: key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(of: key).decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(of: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(of: key).unkeyedContainer()
  }

  /// The same object, because a class and its superclasses archive their fields together.
  func superDecoder() throws -> any Decoder { UnarchivingDecoder(session: session, position: position) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    contains(key) ? try decoder(of: key) : try superDecoder()
  }

  private func reference(_ key: Key) -> PropertyListValue.Reference? {
    guard let field = fields.field(key.stringValue) else { return nil }
    if let className = fields.className { session.findings.noteRead(field.name, of: className) }
    return field.value
  }

  private func decoder(of key: Key) throws -> UnarchivingDecoder {
    guard let reference = reference(key) else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: position.path,
          debugDescription:
            "\(position.node.kind) has no field \(key.stringValue.quoted), with or without a leading \"_\""
        ))
    }
    let child = try failing { try session.child(reference, key, of: position) }
    return UnarchivingDecoder(session: session, position: child)
  }
}

private struct UnarchivingUnkeyedContainer: UnkeyedDecodingContainer, WideIntegerContainer {
  let session: UnarchivingSession
  let position: ArchivedPosition
  let elements: [PropertyListValue.Reference]
  private(set) var currentIndex = 0

  var codingPath: [any CodingKey] { position.path }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    let isNull = try next().decodeNil()
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try pass { try $0.decode(type) }
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

  /// Passes the next element if it can be read.
  private mutating func pass<Result>(_ read: (UnarchivingDecoder) throws -> Result) throws -> Result {
    let result = try read(next())
    currentIndex += 1
    return result
  }

  private func next() throws -> UnarchivingDecoder {
    let key = AnyCodingKey(index: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Any.self,
        DecodingError.Context(
          codingPath: position.path + [key],
          debugDescription: "it has only \(counted(elements.count, "element", "elements"))"))
    }
    let child = try failing { try session.child(elements[currentIndex], key, of: position) }
    return UnarchivingDecoder(session: session, position: child)
  }
}

extension UnarchivingDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { position.node.isNull }

  /// Decodes a Boolean, or the integers 0 and 1, as which older compilers archived Objective-C's `BOOL`.
  func decode(_ type: Bool.Type) throws -> Bool {
    switch try leaf(type) {
    case let value as Bool: return value
    case let value as Int where value == 0 || value == 1: return value == 1
    default: throw session.mismatch(type, position)
    }
  }

  func decode(_ type: String.Type) throws -> String {
    guard let text = try leaf(type) as? String else { throw session.mismatch(type, position) }
    return text
  }

  /// Decodes an integer. The method implements those that the protocol has for most types of integers.
  func decode<Integer: FixedWidthInteger & Decodable>(_ type: Integer.Type) throws -> Integer { try integer(type) }

  // The standard library has implementations for these two types, which only throw an error.
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

  func decode(_ type: Double.Type) throws -> Double { try float(type) }
  func decode(_ type: Float.Type) throws -> Float { try float(type) }

  /// Generic callers also pass the types above.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try failing { try session.decode(type, from: position) }
  }

  private func leaf(_ type: Any.Type) throws -> (any Sendable)? {
    guard !position.node.isNull else { throw session.mismatch(type, position) }
    return try failing { try session.leaf(of: position) }
  }

  /// Returns an integer that the type can hold, also from a floating-point number without a fraction.
  private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
    let leaf = try leaf(type)
    let integer: Integer? =
      switch leaf {
      case let value as Int: Integer(exactly: value)
      case let value as UInt64: Integer(exactly: value)
      case let value as Int128: Integer(exactly: value)
      case let value as Double: Integer(exactly: value)
      case let value as Bool: value ? 1 : 0
      default: throw session.mismatch(type, position)
      }
    return try representable(integer, leaf)
  }

  /// Returns a number in the precision of the type. The type must hold an integer exactly.
  private func float<Number: BinaryFloatingPoint>(_ type: Number.Type) throws -> Number {
    let leaf = try leaf(type)
    let number: Number? =
      switch leaf {
      case let value as Double: value.isFinite && !Number(value).isFinite ? nil : Number(value)
      case let value as Int: Number(exactly: value)
      case let value as UInt64: Number(exactly: value)
      case let value as Int128: Number(exactly: value)
      default: throw session.mismatch(type, position)
      }
    return try representable(number, leaf)
  }

  private func representable<Number>(_ number: Number?, _ leaf: (any Sendable)?) throws -> Number {
    if let number { return number }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: position.path, debugDescription: "\(Number.self) cannot hold the stored \(leaf ?? 0)"))
  }
}
