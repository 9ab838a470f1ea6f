/// Optional: null or the value itself.
///
/// Where the wrapped type is optional too, an inner `nil` would look like an outer one; it is named `Optional`, once for
/// each level around it.
extension Optional: SpeciallyEncodable where Wrapped: Encodable {
  static var isSelfDescribing: Bool { false }

  func encode(into session: EncodingSession, path: () -> CodingPathNode?) throws {
    guard let wrapped = self else { return session.buffer.appendNull() }
    if let inner = wrapped as? any OptionalType, inner.isNilAtSomeLevel {
      try session.write(typeName: OptionalName.tag, version: 1) { try session.encode(wrapped, path: path) }
    } else {
      try session.encode(wrapped, path: path)
    }
  }
}

extension Optional: SpeciallyDecodable where Wrapped: Decodable {
  static var readsNames: Bool { true }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode?) throws -> Self {
    let item = try session.item(at: cursor)
    if item.isNull { return nil }
    guard item.head.major == .tag, let named = try session.namedValue(item), named.name == OptionalName.tag else {
      return .some(try session.decode(Wrapped.self, at: cursor, path: path))
    }
    if try session.item(at: named.content).isNull, !(Wrapped.self is any OptionalType.Type) { return nil }
    return .some(try session.decode(Wrapped.self, at: named.content, path: path))
  }
}

private enum OptionalName {
  static let tag: ArchiveTag = "Optional"
}

/// An optional whose wrapped type is not known statically.
protocol OptionalType {
  /// Whether it is `nil`, or wraps an optional that is.
  var isNilAtSomeLevel: Bool { get }
}

extension Optional: OptionalType {
  var isNilAtSomeLevel: Bool {
    guard let wrapped = self else { return true }
    return (wrapped as? any OptionalType)?.isNilAtSomeLevel ?? false
  }
}
