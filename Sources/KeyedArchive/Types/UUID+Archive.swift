import Foundation

/// UUID: tag 37 around its 16 bytes.
///
/// Source: the registration of tag 37, <https://github.com/lucas-clemente/cbor-specs/blob/master/uuid.md>.
extension UUID: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = true

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    try session.write(tag: CBORTag.uuid) {
      withUnsafeBytes(of: uuid) { session.write(bytes: $0) }
    }
  }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> UUID {
    let item = try session.item(at: cursor)
    // A property that was text before.
    if let text = try session.textIfPresent(item), let uuid = UUID(uuidString: text) { return uuid }
    guard item.hasTag(CBORTag.uuid) else { throw ItemError.mismatch(stored: try session.describe(cursor)) }
    let content = try session.item(at: session.content(of: item))
    let uuid = try session.withBytes(of: content) { bytes -> uuid_t? in
      bytes.count == 16 ? bytes.loadUnaligned(as: uuid_t.self) : nil
    }
    guard let uuid, let uuid else { throw ItemError.malformed("A UUID that does not have 16 bytes.") }
    return UUID(uuid: uuid)
  }
}
