import Foundation

/// DateInterval: the fields of its own `encode(to:)`. The duration is looked at first, because no interval has a negative one.
extension DateInterval: SpeciallyDecodable {
  private struct Stored: Decodable {
    var start: Date
    var duration: TimeInterval
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> DateInterval {
    let stored = try Stored(from: ValueDecoder(session: session, cursor: cursor, path: path()))
    guard stored.duration >= 0 else { throw ItemError.malformed("A duration of \(stored.duration) seconds.") }
    return DateInterval(start: stored.start, duration: stored.duration)
  }
}
