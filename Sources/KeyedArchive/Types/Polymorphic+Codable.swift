import CodingSupport

// The form of values of unknown types in formats without type tags, such as JSON: an object whose only field is the
// tag, `{"Circle": {"radius": 1}}` or `{"Int": 3}`. A mixed collection has the tag `[Any]` or `[String:Any]` if no
// collection is declared. Declared types need no tag: arrays, dictionaries, optionals, and values that are neither of a
// protocol type nor of a class.

extension Polymorphic: Codable {
  public func encode(to encoder: any Encoder) throws {
    if let type = Value.self as? any PolymorphicStructure.Type, type.isPlain {
      func open<Structure: PolymorphicStructure>(_: Structure.Type) throws {
        try identityCast(wrappedValue, to: Structure.self)?.encodeElements(to: encoder)
      }
      return try open(type)
    }
    var container = encoder.singleValueContainer()
    if Self.isDeclared, let value = wrappedValue as? any Encodable { return try container.encode(value) }
    try encode(wrappedValue, TypeRegistry.registry(in: encoder.userInfo), &container)
  }

  private func encode(
    _ value: Any, _ registry: TypeRegistry, _ container: inout any SingleValueEncodingContainer
  ) throws {
    if let optional = value as? any AnyOptional {
      guard let wrapped = optional.anyWrapped else { return try container.encodeNil() }
      return try encode(wrapped, registry, &container)
    }
    let type = Swift.type(of: value)
    if let mixed = value as? any PolymorphicStructure, !(value is any Encodable) {
      guard Swift.type(of: mixed).isPlain else { throw notEncodable(type, container.codingPath) }
      let tag = value is [String: Any] ? MixedTag.dictionary : MixedTag.array
      return try container.encode([tag: TaggedContent<Value>(value: value)])
    }
    guard value is any Encodable else { throw notEncodable(type, container.codingPath) }
    try container.encode([registry.tag(for: type).name: TaggedContent<Value>(value: value)])
  }

  private func notEncodable(_ type: Any.Type, _ path: [any CodingKey]) -> KeyedArchiveError {
    KeyedArchiveError(
      .notEncodable, "A value of type \(type) is not Encodable and cannot be stored.", codingPath: path)
  }

  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Self.value(from: decoder))
  }

  private static func value(from decoder: any Decoder) throws -> Value {
    if let type = Value.self as? any PolymorphicStructure.Type, type.isPlain {
      func open<Structure: PolymorphicStructure>(_: Structure.Type) throws -> Value? {
        identityCast(try Structure(elementsFrom: decoder), to: Value.self)
      }
      if let value = try open(type) { return value }
    }
    let container = try decoder.singleValueContainer()
    if isDeclared, let type = Value.self as? any Decodable.Type {
      func open<Known: Decodable>(_ type: Known.Type) throws -> Value? {
        identityCast(try container.decode(type), to: Value.self)
      }
      if let value = try open(type) { return value }
    }
    return try taggedValue(in: container, decoder.codingPath)
  }

  private static func taggedValue(
    in container: any SingleValueDecodingContainer, _ path: [any CodingKey]
  ) throws -> Value {
    if container.decodeNil() {
      if let nothing = Optional<any Sendable>.none as? Value { return nothing }
      throw ItemError.mismatch(stored: "null").decodingError(wanted: Value.self, path: path)
    }
    let contents = try container.decode([String: TaggedContent<Value>].self)
    guard let (tag, content) = contents.first, contents.count == 1 else {
      throw ItemError.malformed(
        "Expected an object whose only field is a type tag, but found \(counted(contents.count, "field", "fields"))."
      )
      .decodingError(wanted: Value.self, path: path)
    }
    guard let value = content.value as? Value else {
      throw ItemError.mismatch(stored: "a value of type \(tag)").decodingError(wanted: Value.self, path: path)
    }
    return value
  }

  /// Whether the declared type alone determines the type of a value.
  private static var isDeclared: Bool { Value.self is any Codable.Type && !(Value.self is AnyObject.Type) }
}

/// The tags of collections whose elements have tags of their own.
private enum MixedTag {
  static let array = "[Any]"
  static let dictionary = "[String:Any]"
}

/// The value under a tag, for a value whose declared type is `Wanted`.
private struct TaggedContent<Wanted>: Codable, NamelessForm {
  let value: Any

  init(value: Any) {
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    if let structure = value as? any PolymorphicStructure, type(of: structure).isPlain {
      return try structure.encodeElements(to: encoder)
    }
    guard let value = value as? any Encodable else { return }  // a tag is written only for a value that can be encoded
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  init(from decoder: any Decoder) throws {
    // The tag is the key of this value.
    let tag = decoder.codingPath.last?.stringValue ?? ""
    switch tag {
    case MixedTag.array: value = try Polymorphic<[any Sendable]>(from: decoder).wrappedValue
    case MixedTag.dictionary: value = try Polymorphic<[String: any Sendable]>(from: decoder).wrappedValue
    default: value = try TaggedContent.value(of: ArchiveTag(tag), from: decoder)
    }
  }

  private static func value(of tag: ArchiveTag, from decoder: any Decoder) throws -> Any {
    let registry = TypeRegistry.registry(in: decoder.userInfo)
    // A declared class needs no registration.
    let wanted = (Wanted.self as? any Decodable.Type).flatMap { registry.accepts(tag, as: $0) ? $0 : nil }
    guard let type = try wanted ?? registry.type(for: tag) else {
      throw KeyedArchiveError.unregistered(tag, codingPath: decoder.codingPath)
    }
    if let structure = type as? any PolymorphicStructure.Type, structure.isPlain {
      return try structure.init(elementsFrom: decoder)
    }
    return try decoder.singleValueContainer().decode(type)
  }
}

extension TypeRegistry {
  /// The `userInfo` key under which ``Polymorphic`` finds the registry in other encoders and decoders.
  public static let userInfoKey = CodingUserInfoKey(named: "KeyedArchive.TypeRegistry")

  fileprivate static func registry(in userInfo: [CodingUserInfoKey: Any]) -> TypeRegistry {
    userInfo[userInfoKey] as? TypeRegistry ?? .shared
  }
}

extension Polymorphic: PossiblyNil {
  package var isNil: Bool { (wrappedValue as? any PossiblyNil)?.isNil ?? false }
}

private protocol AnyOptional {
  var anyWrapped: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var anyWrapped: Any? { self }
}
