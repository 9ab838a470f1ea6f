import Foundation

/// The tree: written as what it shows.
extension ArchiveValue: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = true
  static let readsNames = true

  func encode(into session: EncodingSession, path: () -> CodingPathNode?) throws {
    switch self {
    case .null: session.buffer.appendNull()
    case .undefined: session.buffer.append(0xf7)
    case .bool(let value): session.buffer.appendBool(value)
    case .int(let value): session.buffer.appendInteger(Int64(value))
    case .uint(let value): session.buffer.appendHead(.unsigned, value)
    case .bigInteger(let isNegative, let magnitude):
      try BigInteger(isNegative: isNegative, magnitude: magnitude).encode(into: session)
    case .double(let value): session.buffer.appendFloat(value)
    case .decimal(let value): try value.encode(into: session, path: path)
    case .string(let value): session.write(text: value)
    case .data(let value): try value.encode(into: session, path: path)
    case .date(let value): try value.encode(into: session, path: path)
    case .uuid(let value): try value.encode(into: session, path: path)
    case .url(let value): try value.encode(into: session, path: path)
    case .array(let elements): try ArchiveValue.encode(elements, into: session, path)
    case .numbers(let tag, let bytes):
      try session.write(tag: tag) { bytes.withUnsafeBytes { session.write(bytes: $0) } }
    case .set(let elements):
      try session.write(tag: CBORTag.set) { try ArchiveValue.encode(elements, into: session, path) }
    case .object(let object): try object.encode(into: session, path)
    case .named(let tag, let version, let value):
      try session.write(typeName: tag, version: version) { try value.encode(into: session, path: path) }
    case .map(let pairs):
      try session.writeMap(count: pairs.count) {
        for pair in pairs {
          try pair.key.encode(into: session, path: path)
          try pair.value.encode(into: session, path: path)
        }
      }
    case .tagged(let tag, let value):
      try session.write(tag: tag) { try value.encode(into: session, path: path) }
    case .simple(let value):
      if value >= 24 { session.buffer.append(0xf8) }
      session.buffer.append(value >= 24 ? value : 0xe0 | value)
    }
  }

  private static func encode(
    _ elements: [ArchiveValue], into session: EncodingSession, _ path: () -> CodingPathNode?
  ) throws {
    try session.writeArray(count: elements.count) {
      for element in elements { try element.encode(into: session, path: path) }
    }
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode?
  ) throws -> ArchiveValue {
    let item = try session.item(at: cursor)
    switch item.head.major {
    case .unsigned:
      return Int(exactly: item.head.argument).map { .int($0) } ?? .uint(item.head.argument)
    case .negative:
      let value = try session.integer(Int128.self, at: item.cursor)
      return Int(exactly: value).map { .int($0) }
        ?? .bigInteger(isNegative: true, magnitude: Data(BigInteger(value).magnitude))
    case .bytes: return .data(try Data.decode(from: session, at: item.cursor, path: path))
    case .text: return .string(try session.text(at: item.cursor))
    case .array: return .array(try elements(of: item, in: session, path))
    case .map: return try map(item, in: session, path)
    case .simple: return simple(item, in: session)
    case .tag: return try tagged(item, in: session, path)
    }
  }

  private static func elements(
    of item: DecodingSession.Item, in session: DecodingSession, _ path: () -> CodingPathNode?
  ) throws -> [ArchiveValue] {
    let count = Int(try session.container(at: item.cursor).count)
    var elements: [ArchiveValue] = []
    elements.reserveCapacity(min(count, 1024))
    var cursor = session.firstElement(of: item)
    for _ in 0..<count {
      elements.append(try decode(from: session, at: cursor, path: path))
      cursor = try session.skip(cursor)
    }
    return elements
  }

  private static func map(
    _ item: DecodingSession.Item, in session: DecodingSession, _ path: () -> CodingPathNode?
  ) throws -> ArchiveValue {
    let count = Int(try session.container(at: item.cursor).count)
    var pairs: [Pair] = []
    pairs.reserveCapacity(min(count, 1024))
    var cursor = session.firstElement(of: item)
    for _ in 0..<count {
      let value = try session.skip(cursor)
      pairs.append(
        Pair(
          key: try decode(from: session, at: cursor, path: path),
          value: try decode(from: session, at: value, path: path)))
      cursor = try session.skip(value)
    }
    var object = ArchiveObject()
    for pair in pairs {
      guard let name = pair.key.string else { return try .map(uniquePairs(pairs)) }
      guard object[name] == nil else { throw ItemError.malformed("The key \"\(name)\" stands twice in one map.") }
      object[name] = pair.value
    }
    return .object(object)
  }

  private static func uniquePairs(_ pairs: [Pair]) throws -> [Pair] {
    guard Set(pairs.map(\.key)).count == pairs.count else {
      throw ItemError.malformed("A key stands twice in one map.")
    }
    return pairs
  }

  private static func simple(_ item: DecodingSession.Item, in session: DecodingSession) -> ArchiveValue {
    if let float = session.reader.float(item.head) { return .double(float) }
    switch item.head.argument {
    case CBORSimple.falseValue: return .bool(false)
    case CBORSimple.trueValue: return .bool(true)
    case CBORSimple.null: return .null
    case CBORSimple.undefined: return .undefined
    default: return .simple(UInt8(truncatingIfNeeded: item.head.argument))
    }
  }

  private static func tagged(
    _ item: DecodingSession.Item, in session: DecodingSession, _ path: () -> CodingPathNode?
  ) throws -> ArchiveValue {
    if let known = try meaning(of: item, in: session, path) { return known }
    let content = try decode(from: session, at: session.content(of: item), path: path)
    return .tagged(item.head.argument, content)
  }

  /// The value of a tag that has a case of its own; `nil` where its content does not have the form that the tag asks for.
  private static func meaning(
    of item: DecodingSession.Item, in session: DecodingSession, _ path: () -> CodingPathNode?
  ) throws -> ArchiveValue? {
    do {
      switch item.head.argument {
      case CBORTag.stringReference:
        if let text = try session.textIfPresent(item) { return .string(text) }
        return try session.withBytes(of: item) { .data(Data($0)) }
      case CBORTag.object: return try named(item, in: session, path)
      case CBORTag.date: return .date(try Date.decode(from: session, at: item.cursor, path: path))
      case CBORTag.uuid: return .uuid(try UUID.decode(from: session, at: item.cursor, path: path))
      case CBORTag.url: return .url(try URL.decode(from: session, at: item.cursor, path: path))
      case CBORTag.decimalFraction: return .decimal(try Decimal.decode(from: session, at: item.cursor, path: path))
      case CBORTag.positiveBigInteger, CBORTag.negativeBigInteger:
        return try BigInteger(item, in: session).map(value)
      case CBORTag.typedArrays where NumberArrayFormat(tag: item.head.argument) != nil:
        let content = try session.item(at: session.content(of: item))
        return try session.withBytes(of: content) { .numbers(tag: item.head.argument, bytes: Data($0)) }
      case CBORTag.set:
        let content = try session.item(at: session.content(of: item))
        return content.head.major == .array ? .set(try elements(of: content, in: session, path)) : nil
      default: return nil
      }
    } catch is ItemError {
      // Well-formed, but not what the tag promises: shown as it stands.
      return nil
    }
  }

  private static func value(of big: BigInteger) -> ArchiveValue {
    if let value = Int(exactly: big) { return .int(value) }
    if let value = UInt64(exactly: big) { return .uint(value) }
    return .bigInteger(isNegative: big.isNegative, magnitude: Data(big.magnitude))
  }

  private static func named(
    _ item: DecodingSession.Item, in session: DecodingSession, _ path: () -> CodingPathNode?
  ) throws -> ArchiveValue? {
    guard let named = try session.namedValue(item) else { return nil }
    switch named.name.name {
    // The second forms of types that have a case.
    case "Date": return .date(try Date.decode(from: session, at: named.content, path: path))
    case "URL": return .url(try URL.decode(from: session, at: named.content, path: path))
    case "Decimal": return .decimal(try Decimal.decode(from: session, at: named.content, path: path))
    default: break
    }
    let content = try decode(from: session, at: named.content, path: path)
    guard case .object(var object) = content, object.tag == nil else {
      return .named(named.name, version: named.version, content)
    }
    object.tag = named.name
    object.version = named.version
    return .object(object)
  }
}

extension ArchiveObject {
  fileprivate func encode(into session: EncodingSession, _ path: () -> CodingPathNode?) throws {
    guard let tag else { return try encodeFields(into: session, path) }
    try session.write(typeName: tag, version: version) { try encodeFields(into: session, path) }
  }

  private func encodeFields(into session: EncodingSession, _ path: () -> CodingPathNode?) throws {
    try session.writeMap(count: fields.count) {
      for field in fields {
        session.write(text: field.name)
        try field.value.encode(into: session, path: path)
      }
    }
  }
}
