import FoundationCore

/// A `DateInterval` is stored as the fields of its own `encode(to:)`. The duration is checked first, because it cannot
/// be negative.
extension DateInterval: SpeciallyDecodable {
  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> DateInterval {
    let decoder = ValueDecoder(session: session, cursor: cursor, path: path())
    let fields = try StoredFields(["start", "duration"], of: decoder)
    let start: Date = try fields.value("start")
    let duration = try fields.double("duration")
    guard duration >= 0 else {
      throw ItemError.malformed("A date interval cannot have a duration of \(duration) seconds.")
    }
    return DateInterval(start: start, duration: duration)
  }
}
