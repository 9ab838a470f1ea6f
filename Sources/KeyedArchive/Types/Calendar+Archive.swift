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
      guard let number = try fields.intIfPresent(name), Int32(exactly: number) == nil else { continue }
      throw ItemError.malformed("The \(name) of a calendar cannot be \(number).")
    }
    return try Calendar(from: decoder)
  }
}
