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
    guard let data else { throw ItemError.mismatch(stored: try session.input.describe(cursor)) }
    return data
  }
}
