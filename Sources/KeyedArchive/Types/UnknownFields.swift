/// A property wrapper that keeps the fields unknown to a model, so that writing the model back does not lose them.
///
/// An archive may come from a later version of the program, which added a field. A model that should preserve such
/// fields has a property for them:
///
/// ```swift
/// struct Note: Codable {
///   var text: String
///   @UnknownFields var unknownFields
/// }
/// ```
///
/// The property holds all stored fields that no coding key of the model names. They are written back next to the other
/// fields, after those that precede the property. With other coders, such as `JSONEncoder`, the unknown fields are one
/// object under the property's own name. The object is left out if it is empty.
///
/// A model of `ModelMapping` declares the unknown fields as the value of a field:
/// `@Field var unknownFields = UnknownFields()`. They include the unknown fields inside an object of which fields with
/// a nested path read only a part.
///
/// Do not use this wrapper in a class whose superclass or subclasses encode fields into the same container. Those
/// fields are unknown to the class's own coding keys.
@propertyWrapper
public struct UnknownFields: Hashable, Sendable {
  /// The fields, in stored order.
  public var wrappedValue: ArchiveObject

  /// Creates an instance without fields.
  public init() { wrappedValue = ArchiveObject() }

  /// Creates an instance with fields.
  public init(wrappedValue: ArchiveObject) { self.wrappedValue = wrappedValue }
}

/// The key of an unknown field. A nested container with keys of this type is not stored under its key. It is the outer
/// container itself; see ``DecodingKeyedContainer`` and ``EncodingKeyedContainer``.
package struct UnknownFieldKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }

  package init?(intValue: Int) { nil }
}

extension UnknownFields: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: UnknownFieldKey.self)
    self.init(wrappedValue: try ArchiveObject(container) { _ in true })
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: UnknownFieldKey.self)
    for field in wrappedValue.fields {
      try container.encode(field.value, forKey: UnknownFieldKey(stringValue: field.name))
    }
  }
}

extension ArchiveObject {
  fileprivate init(_ container: KeyedDecodingContainer<UnknownFieldKey>, where isIncluded: (String) -> Bool) throws {
    self.init()
    for key in container.allKeys where isIncluded(key.stringValue) {
      self[key.stringValue] = try container.decode(ArchiveValue.self, forKey: key)
    }
  }
}

extension KeyedDecodingContainer {
  /// Decodes the fields that no key of this container names. The result is empty if there are no such fields.
  public func decode(_ type: UnknownFields.Type, forKey key: Key) throws -> UnknownFields {
    try unknownFields(forKey: key) { Key(stringValue: $0) == nil }
  }

  fileprivate func unknownFields(forKey key: Key, where isIncluded: (String) -> Bool) throws -> UnknownFields {
    let container: KeyedDecodingContainer<UnknownFieldKey>
    do {
      container = try nestedContainer(keyedBy: UnknownFieldKey.self, forKey: key)
    } catch DecodingError.keyNotFound, DecodingError.valueNotFound {
      // With another coder the unknown fields are a field of their own. If there are none, it is absent or null.
      return UnknownFields()
    }
    return UnknownFields(wrappedValue: try ArchiveObject(container, where: isIncluded))
  }
}

extension KeyedEncodingContainer {
  /// Encodes the fields that no key of this container names. Writes nothing if there are no such fields.
  public mutating func encode(_ value: UnknownFields, forKey key: Key) throws {
    try encode(value, forKey: key) { Key(stringValue: $0) == nil }
  }

  fileprivate mutating func encode(_ value: UnknownFields, forKey key: Key, where isIncluded: (String) -> Bool) throws {
    let fields = value.wrappedValue.fields.filter { isIncluded($0.name) }
    guard !fields.isEmpty else { return }
    var container = nestedContainer(keyedBy: UnknownFieldKey.self, forKey: key)
    for field in fields { try container.encode(field.value, forKey: UnknownFieldKey(stringValue: field.name)) }
  }
}

extension UnknownFields: KeepsUnknownFields {
  package static func decode<Key: CodingKey>(
    from container: KeyedDecodingContainer<Key>, forKey key: Key, exceptFor known: KnownFields
  ) throws -> UnknownFields {
    var fields = try container.unknownFields(forKey: key) { !known.whole.contains($0) }
    for (name, part) in known.parts {
      fields.wrappedValue.keepUnknownPart(name, part, isFormer: known.formerParts.contains(name))
    }
    return fields
  }

  package func encode<Key: CodingKey>(
    into container: inout KeyedEncodingContainer<Key>, forKey key: Key, exceptFor known: KnownFields
  ) throws {
    try container.encode(self, forKey: key) { !known.whole.contains($0) }
  }

  package func part(_ name: String) -> UnknownFields? {
    wrappedValue[name]?.object.map { UnknownFields(wrappedValue: $0) }
  }

  package func withoutParts(_ known: KnownFields) -> UnknownFields {
    var fields = self
    for name in known.parts.keys where !known.formerParts.contains(name) { fields.wrappedValue[name] = nil }
    return fields
  }
}

extension ArchiveObject {
  /// Removes the known part of a field, and the whole field if nothing else is left in it.
  fileprivate mutating func keepUnknownPart(_ name: String, _ known: KnownFields, isFormer: Bool) {
    guard let object = self[name]?.object else {
      // The reader of the field reports a value of another kind. In place of a former object, it is an unknown field.
      if !isFormer { self[name] = nil }
      return
    }
    var rest = ArchiveObject(tag: object.tag, version: object.version)
    for field in object.fields where !known.whole.contains(field.name) { rest[field.name] = field.value }
    for (name, part) in known.parts {
      rest.keepUnknownPart(name, part, isFormer: known.formerParts.contains(name))
    }
    self[name] = rest.fields.isEmpty ? nil : .object(rest)
  }
}
