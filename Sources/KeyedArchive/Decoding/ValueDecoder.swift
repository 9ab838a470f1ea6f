/// The `Decoder` that a type's `init(from:)` is given: one place in a session.
struct ValueDecoder: Decoder {
  let session: DecodingSession
  let cursor: CBORCursor
  let path: CodingPathNode

  var codingPath: [any CodingKey] { session.keys(of: path) }

  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(DecodingKeyedContainer(fields: try fields()))
  }

  private func fields() throws -> FieldCursor {
    try locatingErrors(wanted: [String: Any].self) {
      try FieldCursor(session: session, map: item(.map), path: path)
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try locatingErrors(wanted: [Any].self) {
      let item = try session.item(at: cursor)
      if item.head.major == .tag, CBORTag.typedArrays.contains(item.head.argument) {
        return try ValueDecoder(session: session.expanding(item), cursor: .start, path: path).unkeyedContainer()
      }
      if item.hasTag(CBORTag.set) {
        return try ValueDecoder(session: session, cursor: session.content(of: item), path: path).unkeyedContainer()
      }
      let array = try self.item(.array)
      return try DecodingUnkeyedContainer(session: session, array: array, path: path)
    }
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    DecodingSingleValueContainer(session: session, cursor: cursor, path: path)
  }

  private func item(_ major: CBORHead.Major) throws -> DecodingSession.Item {
    let item = try session.item(at: cursor)
    guard item.head.major == major else { throw ItemError.mismatch(stored: try session.describe(cursor)) }
    return item
  }

  private func locatingErrors<Container>(
    wanted type: Any.Type, _ body: () throws -> Container
  ) throws -> Container {
    do {
      return try body()
    } catch let error as ItemError {
      throw error.decodingError(wanted: type, path: codingPath)
    } catch let error as CBORError {
      throw KeyedArchiveError(error, codingPath: codingPath)
    }
  }
}
