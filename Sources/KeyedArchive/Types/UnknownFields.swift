package import CodingSupport

/// Keeps the fields that a model does not know, so that writing it back does not lose them.
///
/// An archive may come from a later version of the program, which added a field. A model that wants to hand such fields
/// on has a property for them:
///
/// ```swift
/// struct Note: Codable {
///   var text: String
///   @UnknownFields var unknownFields
/// }
/// ```
///
/// What is read are all stored fields that none of the model's coding keys names. They are written back beside the
/// others, after the fields that stand before the property. With other coders, such as `JSONEncoder`, they are one
/// object under the property's own name, which is left out where it is empty.
///
/// A model of `ModelMapping` has them as the value of a field: `@Field var unknownFields = UnknownFields()`. It has the
/// unknown fields inside an object, too, of which fields with a nested path know a part.
///
/// Not for a class whose superclass or subclasses encode fields into the same container: those are unknown to its own
/// coding keys.
@propertyWrapper
public struct UnknownFields: Hashable, Sendable {
  /// The fields, in stored order.
  public var wrappedValue: ArchiveObject

  /// No fields.
  public init() {
    wrappedValue = ArchiveObject()
  }

  /// Wraps fields.
  public init(wrappedValue: ArchiveObject) {
    self.wrappedValue = wrappedValue
  }
}

/// The key of a field that is not known. A container with keys of this type, nested in another one, is not under its
/// key but is the other one itself; see ``DecodingKeyedContainer`` and ``EncodingKeyedContainer``.
package struct UnknownFieldKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) {
    self.stringValue = stringValue
  }

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
  fileprivate init(
    _ container: KeyedDecodingContainer<UnknownFieldKey>, where isIncluded: (String) -> Bool
  ) throws {
    self.init()
    for key in container.allKeys where isIncluded(key.stringValue) {
      self[key.stringValue] = try container.decode(ArchiveValue.self, forKey: key)
    }
  }
}

extension KeyedDecodingContainer {
  /// Decodes the fields that no key of this container names; none where there are none.
  public func decode(_ type: UnknownFields.Type, forKey key: Key) throws -> UnknownFields {
    try unknownFields(forKey: key) { Key(stringValue: $0) == nil }
  }

  fileprivate func unknownFields(forKey key: Key, where isIncluded: (String) -> Bool) throws -> UnknownFields {
    let container: KeyedDecodingContainer<UnknownFieldKey>
    do {
      container = try nestedContainer(keyedBy: UnknownFieldKey.self, forKey: key)
    } catch DecodingError.keyNotFound, DecodingError.valueNotFound {
      // Another coder, where they are a field of its own, which is left out, or null, where there are none.
      return UnknownFields()
    }
    return UnknownFields(wrappedValue: try ArchiveObject(container, where: isIncluded))
  }
}

extension KeyedEncodingContainer {
  /// Encodes the fields that no key of this container names, leaving them out where there are none.
  public mutating func encode(_ value: UnknownFields, forKey key: Key) throws {
    try encode(value, forKey: key) { Key(stringValue: $0) == nil }
  }

  fileprivate mutating func encode(
    _ value: UnknownFields, forKey key: Key, where isIncluded: (String) -> Bool
  ) throws {
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
      fields.wrappedValue.keepUnknownPart(name, part)
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
    for name in known.parts.keys { fields.wrappedValue[name] = nil }
    return fields
  }
}

extension ArchiveObject {
  /// Takes out of a field what is known of it, and the field where there is nothing else in it.
  fileprivate mutating func keepUnknownPart(_ name: String, _ known: KnownFields) {
    // What is not an object is not what its reader wants, which says so.
    guard let object = self[name]?.object else {
      self[name] = nil
      return
    }
    var rest = ArchiveObject()
    for field in object.fields where !known.whole.contains(field.name) { rest[field.name] = field.value }
    for (name, part) in known.parts { rest.keepUnknownPart(name, part) }
    self[name] = rest.fields.isEmpty ? nil : .object(rest)
  }
}
