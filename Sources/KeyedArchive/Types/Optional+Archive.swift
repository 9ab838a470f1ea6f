/// Optional: null or the value itself. Where the wrapped type is optional too, an inner `nil` would look like an outer
/// one; it is named `Optional`, once for each level around it. So would a type that stores null as its single value,
/// which is found out when it was encoded.
extension Optional: SpeciallyEncodable where Wrapped: Encodable {
  static var isSelfDescribing: Bool { false }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    // The cast costs as much as storing a number does, so it is made only for an optional of an optional.
    let traits = session.traits(of: Wrapped.self)
    guard traits.isOptional else {
      guard let wrapped = self else { return session.buffer.appendNull() }
      return try session.encodeWrapped(wrapped, knowing: traits, path: path)
    }
    try encode(into: session) { try session.encode($0, path: path) }
  }
}

extension Optional: MixedCollection {
  func encodeMixed(into session: EncodingSession, path: () -> CodingPathNode) throws -> Bool {
    try encode(into: session) { try session.encodeDynamically($0, path: path) }
    return true
  }

  fileprivate func encode(into session: EncodingSession, wrapped encodeWrapped: (Wrapped) throws -> Void) throws {
    guard let wrapped = self else { return session.buffer.appendNull() }
    if let inner = wrapped as? any NullStorable, inner.isNullAtSomeLevel {
      try session.writeNamedNil { try encodeWrapped(wrapped) }
    } else {
      try session.namingNil { try encodeWrapped(wrapped) }
    }
  }
}

extension Optional: SpeciallyDecodable where Wrapped: Decodable {
  static var readsNames: Bool { true }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    try decode(from: session, at: cursor) { try session.decode(Wrapped.self, at: $0, path: path) }
  }
}

extension Optional {
  /// Reads null, or a value at the cursor that the function is given.
  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, wrapped decodeWrapped: (CBORCursor) throws -> Wrapped
  ) throws -> Self {
    if try session.input.isNull(at: cursor) { return nil }
    // A reference is never to an optional: only instances are shared.
    let item = try session.input.itemOrReference(at: cursor)
    guard item.head.major == .tag, let named = try session.input.namedValue(item), named.name == OptionalName.tag else {
      return .some(try decodeWrapped(cursor))
    }
    do {
      return .some(try decodeWrapped(named.content))
    } catch DecodingError.valueNotFound(let type, let context) {
      // Stored by an optional of an optional, while today's type has no value that is stored as null.
      if try session.input.isNull(at: named.content) { return nil }
      throw DecodingError.valueNotFound(type, context)
    }
  }
}

/// The name around an inner `nil`.
enum OptionalName {
  static let tag: ArchiveTag = "Optional"
}

extension EncodingSession {
  @inline(__always)
  func encodeWrapped<Value: Encodable>(
    _ value: Value, knowing traits: TypeTraits, path: () -> CodingPathNode
  ) throws {
    if traits.isWrittenSpecially { return try encode(value, knowing: traits, path: path) }
    try namingNil { try encode(value, knowing: traits, path: path) }
  }

  /// Writes a nil that is inside of an optional, under the name that tells it from the optional's own.
  func writeNamedNil(_ content: () throws -> Void) throws {
    let start = buffer.count
    try write(typeName: OptionalName.tag, version: 1, content)
    namedNil = start..<buffer.count
  }

  /// Writes what an optional holds, and names it where it turns out to be stored as a nil.
  @inline(__always)
  func namingNil(_ content: () throws -> Void) throws {
    let start = buffer.count
    try content()
    let first = start < buffer.count ? buffer.byte(at: start) : 0xf6
    if first == 0xf6 || first == 0xf7 || first == 0xd8 { try nameNil(from: start) }
  }

  /// Names a nil that was written at the end, once more if it has a name.
  @inline(never)
  private func nameNil(from start: Int) throws {
    if output.nameNilInTree() { return }
    guard start + 1 == buffer.count || namedNil == start..<buffer.count else { return }
    // The name goes around the innermost nil, which is the last byte: it is the same there, and nothing has to move.
    let null = buffer.byte(at: buffer.count - 1)
    guard null == 0xf6 || null == 0xf7 else { return }
    buffer.truncate(to: buffer.count - 1)
    try write(typeName: OptionalName.tag, version: 1) { buffer.append(null) }
    namedNil = start..<buffer.count
  }
}

/// An optional of any type, or another type with values that are stored as null.
protocol NullStorable {
  /// Whether it is stored as null or under the name `Optional`, so that an optional around it needs that name too.
  var isNullAtSomeLevel: Bool { get }
}

extension ArchiveValue: NullStorable {
  var isNullAtSomeLevel: Bool {
    switch self {
    case .null, .undefined: true
    case .named(let tag, _, _): tag == OptionalName.tag
    case .object(let object): object.tag == OptionalName.tag
    default: false
    }
  }
}

extension Optional: NullStorable {
  var isNullAtSomeLevel: Bool {
    guard let wrapped = self else { return true }
    return (wrapped as? any NullStorable)?.isNullAtSomeLevel ?? false
  }
}
