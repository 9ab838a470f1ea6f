import FoundationCore

/// A `Dictionary` is stored as a map from keys of any type, sorted so that equal dictionaries have equal bytes.
extension Dictionary: SpeciallyEncodable where Key: Encodable, Value: Encodable {
  static var isSelfDescribing: Bool { false }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    let path = path()
    let valueTraits = session.traits(of: Value.self)
    if Key.self == String.self {
      // Looking up each value again takes less time than the indices of a dictionary whose type is not known.
      var texts: [String] = []
      texts.reserveCapacity(count)
      for key in keys { texts.append(identical(key, to: String.self)) }
      return try session.writeMap(count: count) {
        for index in EncodingSession.order(of: texts) {
          let text = texts[index]
          guard let value = self[identical(text, to: Key.self)] else { continue }
          session.write(text: text)
          try session.encode(value, knowing: valueTraits) { session.path(path, AnyCodingKey(stringValue: text)) }
        }
      }
    }
    let keyTraits = session.traits(of: Key.self)
    let order = try session.sortedIndices(of: self, by: { $0.key }, then: { $0.value }, path: { path })
    try session.writeMap(count: count) {
      for index in order {
        let (key, value) = self[index]
        let node = { session.path(path, AnyCodingKey(dictionaryKey: key)) }
        if let integer = identityCast(key, to: Int.self) {
          session.buffer.appendInteger(Int64(integer))
        } else {
          try session.encode(key, knowing: keyTraits, path: node)
        }
        try session.encode(value, knowing: valueTraits, path: node)
      }
    }
  }
}

extension Dictionary: SpeciallyDecodable where Key: Decodable, Value: Decodable {
  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    let item = try session.input.item(at: cursor)
    let count: Int
    switch item.head.major {
    case .map: count = Int(try session.input.container(at: item.cursor).count)
    case .array:
      // The form in which `Dictionary` encodes itself for other coders: alternating keys and values.
      let elements = try session.input.container(at: item.cursor).count
      guard elements.isMultiple(of: 2) else {
        throw ItemError.mismatch(stored: "an array with an odd number of elements")
      }
      count = Int(elements / 2)
    default: throw ItemError.mismatch(stored: try session.input.describe(cursor))
    }
    let keyTraits = session.traits(of: Key.self)
    let valueTraits = session.traits(of: Value.self)
    let path = path()
    var pairs: [Key: Value] = .init()
    pairs.reserveCapacity(Swift.min(count, 1024))
    var place = session.input.firstElement(of: item)
    for _ in 0..<count {
      let key = try decodeKey(from: session, traits: keyTraits, at: place, path)
      place = try session.input.skip(place)
      let value = try session.decode(Value.self, knowing: valueTraits, at: place) {
        session.path(path, AnyCodingKey(dictionaryKey: key))
      }
      place = try session.input.skip(place)
      guard pairs.updateValue(value, forKey: key) == nil else {
        throw ItemError.malformed(
          "The key \(AnyCodingKey(dictionaryKey: key).stringValue) appears twice in one dictionary.")
      }
    }
    return pairs
  }

  /// Decodes a key. An integer may also be stored as the text of its digits, as by other coders.
  private static func decodeKey(
    from session: DecodingSession, traits: TypeTraits, at cursor: CBORCursor, _ path: CodingPathNode
  ) throws -> Key {
    if Key.self == Int.self, let text = try session.input.textIfPresent(session.input.item(at: cursor)),
      let number = WideInteger(text), let integer = Int(exactly: number),
      let key = identityCast(integer, to: Key.self)
    {
      return key
    }
    return try session.decode(Key.self, knowing: traits, at: cursor) { path }
  }
}

extension AnyCodingKey {
  init(dictionaryKey key: some Hashable) {
    self.init(stringValue: identityCast(key, to: String.self) ?? AnyCodingKey.text(of: key))
  }

  /// Returns a key as text for a message. A description can stop the program: that of a `Date` that is not a number
  /// does, and so does that of any value that contains such a date. So only keys known to be safe are described. For
  /// other keys the type is shown.
  private static func text(of key: Any) -> String {
    switch key {
    case let text as String: text
    case is any BinaryInteger, is any BinaryFloatingPoint, is UUID, is URL, is Decimal: String(describing: key)
    case let date as Date: ArchiveValue.date(date).diagnostic
    case let key as any RawRepresentable: text(of: key.rawValue)
    default:
      Mirror(reflecting: key).children.isEmpty ? String(describing: key) : defaultArchiveName(of: Swift.type(of: key))
    }
  }
}
