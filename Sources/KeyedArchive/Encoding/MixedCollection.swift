/// A collection whose elements may be of types that only each element itself knows.
protocol MixedCollection {
  /// Encodes the elements one by one with their types; returns false, having written nothing, when the elements share
  /// one `Encodable` type and the collection can be stored as what it is.
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
    let path = path()
    let texts = sortedByBytes(keys.map { identityCast($0, to: String.self) ?? "" })
    try session.writeMap(count: count) {
      for text in texts {
        guard let key = identityCast(text, to: Key.self), let value = self[key] else { continue }
        session.write(text: text)
        try session.encodeDynamically(value) { session.path(path, AnyCodingKey(stringValue: text)) }
      }
    }
    return true
  }
}

/// Sorted here, where nothing is generic: moving boxed values about takes longer than encoding them.
private func sortedByBytes(_ keys: [String]) -> [String] {
  keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}
