/// A `Set` is stored as tag 258 around an array of its elements. They are sorted by their bytes, so that equal sets
/// have equal bytes.
/// Source: <https://github.com/input-output-hk/cbor-sets-spec/blob/master/CBOR_SETS.md>, the registration of tag 258.
extension Set: SpeciallyEncodable where Element: Encodable {
  static var isSelfDescribing: Bool { false }

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    let path = path()
    let traits = session.traits(of: Element.self)
    let order = try session.sortedIndices(of: self, by: { $0 }, then: { $0 }, path: { path })
    try session.write(tag: CBORTag.set) {
      try session.writeArray(count: count) {
        for (number, index) in order.enumerated() {
          try session.encode(self[index], knowing: traits) { session.path(path, AnyCodingKey(index: number)) }
        }
      }
    }
  }
}

extension Set: SpeciallyDecodable where Element: Decodable {
  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Self {
    let item = try session.input.item(at: cursor)
    guard item.hasTag(CBORTag.set) else { return Set(try [Element].decode(from: session, at: cursor, path: path)) }
    let elements = try [Element].decode(from: session, at: session.input.content(of: item), path: path)
    let set = Set(elements)
    guard set.count == elements.count else { throw ItemError.malformed("An element appears twice in one set.") }
    return set
  }
}
