/// An `Optional` is stored as null or as the value itself. If the wrapped type is optional too, an inner `nil` would be
/// the same as an outer one. It is therefore stored under the name `Optional`, once for each level around it. So is a
/// value of a type that stores null as its single value, which is detected only after the value is encoded.
extension Optional: SpeciallyEncodable where Wrapped: Encodable {
  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    // The cast costs as much as storing a number, so it is done only for an optional of an optional.
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

extension Optional: SpeciallyDecodable, NameReading where Wrapped: Decodable {
  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    if try session.input.isNull(at: cursor) { return nil }
    // A reference never refers to an optional, because only instances are shared.
    let item = try session.input.itemOrReference(at: cursor)
    guard item.head.major == .tag, let named = try session.input.namedValue(item), named.name == OptionalName.tag else {
      return try session.decode(Wrapped.self, at: cursor, path: path)
    }
    do {
      return try session.decode(Wrapped.self, at: named.content, path: path)
    } catch DecodingError.valueNotFound(let type, let context) {
      // The value was stored by an optional of an optional, but the current type has no value that is stored as null.
      if try session.input.isNull(at: named.content) { return nil }
      throw DecodingError.valueNotFound(type, context)
    }
  }
}

/// The name under which an inner `nil` is stored.
enum OptionalName {
  static let tag: ArchiveTag = "Optional"
}

extension EncodingSession {
  @inline(__always)
  func encodeWrapped<Value: Encodable>(_ value: Value, knowing traits: TypeTraits, path: () -> CodingPathNode) throws {
    if traits.isWrittenSpecially { return try encode(value, knowing: traits, path: path) }
    try namingNil { try encode(value, knowing: traits, path: path) }
  }

  /// Writes a nil inside an optional, under the name that distinguishes it from the optional's own nil.
  func writeNamedNil(_ content: () throws -> Void) throws {
    let start = buffer.count
    try write(typeName: OptionalName.tag, version: 1, content)
    namedNil = start..<buffer.count
  }

  /// Writes the value of an optional, and names it if it turns out to be stored as a nil.
  @inline(__always)
  func namingNil(_ content: () throws -> Void) throws {
    let start = buffer.count
    try content()
    let first = start < buffer.count ? buffer.byte(at: start) : 0xf6
    if first == 0xf6 || first == 0xf7 || first == 0xd8 { try nameNil(from: start) }
  }

  /// Names a nil at the end of the buffer. A nil that already has the name receives it once more.
  @inline(never)
  private func nameNil(from start: Int) throws {
    if output.nameNilInTree() { return }
    guard start + 1 == buffer.count || namedNil == start..<buffer.count else { return }
    // The name goes around the innermost nil, which is the last byte. The result is the same, and no byte has to move.
    let null = buffer.byte(at: buffer.count - 1)
    guard null == 0xf6 || null == 0xf7 else { return }
    buffer.truncate(to: buffer.count - 1)
    try write(typeName: OptionalName.tag, version: 1) { buffer.append(null) }
    namedNil = start..<buffer.count
  }
}

/// An optional of any type, or another type with values that are stored as null.
protocol NullStorable {
  /// Whether the value is stored as null or under the name `Optional`, so that an optional around it needs the name.
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
