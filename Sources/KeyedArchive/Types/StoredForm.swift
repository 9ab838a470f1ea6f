/// A type whose stored form this module chooses, rather than the type's own `encode(to:)`.
///
/// Each such type has a file of its own in this folder, which holds both directions.
protocol SpeciallyEncodable {
  /// Whether the stored form alone tells a reader the type, so that no name has to be written.
  static var isSelfDescribing: Bool { get }

  func encode(into session: EncodingSession, path: () -> CodingPathNode?) throws
}

/// The other direction of ``SpeciallyEncodable``.
protocol SpeciallyDecodable {
  /// Whether the type reads the name that may stand before a value, instead of having it checked and removed.
  static var readsNames: Bool { get }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode?) throws -> Self
}

extension SpeciallyDecodable {
  static var readsNames: Bool { false }
}

/// What the coder has to know about a type; found out once.
struct TypeTraits {
  let speciallyEncodable: (any SpeciallyEncodable.Type)?
  let speciallyDecodable: (any SpeciallyDecodable.Type)?
  let isClass: Bool
  let isOptional: Bool
  /// The version to write with each value; 1 is not written.
  let version: Int

  init(of type: Any.Type) {
    speciallyEncodable = type as? any SpeciallyEncodable.Type
    speciallyDecodable = type as? any SpeciallyDecodable.Type
    isClass = type is AnyObject.Type
    isOptional = type is any OptionalType.Type
    version = (type as? any Archivable.Type)?.archiveVersion ?? 1
  }

  /// The traits of the types that one session has met.
  ///
  /// Conformance checks at run time cost about a microsecond, so they are shared by all sessions of the process.
  struct Cache {
    private var known: [ObjectIdentifier: TypeTraits] = [:]
    private var last: (type: ObjectIdentifier, traits: TypeTraits)?

    mutating func traits<Value>(of type: Value.Type) -> TypeTraits {
      let identifier = ObjectIdentifier(type)
      if let last, last.type == identifier { return last.traits }
      let traits = known[identifier] ?? look(up: type)
      last = (identifier, traits)
      return traits
    }

    private mutating func look<Value>(up type: Value.Type) -> TypeTraits {
      let identifier = ObjectIdentifier(type)
      let traits = sharedTraits.withLock { shared in
        if let traits = shared[identifier] { return traits }
        let traits = TypeTraits(of: type)
        shared[identifier] = traits
        return traits
      }
      known[identifier] = traits
      return traits
    }
  }
}

private let sharedTraits = Locked<[ObjectIdentifier: TypeTraits]>([:])

/// Reads a value as the type that it is known to be, without a dynamic cast.
///
/// The cast is safe because it is made only when both types are the same; a dynamic cast would cost more than storing
/// the value.
@inline(__always)
func identityCast<Value, Target>(_ value: Value, to _: Target.Type) -> Target? {
  Value.self == Target.self ? unsafeBitCast(value, to: Target.self) : nil
}
