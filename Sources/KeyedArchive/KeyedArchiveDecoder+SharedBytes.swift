// Decoding in place, for stores, whose values are parts of a file in memory.

extension KeyedArchiveDecoder {
  package func decode<Value: Decodable>(_ type: Value.Type, from bytes: SharedBytes) throws -> Value {
    try bytes.withUnsafeBytes { bytes in try decode(bytes) { try $0.decode(type, at: .start) { .root } } }
  }

  package func decode(from bytes: SharedBytes) throws -> (any Sendable)? {
    try bytes.withUnsafeBytes { try decode(fromBytes: $0) }
  }

  package func decodeNotingRepeatability<Value: Decodable>(
    _ type: Value.Type, from bytes: SharedBytes
  ) throws -> (value: Value, isRepeatable: Bool) {
    try bytes.withUnsafeBytes { try decodeNotingRepeatability(type, fromBytes: $0) }
  }
}
