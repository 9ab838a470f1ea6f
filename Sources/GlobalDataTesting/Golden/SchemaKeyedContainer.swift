import GlobalData
import KeyedArchive

/// Notes each field that a model encodes, with its declared type.
struct SchemaKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: SchemaRecorder
  var codingPath: [any CodingKey] { [] }

  private func note<Value>(_ key: Key, _ type: Value.Type, isOptional: Bool) {
    encoder.recording.note(encoder.prefix + key.stringValue.schemaName, type, isOptional: isOptional, of: encoder.owner)
  }

  func encodeNil(forKey key: Key) {}

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    note(key, Value.self, isOptional: false)
    try encoder.recording.record(value)
  }

  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    note(key, Value.self, isOptional: true)
    if let value { try encoder.recording.record(value) }
  }

  // The protocol's own methods for these types would take precedence over the generic one, and pass over `nil`.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) { note(key, Bool.self, isOptional: true) }
  func encodeIfPresent(_ value: String?, forKey key: Key) { note(key, String.self, isOptional: true) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) { note(key, Double.self, isOptional: true) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) { note(key, Float.self, isOptional: true) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) { note(key, Int.self, isOptional: true) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) { note(key, Int8.self, isOptional: true) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) { note(key, Int16.self, isOptional: true) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) { note(key, Int32.self, isOptional: true) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) { note(key, Int64.self, isOptional: true) }
  func encodeIfPresent(_ value: Int128?, forKey key: Key) { note(key, Int128.self, isOptional: true) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) { note(key, UInt.self, isOptional: true) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) { note(key, UInt8.self, isOptional: true) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) { note(key, UInt16.self, isOptional: true) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) { note(key, UInt32.self, isOptional: true) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) { note(key, UInt64.self, isOptional: true) }
  func encodeIfPresent(_ value: UInt128?, forKey key: Key) { note(key, UInt128.self, isOptional: true) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    // Unknown fields are not part of a model's shape.
    let owner = NestedKey.self == UnknownFieldKey.self ? nil : encoder.owner
    let nested = SchemaRecorder(recording: encoder.recording, owner: owner, prefix: encoder.nested(key).prefix)
    return nested.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    note(key, [Any].self, isOptional: false)
    return SchemaRecorder(recording: encoder.recording, owner: nil).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    SchemaRecorder(recording: encoder.recording, owner: encoder.owner, prefix: encoder.prefix + "super.")
  }

  func superEncoder(forKey key: Key) -> any Encoder { encoder.nested(key) }
}
