import FoundationCore

/// A `TimeZone` is stored as the fields of its own `encode(to:)`. A fixed offset that is not a whole number of minutes
/// is stored as its seconds. The identifier of such an offset is rounded to minutes, and would be read as another time
/// zone.
extension TimeZone: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = false

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    let seconds = secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: 0))
    guard identifier.hasPrefix("GMT"), !seconds.isMultiple(of: 60) else {
      return try session.encodePlainly(self, path)
    }
    session.buffer.appendInteger(Int64(seconds))
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> TimeZone {
    let item = try session.input.item(at: cursor)
    guard item.head.major == .unsigned || item.head.major == .negative else {
      return try TimeZone(from: ValueDecoder(session: session, cursor: cursor, path: path()))
    }
    let seconds = try session.input.integer(Int.self, at: cursor)
    // Foundation's own limit is 18 hours. Foundation traps on the smallest integer.
    guard -64_800...64_800 ~= seconds, let timeZone = TimeZone(secondsFromGMT: seconds) else {
      throw ItemError.malformed("No time zone is \(seconds) seconds from GMT.")
    }
    return timeZone
  }
}
