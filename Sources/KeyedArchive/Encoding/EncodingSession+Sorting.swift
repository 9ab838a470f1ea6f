import Foundation

extension EncodingSession {
  /// The elements of an unordered collection in an order that depends on their contents only.
  ///
  /// Text is sorted as text and integers by value. Other keys are sorted by the bytes that each is encoded to on its
  /// own, which costs one further encoding of the keys.
  func sorted<Elements: Collection, Key: Encodable>(
    _ elements: Elements, by key: (Elements.Element) -> Key, path: () -> CodingPathNode?
  ) throws -> [Elements.Element] {
    guard elements.count > 1 else { return Array(elements) }
    if Key.self == String.self {
      return elements.map { (identityCast(key($0), to: String.self) ?? "", $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    if Key.self == Int.self {
      return elements.map { (identityCast(key($0), to: Int.self) ?? 0, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
    let path = path()
    return
      try elements
      .map { (bytes: try encodedAlone(key($0), path), element: $0) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      .map(\.element)
  }

  private func encodedAlone(_ value: some Encodable, _ path: CodingPathNode?) throws -> Data {
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
