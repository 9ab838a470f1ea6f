import Foundation

/// IndexSet: the fields of its own `encode(to:)`. They are read here, because its own `init(from:)` traps on ranges that no set has.
extension IndexSet: SpeciallyDecodable {
  private struct Stored: Decodable {
    struct Span: Decodable {
      var location: Int
      var length: Int
    }

    var indexes: [Span]
  }

  static func decode(
    from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode
  ) throws -> IndexSet {
    let stored = try Stored(from: ValueDecoder(session: session, cursor: cursor, path: path()))
    var set = IndexSet()
    var least = 0
    for span in stored.indexes {
      // In ascending order, as they are written: Foundation also traps when it merges large ranges.
      let (end, isTooLarge) = span.location.addingReportingOverflow(span.length)
      guard span.location >= least, span.length > 0, !isTooLarge else {
        throw ItemError.malformed("\(span.length) indices from \(span.location) on, behind those below \(least).")
      }
      set.insert(integersIn: span.location..<end)
      least = end
    }
    return set
  }
}
