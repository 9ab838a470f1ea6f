/// A collection whose elements may have different types, which only the elements themselves know.
protocol MixedCollection {
  /// Encodes the elements one by one with their types. If the elements share one `Encodable` type, so that the
  /// collection can be stored as it is, returns `false` and writes nothing.
  func encodeMixed(into session: EncodingSession, path: () -> CodingPathNode) throws -> Bool
}

extension Array: MixedCollection {
  func encodeMixed(into session: EncodingSession, path: () -> CodingPathNode) throws -> Bool {
    guard !(Element.self is any Encodable.Type) else { return false }
    let path = path()
    try session.writeArray(count: count) {
      for (index, element) in enumerated() {
        try session.encodeDynamically(element) { session.path(path, AnyCodingKey(index: index)) }
      }
    }
    return true
  }
}

extension Dictionary: MixedCollection {
  func encodeMixed(into session: EncodingSession, path: () -> CodingPathNode) throws -> Bool {
    guard Key.self == String.self, !(Value.self is any Encodable.Type) else { return false }
    try encodeByText(into: session, path) { try session.encodeDynamically($0, path: $1) }
    return true
  }
}
