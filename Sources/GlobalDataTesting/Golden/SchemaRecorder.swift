import CodingSupport
import KeyedArchive

/// Finds the fields that a value's types store, and their types, by having the value encode itself as for storage.
///
/// Any value can encode itself, with all its fields and their declared types, including optionals that are `nil`.
/// Decoding would need stored data that each type accepts. A `Model` leaves out fields that are `nil`, so its
/// declaration is used instead.
final class SchemaRecording {
  var schema = ArchiveSchema()
  private let registry: TypeRegistry
  /// Instances of classes whose fields are being recorded.
  private var openInstances: Set<ObjectIdentifier> = []

  init(_ registry: TypeRegistry) { self.registry = registry }

  /// Records the shape of a value, if its type is a model, and of all models inside it.
  func record(_ value: any Encodable) throws {
    let type = type(of: value as Any)
    if let instance = instance(value) {
      guard openInstances.insert(instance).inserted else { return }
    }
    defer { if let instance = instance(value) { openInstances.remove(instance) } }
    if let dictionary = value as? any EncodablePairs { return try dictionary.record(in: self) }
    if registry.isTransparent(type) { return try value.encode(to: SchemaRecorder(recording: self, owner: nil)) }
    guard registry.isModel(type) else { return }
    let tag = registry.tag(for: type).name
    var shape = try schema.types[tag] ?? ModelShape(type) { name(of: $0) }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum { shape.isEnumeration = true }
    if mirror.children.contains(where: { $0.value is UnknownFields }) { shape.keepsUnknownFields = true }
    schema.types[tag] = shape
    for superclass in sequence(first: mirror, next: \.superclassMirror).dropFirst() {
      let type = superclass.subjectType
      schema.superclasses[registry.tag(for: type).name] = registry.formerTags(of: type).map(\.name)
    }
    try value.encode(to: SchemaRecorder(recording: self, owner: tag))
  }

  private func instance(_ value: any Encodable) -> ObjectIdentifier? {
    type(of: value as Any) is AnyObject.Type ? ObjectIdentifier(value as AnyObject) : nil
  }

  /// Records a field.
  fileprivate func note<Value>(_ name: String, _: Value.Type, isOptional: Bool, of owner: String?) {
    guard let owner, schema.types[owner]?.undeclaredFields?.contains(name) ?? true else { return }
    let type = self.name(of: Value.self)
    schema.types[owner]?.fields[name] = isOptional ? type + "?" : type
  }

  func name(of type: Any.Type) -> String {
    let name = registry.tag(for: type).name
    if type is any AnyPolymorphic.Type { schema.polymorphicTypes.insert(name) }
    return name
  }

  /// Records the stored kind of value of a type without fields.
  fileprivate func note<Value>(content _: Value.Type, isElement: Bool, of owner: String?) {
    guard let owner else { return }
    let type = registry.tag(for: Value.self).name
    schema.types[owner]?.contents.insert(isElement ? "[\(type)]" : type)
  }
}

private protocol AnyPolymorphic {}
extension Polymorphic: AnyPolymorphic {}

/// A dictionary, whose keys other coders may receive as strings.
private protocol EncodablePairs {
  func record(in recording: SchemaRecording) throws
}

extension Dictionary: EncodablePairs where Key: Encodable, Value: Encodable {
  fileprivate func record(in recording: SchemaRecording) throws {
    for (key, value) in self {
      try recording.record(key)
      try recording.record(value)
    }
  }
}

/// The encoder that a value encodes itself with.
private struct SchemaRecorder: Encoder {
  let recording: SchemaRecording
  /// The tag of the type whose fields are recorded; `nil` inside collections.
  let owner: String?
  /// The prefix for the names of fields in a nested container.
  var prefix = ""

  var codingPath: [any CodingKey] { [] }
  /// Like the archive's encoder, because a model's keys for storage may differ from those for JSON.
  var userInfo: [CodingUserInfoKey: Any] { [.isStorage: true] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(SchemaKeyedContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { SchemaUnkeyedContainer(encoder: self) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func nested(_ key: any CodingKey) -> SchemaRecorder {
    SchemaRecorder(recording: recording, owner: owner, prefix: prefix + key.stringValue.schemaName + ".")
  }
}

private struct SchemaUnkeyedContainer: UnkeyedEncodingContainer, WideIntegerContainer {
  let encoder: SchemaRecorder
  var codingPath: [any CodingKey] { [] }
  private(set) var count = 0

  mutating func encodeNil() { count += 1 }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    count += 1
    encoder.recording.note(content: Value.self, isElement: true, of: encoder.owner)
    try encoder.recording.record(value)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    count += 1
    return encoder.container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    count += 1
    return encoder.unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    count += 1
    return encoder
  }
}

extension SchemaRecorder: SingleValueEncodingContainer, WideIntegerContainer {
  func encodeNil() {}

  func encode<Value: Encodable>(_ value: Value) throws {
    recording.note(content: Value.self, isElement: false, of: owner)
    try recording.record(value)
  }
}

/// Notes each field that a model encodes, with its declared type.
private struct SchemaKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol, WideIntegerContainer {
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

  // The protocol's own methods for these types would take precedence over the generic one, and skip `nil`.
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
