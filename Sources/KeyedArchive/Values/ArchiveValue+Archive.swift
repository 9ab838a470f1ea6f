import FoundationCore

/// An `ArchiveValue` is stored as the value that it represents.
extension ArchiveValue: SpeciallyEncodable, NameReading {
  static let isSelfDescribing = true

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
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
      guard NumberArrayFormat(tag: tag)?.fits(bytes.count) == true else {
        throw KeyedArchiveError(
          .invalidEncoding, "Tag \(tag) is not one for numbers, or \(bytes.count) bytes are not whole numbers.")
      }
      try session.write(tag: tag) { bytes.withUnsafeBytes { session.write(bytes: $0) } }
    case .set(let elements):
      try session.write(tag: CBORTag.set) { try ArchiveValue.encode(elements, into: session, path) }
    case .object(let object): try object.encode(into: session, path)
    case .named(OptionalName.tag, version: 1, let value) where value.endsWithNil:
      try session.writeNamedNil { try value.encode(into: session, path: path) }
    case .named(let tag, let version, let value):
      try session.write(typeName: tag, version: version) { try value.encode(into: session, path: path) }
    case .map(let pairs):
      try session.writeMap(count: pairs.count) {
        for pair in pairs {
          try pair.key.encode(into: session, path: path)
          try pair.value.encode(into: session, path: path)
        }
        // Checked after writing, which has refused keys that are too deep to be hashed. Keys of different cases that
        // have one encoding, like `.int(1)` and `.uint(1)`, are not found.
        guard ArchiveValue.hasUniqueKeys(pairs) else {
          throw KeyedArchiveError(.invalidEncoding, ArchiveValue.keyAppearsTwice)
        }
      }
    case .tagged(let tag, let value):
      guard !CBORTag.isNumbering(tag) else {
        throw KeyedArchiveError(
          .invalidEncoding, "Tag \(tag), which numbers strings or instances, is reserved for the encoder.")
      }
      try session.write(tag: tag) { try value.encode(into: session, path: path) }
    case .simple(let value):
      // Source: RFC 8949, section 3.3.
      guard !(24..<32).contains(value) else {
        throw KeyedArchiveError(.invalidEncoding, "The simple values 24 to 31 are reserved.")
      }
      if value >= 32 { session.buffer.append(0xf8) }
      session.buffer.append(value >= 32 ? value : 0xe0 | value)
    }
  }

  /// Whether this value is null, directly or under the names of optionals.
  private var endsWithNil: Bool {
    switch self {
    case .null, .undefined: true
    case .named(OptionalName.tag, version: 1, let value): value.endsWithNil
    default: false
    }
  }

  private static func encode(
    _ elements: [ArchiveValue], into session: EncodingSession, _ path: () -> CodingPathNode
  ) throws {
    try session.writeArray(count: elements.count) {
      for element in elements { try element.encode(into: session, path: path) }
    }
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> ArchiveValue {
    let item = try session.input.item(at: cursor)
    let depth = try session.openTreeLevel(from: cursor, to: item.cursor)
    defer { session.closeTreeLevel(depth) }
    let value: ArchiveValue =
      switch item.head.major {
      case .unsigned: ArchiveValue(integer: item.head.argument)
      case .negative: ArchiveValue(integer: try session.input.integer(Int128.self, at: item.cursor))
      case .bytes: .data(try Data.decode(from: session, at: item.cursor, path: path))
      case .text: .string(try session.input.text(at: item.cursor))
      case .array: .array(try elements(of: item, in: session, path))
      case .map: try map(item, in: session, path)
      case .simple: simple(item, in: session)
      case .tag: try tagged(item, in: session, path)
      }
    try session.noteIfShared(value, at: cursor)
    return value
  }

  private static func elements(
    of item: StoredItem, in session: DecodingSession, _ path: () -> CodingPathNode
  ) throws -> [ArchiveValue] {
    let count = Int(try session.input.container(at: item.cursor).count)
    var elements: [ArchiveValue] = []
    elements.reserveCapacity(count)  // all elements exist, because the index has visited them
    try session.input.forEachElement(count, of: item) { _, element in
      elements.append(try decode(from: session, at: element, path: path))
    }
    return elements
  }

  private static func map(
    _ item: StoredItem, in session: DecodingSession, _ path: () -> CodingPathNode
  ) throws -> ArchiveValue {
    let count = Int(try session.input.container(at: item.cursor).count)
    guard count > 0 else { return emptyObject }
    var pairs: [Pair] = []
    pairs.reserveCapacity(count)
    try session.input.forEachPair(count, from: session.input.firstElement(of: item)) { key, value in
      pairs.append(
        Pair(
          key: try decode(from: session, at: key, path: path), value: try decode(from: session, at: value, path: path)))
    }
    var fields: [ArchiveObject.Field] = []
    fields.reserveCapacity(count)
    for pair in pairs {
      guard let name = pair.key.string else {
        guard hasUniqueKeys(pairs) else { throw ItemError.malformed(keyAppearsTwice) }
        return .map(pairs)
      }
      fields.append(ArchiveObject.Field(name: name, value: pair.value))
    }
    guard let object = ArchiveObject(fields: fields) else { throw ItemError.malformed(keyAppearsTwice) }
    return .object(object)
  }

  /// The shared empty object. A file may contain millions of empty objects, of one byte each.
  private static let emptyObject = ArchiveValue.object(ArchiveObject())

  private static let keyAppearsTwice = "A key appears twice in one map."

  private static func hasUniqueKeys(_ pairs: [Pair]) -> Bool {
    var keys = SharedCodeDictionary<ArchiveValue, Void>()
    for pair in pairs {
      guard keys[pair.key] == nil else { return false }
      keys[pair.key] = ()
    }
    return true
  }

  private static func simple(_ item: StoredItem, in session: DecodingSession) -> ArchiveValue {
    if let float = session.input.reader.float(item.head) { return .double(float) }
    switch item.head.argument {
    case CBORSimple.falseValue: return .bool(false)
    case CBORSimple.trueValue: return .bool(true)
    case CBORSimple.null: return .null
    case CBORSimple.undefined: return .undefined
    default: return .simple(UInt8(truncatingIfNeeded: item.head.argument))
    }
  }

  private static func tagged(
    _ item: StoredItem, in session: DecodingSession, _ path: () -> CodingPathNode
  ) throws -> ArchiveValue {
    if let scalar = try taggedScalar(item, in: session, path) { return scalar }
    let content = session.input.content(of: item)
    if item.hasTag(CBORTag.object), let named = try nameIfWellFormed(item, in: session) {
      return try value(named, in: session, path)
    }
    if item.hasTag(CBORTag.set) {
      let array = try session.input.item(at: content)
      if array.head.major == .array { return .set(try elements(of: array, in: session, path)) }
    }
    return .tagged(item.head.argument, try decode(from: session, at: content, path: path))
  }

  /// Returns the value of a tag around a scalar that has a case of its own. Returns `nil` if the content does not have
  /// the form that the tag requires, or if the case would not restore the stored value. The value is then represented
  /// as it is stored. Nothing nested is decoded here, so that an error in it is not met once for each level around it.
  private static func taggedScalar(
    _ item: StoredItem, in session: DecodingSession, _ path: () -> CodingPathNode
  ) throws -> ArchiveValue? {
    do {
      let content = session.input.content(of: item)
      switch item.head.argument {
      case CBORTag.stringReference:
        if let text = try session.input.textIfPresent(item) { return .string(text) }
        return try session.input.withBytes(of: item) { .data(Data($0)) }
      case CBORTag.date:
        let date = try Date.decode(from: session, at: item.cursor, path: path)
        return try date.exactUnixSeconds == session.input.double(at: content) ? .date(date) : nil
      case CBORTag.uuid: return .uuid(try UUID.decode(from: session, at: item.cursor, path: path))
      case CBORTag.url:
        let url = try URL.decode(from: session, at: item.cursor, path: path)
        return try session.input.plainText(at: content).hasSameBytes(as: url.relativeString) ? .url(url) : nil
      case CBORTag.decimalFraction: return .decimal(try Decimal.decode(from: session, at: item.cursor, path: path))
      case CBORTag.positiveBigInteger, CBORTag.negativeBigInteger:
        return try BigInteger(item, in: session.input).map(value)
      case CBORTag.typedArrays:
        let bytes = try session.input.withBytes(of: session.input.item(at: content)) { Data($0) }
        guard let bytes, NumberArrayFormat(tag: item.head.argument)?.fits(bytes.count) == true else { return nil }
        return .numbers(tag: item.head.argument, bytes: bytes)
      default: return nil
      }
    } catch is ItemError {
      return nil
    }
  }

  @inline(never)
  init(integer value: some FixedWidthInteger) {
    self = Int(exactly: value).map { .int($0) } ?? ArchiveValue.value(of: BigInteger(value))
  }

  private static func value(of big: BigInteger) -> ArchiveValue {
    if let value = Int(exactly: big) { return .int(value) }
    if let value = UInt64(exactly: big) { return .uint(value) }
    return .bigInteger(isNegative: big.isNegative, magnitude: Data(big.magnitude))
  }

  /// Returns the name and the content of tag 27, or `nil` if the content does not have the form of a named value.
  private static func nameIfWellFormed(_ item: StoredItem, in session: DecodingSession) throws -> NamedValue? {
    do {
      return try session.input.namedValue(item)
    } catch is ItemError {
      return nil
    }
  }

  private static func value(
    _ named: NamedValue, in session: DecodingSession, _ path: () -> CodingPathNode
  ) throws -> ArchiveValue {
    if let scalar = try secondForm(named, in: session, path) { return scalar }
    let content = try decode(from: session, at: named.content, path: path)
    guard case .object(var object) = content, object.tag == nil else {
      return .named(named.name, version: named.version, content)
    }
    object.tag = named.name
    object.version = named.version
    return .object(object)
  }

  /// Returns the value of a name under which a type with a case of its own stores values that its tag cannot hold.
  /// Returns `nil` if the case would not restore the stored value.
  private static func secondForm(
    _ named: NamedValue, in session: DecodingSession, _ path: () -> CodingPathNode
  ) throws -> ArchiveValue? {
    guard named.version == 1 else { return nil }
    do {
      switch named.name.name {
      case "Date":
        guard try session.input.reader.float(session.input.item(at: named.content).head) != nil else { return nil }
        let date = try Date.decode(from: session, at: named.content, path: path)
        return date.exactUnixSeconds == nil ? .date(date) : nil
      case "URL":
        let url = try URL.decode(from: session, at: named.content, path: path)
        return try isStored(url, at: named.content, in: session, path) ? .url(url) : nil
      case "Decimal":
        let decimal = try Decimal.decode(from: session, at: named.content, path: path)
        return decimal.isNaN ? .decimal(decimal) : nil
      default: return nil
      }
    } catch is ItemError {
      return nil
    }
  }

  /// Returns whether a URL with a base is stored with the same texts that it has. `URL` itself escapes invalid
  /// characters.
  private static func isStored(
    _ url: URL, at cursor: CBORCursor, in session: DecodingSession, _ path: () -> CodingPathNode
  ) throws -> Bool {
    guard let base = url.baseURL else { return false }
    let relative = try session.input.firstElement(of: session.input.item(at: cursor))
    return try session.input.plainText(at: relative).hasSameBytes(as: url.relativeString)
      && decode(from: session, at: session.input.skip(relative), path: path) == .url(base)
  }
}

extension ArchiveObject {
  fileprivate func encode(into session: EncodingSession, _ path: () -> CodingPathNode) throws {
    guard let tag else { return try encodeFields(into: session, path) }
    try session.write(typeName: tag, version: version) { try encodeFields(into: session, path) }
  }

  private func encodeFields(into session: EncodingSession, _ path: () -> CodingPathNode) throws {
    try session.writeMap(count: fields.count) {
      for field in fields {
        session.write(text: field.name)
        try field.value.encode(into: session, path: path)
      }
    }
  }
}
