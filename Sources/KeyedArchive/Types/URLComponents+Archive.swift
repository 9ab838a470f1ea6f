import FoundationCore

/// `URLComponents` are stored as the text of the whole if the text restores each component. Otherwise the fields of
/// their own `encode(to:)` are stored. Those fields contain the characters that percent escapes represent, so `/%2F`
/// would be read as `//`.
extension URLComponents: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = false

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    guard let text = string, URLComponents(string: text, encodingInvalidCharacters: false) == self else {
      return try session.encodePlainly(self, path)
    }
    session.write(text: text)
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> URLComponents {
    guard let text = try session.input.textIfPresent(session.input.item(at: cursor)) else {
      let decoder = ValueDecoder(session: session, cursor: cursor, path: path())
      try validateParts(StoredFields(of: decoder))
      return try URLComponents(from: decoder)
    }
    guard let components = URLComponents(string: text, encodingInvalidCharacters: false) else {
      throw ItemError.malformed("\(text.quoted) is not a URL.")
    }
    return components
  }

  /// Checks the parts that must have a certain form. The `init(from:)` of `URLComponents` uses setters that trap on
  /// invalid parts.
  private static func validateParts(_ fields: StoredFields) throws {
    let (scheme, port) = (try fields.textIfPresent("scheme"), try fields.intIfPresent("port"))
    if let port, port < 0 { throw ItemError.malformed("\(port) is not a valid port.") }
    // Source: RFC 3986, section 3.1.
    guard let scheme else { return }
    var isFirst = true
    for byte in scheme.utf8 {
      let isValid =
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): !isFirst
        default: false
        }
      guard isValid else { throw ItemError.malformed("\(scheme.quoted) is not a valid URL scheme.") }
      isFirst = false
    }
    guard !isFirst else { throw ItemError.malformed("\(scheme.quoted) is not a valid URL scheme.") }
  }
}
