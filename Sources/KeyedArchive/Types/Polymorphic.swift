/// A property wrapper for values whose types are known only at run time, such as `[any Shape]`, `(any Shape)?` or
/// `[String: any Shape]`.
///
/// ```swift
/// struct Drawing: Codable, Sendable {
///   @Polymorphic var shapes: [any Shape]
///   @Polymorphic var background: (any Shape)?
///   @Polymorphic var notes: [String: [any Sendable]] = [:]
/// }
/// ```
///
/// Arrays, optionals, and dictionaries with `String` keys may be nested in each other to any depth. Each value is
/// stored with the tag of its type and read as that type. To be read, types other than those of the standard library
/// and Foundation must be registered. The values must be `Encodable`. If the protocol does not require this, a value
/// that is not `Encodable` is detected when it is encoded. An optional property may be absent when it is read, and is
/// left out if it is `nil`.
///
/// Reading a stored value that is not of the declared type throws a `DecodingError` with the path of the value. Reading
/// a value whose tag is not registered throws a ``KeyedArchiveError`` with code `unregisteredTag`.
///
/// With other coders, such as `JSONEncoder`, a value is an object with one field, whose name is the tag:
/// `{"Circle": {"radius": 1}}`. Instances of classes are stored in the same way, which keeps subclasses apart:
/// `@Polymorphic var pets: [Animal]`. These coders find types in
/// ``TypeRegistry/shared``, or in the registry under ``TypeRegistry/userInfoKey``.
///
/// See <doc:MixedCollections>.
@propertyWrapper
public struct Polymorphic<Value> {
  /// The value itself.
  public var wrappedValue: Value

  /// Wraps a value.
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Polymorphic: Sendable where Value: Sendable {}
extension Polymorphic: Equatable where Value: Equatable {}
extension Polymorphic: Hashable where Value: Hashable {}

extension Polymorphic: SpeciallyEncodable, NameReading {
  // The wrapped value is always written with its type.
  static var isSelfDescribing: Bool { true }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    try session.encodeDynamically(wrappedValue, path: path)
  }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    do {
      return Polymorphic(wrappedValue: try value(from: session, at: cursor, path: path))
    } catch let error as ItemError {
      // Caught here so that the error names the declared type rather than this wrapper.
      throw error.decodingError(wanted: Value.self, path: session.keys(of: path()))
    }
  }

  private static func value(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Value {
    if let type = Value.self as? any Decodable.Type {
      func open<Known: Decodable>(_ type: Known.Type) throws -> Value? {
        identityCast(try session.decode(type, at: cursor, path: path), to: Value.self)
      }
      if let value = try open(type) { return value }
    }
    if let type = Value.self as? any PolymorphicStructure.Type {
      func open<Structure: PolymorphicStructure>(_: Structure.Type) throws -> Value? {
        try Structure.decodeElements(from: session, at: cursor, path: path).flatMap {
          identityCast($0, to: Value.self)
        }
      }
      if let value = try open(type) { return value }
    }
    guard let value = try session.decodeDynamically(at: cursor, path: path) as? Value else {
      throw session.input.mismatch(at: cursor)
    }
    return value
  }
}

/// The tag is that of the wrapped type, because a wrapper leaves no trace in an archive.
extension Polymorphic: CompositeType {
  package static var composition: Composition {
    (Value.self as? any CompositeType.Type)?.composition ?? ("_", [Value.self])
  }
}

extension KeyedDecodingContainer {
  /// Decodes an optional polymorphic property, which is `nil` if it is absent.
  public func decode<Wrapped>(_ type: Polymorphic<Wrapped?>.Type, forKey key: Key) throws -> Polymorphic<Wrapped?> {
    try decodeIfPresent(type, forKey: key) ?? Polymorphic(wrappedValue: nil)
  }
}

extension KeyedEncodingContainer {
  /// Encodes an optional polymorphic property. Leaves the property out if it is `nil`.
  public mutating func encode<Wrapped>(_ value: Polymorphic<Wrapped?>, forKey key: Key) throws {
    if value.wrappedValue != nil { try encodeIfPresent(Optional(value), forKey: key) }
  }
}

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
    var notEncodable: KeyedArchiveError { .notEncodable(type, codingPath: container.codingPath) }
    if let mixed = value as? any PolymorphicStructure, !(value is any Encodable) {
      guard Swift.type(of: mixed).isPlain else { throw notEncodable }
      let tag = value is [String: Any] ? MixedTag.dictionary : MixedTag.array
      return try container.encode([tag: TaggedContent<Value>(value: value)])
    }
    guard value is any Encodable else { throw notEncodable }
    try container.encode([registry.tag(for: type).name: TaggedContent<Value>(value: value)])
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

  init(value: Any) { self.value = value }

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

/// A collection or optional whose elements may each have a type known only at run time. It is coded as the same
/// structure of ``Polymorphic`` elements. A wrong element is therefore reported with its own path, and no collection is
/// cast as a whole.
protocol PolymorphicStructure {
  /// The structure with wrapped elements.
  associatedtype Wrapping: Codable & SpeciallyDecodable

  var wrapping: Wrapping { get }

  init(wrapping: Wrapping)

  /// Whether a format without tags, such as JSON, can hold this structure.
  static var isPlain: Bool { get }

  /// The kind of item that holds the elements, or `nil` if it depends on the value.
  static var storedMajor: CBORHead.Major? { get }
}

extension PolymorphicStructure {
  static var isPlain: Bool { true }

  /// Reads the elements. Returns `nil` if the stored value has another form, which may still be of this type as a
  /// whole.
  @_semantics("optimize.sil.specialize.generic.never")
  static func decodeElements(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Self? {
    guard isPlain else { return nil }
    if let storedMajor, try session.input.item(at: cursor).head.major != storedMajor { return nil }
    return Self(wrapping: try Wrapping.decode(from: session, at: cursor, path: path))
  }

  @_semantics("optimize.sil.specialize.generic.never")
  func encodeElements(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrapping)
  }

  @_semantics("optimize.sil.specialize.generic.never")
  init(elementsFrom decoder: any Decoder) throws {
    self.init(wrapping: try decoder.singleValueContainer().decode(Wrapping.self))
  }
}

extension Array: PolymorphicStructure {
  static var storedMajor: CBORHead.Major? { .array }

  var wrapping: [Polymorphic<Element>] { map { Polymorphic(wrappedValue: $0) } }

  init(wrapping: [Polymorphic<Element>]) { self = wrapping.map(\.wrappedValue) }
}

// The keys are data, which a key strategy of another coder must not change, so they are not coding keys.
extension Dictionary: PolymorphicStructure {
  static var isPlain: Bool { Key.self == String.self }

  static var storedMajor: CBORHead.Major? { .map }

  var wrapping: [String: Polymorphic<Value>] {
    identityCast(self, to: [String: Value].self)?.mapValues { Polymorphic(wrappedValue: $0) } ?? .init()
  }

  init(wrapping: [String: Polymorphic<Value>]) {
    self = identityCast(wrapping.mapValues(\.wrappedValue), to: Self.self) ?? .init()
  }
}

extension Optional: PolymorphicStructure {
  static var storedMajor: CBORHead.Major? { nil }

  var wrapping: Polymorphic<Wrapped>? { map { Polymorphic(wrappedValue: $0) } }

  init(wrapping: Polymorphic<Wrapped>?) { self = wrapping.map(\.wrappedValue) }
}
