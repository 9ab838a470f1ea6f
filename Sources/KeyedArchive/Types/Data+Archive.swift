import FoundationCore

/// `Data` is stored as a byte string.
extension Data: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = true

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    withUnsafeBytes { session.write(bytes: $0) }
  }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> Data {
    var item = try session.input.item(at: cursor)
    if item.hasTag(NumberArrayFormat.bytes.tag) { item = try session.input.item(at: session.input.content(of: item)) }
    let data = try session.input.withBytes(of: item) { bytes in
      bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
    }
    guard let data else { throw session.input.mismatch(at: cursor) }
    return data
  }
}

/// A `UUID` is stored as tag 37 around its 16 bytes.
/// Source: the registration of tag 37, <https://github.com/lucas-clemente/cbor-specs/blob/master/uuid.md>.
extension UUID: SpeciallyEncodable, SpeciallyDecodable {
  static let isSelfDescribing = true

  func encode(into session: EncodingSession, path: () -> CodingPathNode) throws {
    try session.write(tag: CBORTag.uuid) {
      withUnsafeBytes(of: uuid) { session.write(bytes: $0) }
    }
  }

  static func decode(from session: DecodingSession, at cursor: CBORCursor, path: () -> CodingPathNode) throws -> UUID {
    try UUID(at: cursor, in: session.input)
  }

  init(at cursor: CBORCursor, in input: DecodingInput) throws {
    let item = try input.item(at: cursor)
    guard item.hasTag(CBORTag.uuid) else {
      // A property that used to be text.
      guard let text = try input.textIfPresent(item), let uuid = UUID(uuidString: text) else {
        throw input.mismatch(at: cursor)
      }
      self = uuid
      return
    }
    let content = try input.item(at: input.content(of: item))
    let uuid = try input.withBytes(of: content) { bytes -> uuid_t? in
      bytes.count == 16 ? bytes.loadUnaligned(as: uuid_t.self) : nil
    }
    guard let uuid, let uuid else { throw ItemError.malformed("A UUID must have 16 bytes.") }
    self.init(uuid: uuid)
  }
}
