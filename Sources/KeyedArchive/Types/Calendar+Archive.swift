import Foundation

/// Calendar: the fields of its own `encode(to:)`. Two are looked at first, because its own `init(from:)` traps on numbers that no
/// calendar has.
extension Calendar: SpeciallyDecodable {
  private struct Week: Decodable {
    var firstWeekday: Int?
    var minimumDaysInFirstWeek: Int?
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> Calendar {
    let decoder = ValueDecoder(session: session, cursor: cursor, path: path())
    let week = try Week(from: decoder)
    for case let number? in [week.firstWeekday, week.minimumDaysInFirstWeek] where Int32(exactly: number) == nil {
      throw ItemError.malformed("A calendar whose week has \(number) as a number of days.")
    }
    return try Calendar(from: decoder)
  }
}
