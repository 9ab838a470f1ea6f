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
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }
}

extension Polymorphic: Sendable where Value: Sendable {}
extension Polymorphic: Equatable where Value: Equatable {}
extension Polymorphic: Hashable where Value: Hashable {}

extension Polymorphic: SpeciallyEncodable, SpeciallyDecodable {
  // The wrapped value is always written with its type.
  static var isSelfDescribing: Bool { true }
  static var readsNames: Bool { true }

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
      throw ItemError.mismatch(stored: try session.input.describe(cursor))
    }
    return value
  }
}

/// The tag is that of the wrapped type, because a wrapper leaves no trace in an archive.
extension Polymorphic: CompositeType {
  static func compositeTag(in registry: TypeRegistry) -> ArchiveTag {
    registry.tag(for: Value.self)
  }

  static func accepts(_ name: CompositeName, in registry: TypeRegistry) -> Bool {
    (Value.self as? any CompositeType.Type)?.accepts(name, in: registry) ?? false
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
