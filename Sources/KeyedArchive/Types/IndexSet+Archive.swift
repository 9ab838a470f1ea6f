import Foundation

/// IndexSet: the fields of its own `encode(to:)`. They are read here: its `init(from:)` traps on ranges no set has.
extension IndexSet: SpeciallyDecodable {
  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> IndexSet {
    let fields = try StoredFields(["indexes"], of: ValueDecoder(session: session, cursor: cursor, path: path()))
    var spans = try fields.decoder("indexes").unkeyedContainer()
    var set = IndexSet()
    var least = 0
    while !spans.isAtEnd {
      let mark = session.pathMark
      defer { session.forgetPaths(since: mark) }
      guard let decoder = try spans.superDecoder() as? ValueDecoder else { break }  // there is no other type of them
      let span = try StoredFields(["location", "length"], of: decoder)
      let (location, length) = (try span.int("location"), try span.int("length"))
      // In ascending order, as they are written: Foundation also traps when it merges large ranges.
      let (end, isTooLarge) = location.addingReportingOverflow(length)
      guard location >= least, length > 0, !isTooLarge else {
        throw ItemError.malformed("\(length) indices from \(location) on, behind those below \(least).")
      }
      set.insert(integersIn: location..<end)
      least = end
    }
    return set
  }
}
