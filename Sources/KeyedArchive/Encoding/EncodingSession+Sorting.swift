import Foundation

extension EncodingSession {
  /// The places of the elements of an unordered collection, in an order that depends on their contents only.
  ///
  /// Text is sorted as text and integers by value. Other keys are sorted by the bytes that each is encoded to on its
  /// own, which costs one further encoding of the keys. Places are sorted instead of elements, because those may be
  /// large.
  func sortedIndices<Elements: Collection, Key: Encodable>(
    of elements: Elements, by key: (Elements.Element) -> Key, path: () -> CodingPathNode
  ) throws -> [Elements.Index] {
    guard elements.count > 1 else { return Array(elements.indices) }
    if Key.self == String.self {
      return sortedIndices(of: elements) { identityCast(key($0), to: String.self) ?? "" }
    }
    if Key.self == Int.self {
      return sortedIndices(of: elements) { identityCast(key($0), to: Int.self) ?? 0 }
    }
    let path = path()
    return
      try elements.indices
      .map { (bytes: try encodedAlone(key(elements[$0]), path), index: $0) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      .map { $0.index }
  }

  private func sortedIndices<Elements: Collection, Key: Comparable>(
    of elements: Elements, by key: (Elements.Element) -> Key
  ) -> [Elements.Index] {
    elements.indices.map { (key: key(elements[$0]), index: $0) }.sorted { $0.key < $1.key }.map { $0.index }
  }

  private func encodedAlone(_ value: some Encodable, _ path: CodingPathNode) throws -> Data {
    for isDeferred in [false, true] {
      let session = EncodingSession(sortingFor: self, isDeferred: isDeferred)
      do {
        defer { needsDeepStack = needsDeepStack || session.needsDeepStack }
        try session.encode(value) { path }
        if isDeferred || !session.needsDeferral { return try session.finish() }
      } catch {
        guard session.needsDeferral, !isDeferred, !session.needsDeepStack else { throw error }
      }
    }
    return Data()
  }
}
