// Decoding from where the bytes are, for stores, whose values are parts of a file in memory.

extension KeyedArchiveDecoder {
  /// Decodes a value of a type that the caller names.
  ///
  /// - Throws: As ``decode(_:from:)-(_,Data)``.
  package func decode<Value: Decodable>(_ type: Value.Type, from bytes: SharedBytes) throws -> Value {
    try bytes.withUnsafeBytes { bytes in try decode(bytes) { try $0.decode(type, at: .start) { .root } } }
  }

  /// Decodes a value as what it was when it was encoded.
  ///
  /// - Throws: As ``decode(from:)-(Data)``.
  package func decode(from bytes: SharedBytes) throws -> (any Sendable)? {
    try bytes.withUnsafeBytes { try decode(fromBytes: $0) }
  }

  /// Decodes a value, and tells whether it may stand for what later decodings of the same bytes would give.
  package func decodeNotingRepeatability<Value: Decodable>(
    _ type: Value.Type, from bytes: SharedBytes
  ) throws -> (value: Value, isRepeatable: Bool) {
    try bytes.withUnsafeBytes { try decodeNotingRepeatability(type, fromBytes: $0) }
  }
}
