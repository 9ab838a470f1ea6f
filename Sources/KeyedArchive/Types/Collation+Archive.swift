import FoundationCore

/// Locale.Collation: its own `encode(to:)` writes the identifier. It is read here, because its own `init(from:)` makes
/// another value of it, which has the same identifier but is not equal.
extension Locale.Collation: SpeciallyDecodable {
  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Locale.Collation {
    Locale.Collation(try session.input.text(at: cursor))
  }
}
