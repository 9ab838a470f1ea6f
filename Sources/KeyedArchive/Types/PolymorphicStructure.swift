/// A collection or optional whose elements may each have a type known only at run time. It is read element by element.
/// Each element is read as a ``Polymorphic`` value of the declared element type. A wrong element is therefore reported
/// with its own path, and no collection is cast as a whole.
protocol PolymorphicStructure {
  /// Reads the elements. Returns `nil` if the stored value has another form, which may still be of this type as a
  /// whole.
  static func decodeElements(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Self?

  /// Whether a format without tags, such as JSON, can hold this structure.
  static var isPlain: Bool { get }

  func encodeElements(to encoder: any Encoder) throws

  init(elementsFrom decoder: any Decoder) throws
}

extension Array: PolymorphicStructure {
  static var isPlain: Bool { true }

  @_semantics("optimize.sil.specialize.generic.never")
  static func decodeElements(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Self? {
    guard try session.input.item(at: cursor).head.major == .array else { return nil }
    return try [Polymorphic<Element>].decode(from: session, at: cursor, path: path).map(\.wrappedValue)
  }

  @_semantics("optimize.sil.specialize.generic.never")
  func encodeElements(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(map { Polymorphic(wrappedValue: $0) })
  }

  @_semantics("optimize.sil.specialize.generic.never")
  init(elementsFrom decoder: any Decoder) throws {
    self = try decoder.singleValueContainer().decode([Polymorphic<Element>].self).map(\.wrappedValue)
  }
}

extension Dictionary: PolymorphicStructure {
  static var isPlain: Bool { Key.self == String.self }

  @_semantics("optimize.sil.specialize.generic.never")
  static func decodeElements(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Self? {
    let item = try session.input.item(at: cursor)
    guard isPlain, item.head.major == .map else { return nil }
    let count = Int(try session.input.container(at: item.cursor).count)
    let traits = session.traits(of: Polymorphic<Value>.self)
    let path = path()
    var pairs: Self = .init()
    pairs.reserveCapacity(Swift.min(count, 1024))
    var place = session.input.firstElement(of: item)
    for _ in 0..<count {
      let text = try session.input.plainText(at: place)
      place = try session.input.skip(place)
      let value = try session.decode(Polymorphic<Value>.self, knowing: traits, at: place) {
        session.path(path, AnyCodingKey(stringValue: text))
      }
      place = try session.input.skip(place)
      guard let key = identityCast(text, to: Key.self), pairs.updateValue(value.wrappedValue, forKey: key) == nil else {
        throw ItemError.malformed("The key \(text) appears twice in one dictionary.")
      }
    }
    return pairs
  }

  // Encoded as a dictionary, not with a keyed container: the keys are data, which a key strategy must not change.
  @_semantics("optimize.sil.specialize.generic.never")
  func encodeElements(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    var pairs: [String: Polymorphic<Value>] = .init()
    for (key, value) in self {
      if let key = identityCast(key, to: String.self) { pairs[key] = Polymorphic(wrappedValue: value) }
    }
    try container.encode(pairs)
  }

  @_semantics("optimize.sil.specialize.generic.never")
  init(elementsFrom decoder: any Decoder) throws {
    self = .init()
    for (text, value) in try decoder.singleValueContainer().decode([String: Polymorphic<Value>].self) {
      if let key = identityCast(text, to: Key.self) { self[key] = value.wrappedValue }
    }
  }
}

extension Optional: PolymorphicStructure {
  static var isPlain: Bool { true }

  @_semantics("optimize.sil.specialize.generic.never")
  static func decodeElements(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Self? {
    try decode(from: session, at: cursor) {
      try session.decode(Polymorphic<Wrapped>.self, at: $0, path: path).wrappedValue
    }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  func encodeElements(to encoder: any Encoder) throws {
    if let value = self { return try Polymorphic(wrappedValue: value).encode(to: encoder) }
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }

  @_semantics("optimize.sil.specialize.generic.never")
  init(elementsFrom decoder: any Decoder) throws {
    let isNil = try decoder.singleValueContainer().decodeNil()
    self = isNil ? nil : try Polymorphic<Wrapped>(from: decoder).wrappedValue
  }
}
