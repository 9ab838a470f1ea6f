import FoundationCore

/// A `Locale.Collation` is stored by its own `encode(to:)`, which writes the identifier. It is decoded here because its
/// own `init(from:)` creates a value that has the same identifier but is not equal.
extension Locale.Collation: SpeciallyDecodable {
  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Locale.Collation {
    Locale.Collation(try session.input.text(at: cursor))
  }
}
