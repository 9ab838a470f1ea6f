import FoundationCore

/// A `URL` is stored as tag 32 around its text. A URL with a base is stored under the name `URL` as `[relative, base]`.
/// Source: RFC 8949, section 3.4.5.3.
extension URL: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = true
  private static let tag: ArchiveTag = "URL"

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    guard let baseURL else {
      return try session.write(tag: CBORTag.url) { session.write(text: relativeString) }
    }
    try session.write(typeName: URL.tag, version: 1) {
      try session.writeArray(count: 2) {
        session.write(text: relativeString)
        try baseURL.encode(into: session, path: path)
      }
    }
  }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> URL {
    let item = try session.input.item(at: cursor)
    if item.hasTag(CBORTag.url) {
      return try url(.tagged, at: session.input.content(of: item), of: session.input)
    }
    if let url = try session.input.url(.plain, at: item.cursor) { return url }
    guard item.head.major == .array, try session.input.container(at: item.cursor).count == 2 else {
      throw session.input.mismatch(at: cursor)
    }
    let relative = session.input.firstElement(of: item)
    let base = try decodeBase(from: session, at: session.input.skip(relative), path: path)
    return try url(.relative, at: relative, of: session.input, relativeTo: base)
  }

  private static func url(
    _ form: DecodingInput.URLForm, at cursor: CBORCursor, of input: DecodingInput, relativeTo base: URL? = nil
  ) throws -> URL {
    guard let url = try input.url(form, at: cursor, relativeTo: base) else { throw input.mismatch(at: cursor) }
    return url
  }

  /// Creates the URL with a text. The text may be empty, as that of `..` relative to `a`, which no initializer accepts.
  init(stored text: String, relativeTo base: URL? = nil) throws {
    let url = text.isEmpty ? URLComponents().url(relativeTo: base) : URL(string: text, relativeTo: base)
    guard let url else { throw ItemError.malformed("\(text.quoted) is not a URL.") }
    self = url
  }

  /// Decodes a base, which is named if it has a base of its own.
  private static func decodeBase(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> URL {
    let item = try session.input.item(at: cursor)
    let depth = try session.openReference(from: cursor, to: item.cursor)
    defer { session.closeReference(depth) }
    let named = try session.input.namedValue(item)
    return try decode(from: session, at: named?.name == tag ? named?.content ?? cursor : cursor, path: path)
  }
}

/// `URLComponents` are stored as the text of the whole if the text restores each component. Otherwise the fields of
/// their own `encode(to:)` are stored. Those fields contain the characters that percent escapes represent, so `/%2F`
/// would be read as `//`.
extension URLComponents: SpeciallyEncodable, SpeciallyDecodable {
  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    guard let text = string, URLComponents(string: text, encodingInvalidCharacters: false) == self else {
      return try session.encodePlainly(self, path)
    }
    session.write(text: text)
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> URLComponents {
    if let components = try session.input.components(at: cursor) { return components }
    let decoder = ValueDecoder(session: session, cursor: cursor, path: path())
    try validateParts(StoredFields(of: decoder))
    return try URLComponents(from: decoder)
  }

  /// Creates the components that were stored as a text.
  init(stored text: String) throws {
    guard let components = URLComponents(string: text, encodingInvalidCharacters: false) else {
      throw ItemError.malformed("\(text.quoted) is not a URL.")
    }
    self = components
  }

  /// Checks the parts that must have a certain form. The `init(from:)` of `URLComponents` uses setters that trap on
  /// invalid parts.
  private static func validateParts(_ fields: StoredFields) throws {
    let (scheme, port): (String?, Int?) = (try fields.valueIfPresent("scheme"), try fields.valueIfPresent("port"))
    if let port, port < 0 { throw ItemError.malformed("\(port) is not a valid port.") }
    if let scheme, !isScheme(scheme.utf8) { throw ItemError.malformed("\(scheme.quoted) is not a valid URL scheme.") }
  }

  /// Returns whether a text is a letter and any letters, digits and signs after it.
  /// Source: RFC 3986, section 3.1.
  private static func isScheme(_ text: String.UTF8View) -> Bool {
    // The bit distinguishes the letters of both cases.
    func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
    guard let first = text.first, isLetter(first) else { return false }
    return text.allSatisfy { byte in
      isLetter(byte) || byte.isDigit || "+-.".utf8.contains(byte)
    }
  }
}
