import FoundationCore

/// A `Calendar` is stored as the fields of its own `encode(to:)`. Two of them are checked first, because its own
/// `init(from:)` traps on numbers that no calendar has.
extension Calendar: SpeciallyDecodable {
  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Calendar {
    let decoder = ValueDecoder(session: session, cursor: cursor, path: path())
    let fields = try StoredFields(of: decoder)
    for name in ["firstWeekday", "minimumDaysInFirstWeek"] {
      guard let number: Int = try fields.valueIfPresent(name), Int32(exactly: number) == nil else { continue }
      throw ItemError.malformed("The \(name) of a calendar cannot be \(number).")
    }
    return try Calendar(from: decoder)
  }
}

/// A `TimeZone` is stored as the fields of its own `encode(to:)`. A fixed offset that is not a whole number of minutes
/// is stored as its seconds. The identifier of such an offset is rounded to minutes, and would be read as another time
/// zone.
extension TimeZone: SpeciallyEncodable, SpeciallyDecodable {
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

/// A `DateInterval` is stored as the fields of its own `encode(to:)`. The duration is checked first, because it cannot
/// be negative.
extension DateInterval: SpeciallyDecodable {
  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> DateInterval {
    let decoder = ValueDecoder(session: session, cursor: cursor, path: path())
    let fields = try StoredFields(["start", "duration"], of: decoder)
    let start: Date = try fields.value("start")
    let duration: Double = try fields.value("duration")
    guard duration >= 0 else {
      throw ItemError.malformed("A date interval cannot have a duration of \(duration) seconds.")
    }
    return DateInterval(start: start, duration: duration)
  }
}

/// A `Locale.Collation` is stored by its own `encode(to:)`, which writes the identifier. It is decoded here because its
/// own `init(from:)` creates a value that has the same identifier but is not equal.
extension Locale.Collation: SpeciallyDecodable {
  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Locale.Collation {
    Locale.Collation(try session.input.text(at: cursor))
  }
}
