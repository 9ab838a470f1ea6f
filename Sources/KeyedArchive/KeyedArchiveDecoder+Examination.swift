package import FoundationCore

extension KeyedArchiveDecoder {
  package struct Examination<Value> {
    package let value: Value
    /// Whether any part of the value is stored in an earlier form, with a lower version or under a former name.
    package let hasEarlierForm: Bool
    /// The paths of the stored fields that the value's types did not read.
    package let unreadFields: [String]
  }

  /// Decodes a value as ``decode(_:from:)`` does, and records the fields that were not read.
  package func examine<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Examination<Value> {
    try data.withUnsafeBytes { bytes in try examine(bytes) { try $0.decode(type, at: .start) { .root } } }
  }

  /// Decodes a value as ``decode(from:)`` does, and records the fields that were not read.
  package func examine(_ bytes: SharedBytes) throws -> Examination<any Sendable> {
    try bytes.withUnsafeBytes { bytes in try examine(bytes) { try $0.decodeDynamically(at: .start) { .root } } }
  }

  private func examine<Value>(
    _ bytes: UnsafeRawBufferPointer, _ read: (DecodingSession) throws -> Value
  ) throws -> Examination<Value> {
    try decode(bytes) { session in
      let unread = UnreadFields()
      session.unreadFields = unread
      let value = try read(session)
      return Examination(
        value: value, hasEarlierForm: session.migrations.happened, unreadFields: unread.paths)
    }
  }
}
