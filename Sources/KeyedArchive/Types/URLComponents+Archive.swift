import Foundation

/// URLComponents: the text of the whole where that gives back each component, else the fields of its own `encode(to:)`.
///
/// Those fields hold what percent escapes stand for, so that `/%2F` would read as `//`.
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
    guard let text = try session.textIfPresent(session.item(at: cursor)) else {
      return try URLComponents(from: ValueDecoder(session: session, cursor: cursor, path: path()))
    }
    guard let components = URLComponents(string: text, encodingInvalidCharacters: false) else {
      throw ItemError.malformed("\"\(text)\" is not a URL.")
    }
    return components
  }
}
