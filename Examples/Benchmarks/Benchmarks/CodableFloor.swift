// The lower bound for coders of `Codable` types: values one after the other, without names, types or checks.
//
// No coder can avoid this cost: the code that the compiler generates for a type, the containers of the standard
// library, and the memory of strings. These coders only support strings, optional strings, integers, doubles, Booleans,
// structs of these, and one array around them.

/// Writes the values of a type's properties one after the other.
final class FloorEncoder: Encoder {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
  private var count = 0
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
    let encoder = FloorEncoder()
    try value.encode(to: encoder)
    return [UInt8](encoder.memory[..<encoder.count])
  }

  deinit {
    memory.deallocate()
  }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(FloorEncodingFields(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { FloorEncodingValues(encoder: self) }
  func singleValueContainer() -> any SingleValueEncodingContainer { FloorEncodingValues(encoder: self) }

  /// `unsafeBitCast` casts from a type to itself, or to an integer of the same size.
  @inline(__always)
  fileprivate func append<Value: Encodable>(_ value: Value) throws {
    if Value.self == String.self {
      append(text: unsafeBitCast(value, to: String.self))
    } else if Value.self == Int.self || Value.self == Double.self {
      append(word: unsafeBitCast(value, to: UInt64.self))
    } else if Value.self == Bool.self {
      append(byte: unsafeBitCast(value, to: UInt8.self))
    } else {
      try value.encode(to: self)
    }
  }

  private func append(text: String) {
    var text = text
    text.withUTF8 { text in
      let place = room(for: 4 + text.count)
      place.storeBytes(of: UInt32(text.count), as: UInt32.self)
      if let first = text.baseAddress { (place + 4).copyMemory(from: first, byteCount: text.count) }
    }
  }

  private func append(word: UInt64) { room(for: 8).storeBytes(of: word, as: UInt64.self) }
  fileprivate func append(byte: UInt8) { room(for: 1).storeBytes(of: byte, as: UInt8.self) }

  /// Returns the memory for the next bytes.
  private func room(for byteCount: Int) -> UnsafeMutableRawPointer {
    if memory.count - count < byteCount { grow(by: byteCount) }
    count += byteCount
    return memory.baseAddress.unsafelyUnwrapped + (count - byteCount)
  }

  @inline(never)
  private func grow(by byteCount: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * memory.count + byteCount, alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(memory))
    memory.deallocate()
    memory = larger
  }
}

private struct FloorEncodingFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: FloorEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { encoder.append(byte: 0) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.append(value) }

  func encodeIfPresent(_ value: String?, forKey key: Key) throws {
    encoder.append(byte: value == nil ? 0 : 1)
    if let value { try encoder.append(value) }
  }

  func nestedContainer<Inner>(keyedBy type: Inner.Type, forKey key: Key) -> KeyedEncodingContainer<Inner> {
    encoder.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

private struct FloorEncodingValues: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let encoder: FloorEncoder
  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  func encodeNil() { encoder.append(byte: 0) }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.append(value) }

  func nestedContainer<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> { encoder.container(keyedBy: type) }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { encoder }
}

/// Reads what a ``FloorEncoder`` wrote, without checking it.
final class FloorDecoder: Decoder {
  /// Valid while ``decode(_:from:)`` runs.
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  fileprivate var isAtEnd: Bool { offset == bytes.count }

  private init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try bytes.withUnsafeBytes { try Value(from: FloorDecoder($0)) }
  }

  func container<Key>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(FloorDecodingFields(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { FloorDecodingValues(decoder: self) }
  func singleValueContainer() -> any SingleValueDecodingContainer { FloorDecodingValues(decoder: self) }

  /// `unsafeBitCast` casts from a type to itself, or from an integer of the same size.
  @inline(__always)
  fileprivate func next<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if Value.self == String.self { return unsafeBitCast(text(), to: type) }
    if Value.self == Int.self || Value.self == Double.self { return unsafeBitCast(word(), to: type) }
    if Value.self == Bool.self { return unsafeBitCast(byte(), to: type) }
    return try Value(from: self)
  }

  private func text() -> String {
    let count = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    offset += 4 + count
    return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset - count..<offset]), as: UTF8.self)
  }

  private func word() -> UInt64 {
    offset += 8
    return bytes.loadUnaligned(fromByteOffset: offset - 8, as: UInt64.self)
  }

  fileprivate func byte() -> UInt8 {
    offset += 1
    return bytes[offset - 1]
  }
}

private struct FloorDecodingFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: FloorDecoder
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool { decoder.byte() == 0 }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decoder.next(type) }

  func nestedContainer<Inner>(keyedBy type: Inner.Type, forKey key: Key) -> KeyedDecodingContainer<Inner> {
    decoder.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { decoder.unkeyedContainer() }
  func superDecoder() -> any Decoder { decoder }
  func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

private struct FloorDecodingValues: UnkeyedDecodingContainer, SingleValueDecodingContainer {
  let decoder: FloorDecoder
  var codingPath: [any CodingKey] { [] }
  var count: Int? { nil }
  var currentIndex: Int { 0 }
  var isAtEnd: Bool { decoder.isAtEnd }

  func decodeNil() -> Bool { decoder.byte() == 0 }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.next(type) }

  func nestedContainer<Key>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> { decoder.container(keyedBy: type) }
  func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { self }
  func superDecoder() -> any Decoder { decoder }
}
