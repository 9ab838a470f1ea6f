import FoundationCore

/// URL: tag 32 around its text; a URL relative to another one is named `URL` and holds `[relative, base]`.
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
      return try session.input.url(ofTextAt: session.input.content(of: item)) { try url(of: $0) }
    }
    // A property that was text before: it is a URL where nothing of it has to be escaped or left out.
    if let text = try session.input.textIfPresent(item), let url = URL(string: text),
      url.relativeString.hasSameBytes(as: text)
    {
      return url
    }
    guard item.head.major == .array, try session.input.container(at: item.cursor).count == 2 else {
      throw ItemError.mismatch(stored: try session.input.describe(cursor))
    }
    let relative = session.input.firstElement(of: item)
    let text = try session.input.plainText(at: relative)
    // No text relative to a base is that long, and each is parsed anew, also where it is a reference of four bytes.
    if text.utf8.count > 1024 { try session.input.chargeRepetition(of: text.utf8.count) }
    let base = try decodeBase(from: session, at: session.input.skip(relative), path: path)
    return try url(of: text, relativeTo: base)
  }

  /// The URL with a text, which may be empty: `..` relative to `a` is such a one, though no initializer takes its text.
  private static func url(of text: String, relativeTo base: URL? = nil) throws -> URL {
    let url = text.isEmpty ? URLComponents().url(relativeTo: base) : URL(string: text, relativeTo: base)
    guard let url else { throw ItemError.malformed("\(text.quoted) is not a URL.") }
    return url
  }

  /// A base, which is named if it has a base of its own.
  private static func decodeBase(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> URL {
    let named = try session.input.namedValue(session.input.item(at: cursor))
    return try decode(from: session, at: named?.name == tag ? named?.content ?? cursor : cursor, path: path)
  }
}
