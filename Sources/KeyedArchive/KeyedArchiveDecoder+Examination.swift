package import FoundationCore

extension KeyedArchiveDecoder {
  /// A decoded value; whether any part of it is stored in an earlier form, with a lower version or under a former name;
  /// whether any part has a lower version; and the paths of the stored fields that the value's types did not read.
  package typealias Examination<Value> = (
    value: Value, hasEarlierForm: Bool, hasEarlierVersion: Bool, unreadFields: [String]
  )

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
      return (value, session.migrations.happened, session.migrations.hasRun, unread.paths)
    }
  }

  // Decoding in place, for stores, whose values are parts of a file in memory.

  /// Decodes a value. A tree of a value that its own types can read may exceed the limits, because the value may refer
  /// often to a shared item. Without following references, each is only checked, and its item where it is stored.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: SharedBytes, followingReferences: Bool = true
  ) throws -> Value {
    try bytes.withUnsafeBytes { bytes in
      try decode(bytes) { session in
        session.input.followsReferences = followingReferences
        return try session.decode(type, at: .start) { .root }
      }
    }
  }

  package func decode(from bytes: SharedBytes) throws -> (any Sendable)? {
    try bytes.withUnsafeBytes { try decode(fromBytes: $0) }
  }

  /// Decodes a value, and returns whether it may be reused for later decodings of the same bytes. A value must not be
  /// reused if it contains class instances, which each decoding creates again. The same applies to values whose
  /// types were found by name, because these types may be registered differently later.
  package func decodeNotingRepeatability<Value: Decodable>(
    _ type: Value.Type, from bytes: SharedBytes
  ) throws -> (value: Value, isRepeatable: Bool) {
    try bytes.withUnsafeBytes { bytes in
      try decode(bytes) { (try $0.decode(type, at: .start) { .root }, $0.isRepeatable) }
    }
  }

  /// Returns the type name of an encoded value from its first bytes, in O(1): its tag, or the type that its form
  /// represents.
  package func storedTypeName(of bytes: SharedBytes) -> String {
    bytes.withUnsafeBytes { bytes in
      do {
        return try typeName(CBORReader(bytes))
      } catch {
        return "malformed: \(error)"
      }
    }
  }

  private func typeName(_ reader: CBORReader) throws(CBORError) -> String {
    var head = try reader.head(at: 0)
    // The number of tags is limited, so that a file of nothing but tags cannot keep this loop running.
    for _ in 0..<8 {
      guard head.major == .tag else { break }
      switch head.argument {
      case CBORTag.stringNamespace, CBORTag.shareable, CBORTag.selfDescribed: head = try reader.head(at: head.end)
      case CBORTag.object: return try name(after: head, reader) ?? "tag 27"
      case CBORTag.date, CBORTag.dateText: return "Date"
      case CBORTag.positiveBigInteger: return "UInt128"
      case CBORTag.negativeBigInteger: return "Int128"
      case CBORTag.decimalFraction: return "Decimal"
      case CBORTag.url: return "URL"
      case CBORTag.uuid: return "UUID"
      case CBORTag.set: return "Set"
      case CBORTag.typedArrays:
        return NumberArrayFormat(tag: head.argument)?.arrayType.map { registry.tag(for: $0).name } ?? "numbers"
      default: return "tag \(head.argument)"
      }
    }
    switch head.major {
    case .unsigned where head.argument > UInt64(Int64.max): return "UInt64"
    case .negative where head.argument > UInt64(Int64.max): return "Int128"
    case .unsigned, .negative: return "Int"
    case .bytes: return "Data"
    case .text: return "String"
    case .array: return "[Any]"
    case .map: return "[String:Any]"
    case .tag: return "tag \(head.argument)"
    case .simple:
      if reader.float(head) != nil { return "Double" }
      return head.argument == CBORSimple.trueValue || head.argument == CBORSimple.falseValue ? "Bool" : "nil"
    }
  }

  private func name(after tag: CBORHead, _ reader: CBORReader) throws(CBORError) -> String? {
    let array = try reader.head(at: tag.end)
    guard array.major == .array, !array.isIndefinite else { return nil }
    let name = try reader.head(at: array.end)
    guard name.major == .text, !name.isIndefinite else { return nil }
    return try reader.text(name.end..<reader.payloadEnd(of: name))
  }
}
