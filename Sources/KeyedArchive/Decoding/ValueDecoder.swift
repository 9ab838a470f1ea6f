/// The `Decoder` that a type's `init(from:)` is given: one place in a session.
struct ValueDecoder: Decoder {
  let session: DecodingSession
  let cursor: CBORCursor
  let path: CodingPathNode?

  var codingPath: [any CodingKey] { path.keys }

  var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let map = try item { $0.head.major == .map } wanted: { [String: Any].self }
    return KeyedDecodingContainer(
      DecodingKeyedContainer(session: session, fields: try FieldCursor(session: session, map: map), path: path))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let item = try session.item(at: cursor)
    if item.head.major == .tag, CBORTag.typedArrays.contains(item.head.argument) {
      return try ValueDecoder(session: session.expanding(item), cursor: .start, path: path).unkeyedContainer()
    }
    if item.hasTag(CBORTag.set) {
      return try ValueDecoder(session: session, cursor: session.content(of: item), path: path).unkeyedContainer()
    }
    let array = try self.item { $0.head.major == .array } wanted: { [Any].self }
    return try DecodingUnkeyedContainer(session: session, array: array, path: path)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    DecodingSingleValueContainer(session: session, cursor: cursor, path: path)
  }

  private func item(
    _ isRight: (DecodingSession.Item) -> Bool, wanted: () -> Any.Type
  ) throws -> DecodingSession.Item {
    do {
      let item = try session.item(at: cursor)
      guard isRight(item) else { throw ItemError.mismatch(stored: try session.describe(cursor)) }
      return item
    } catch let error as ItemError {
      throw error.decodingError(wanted: wanted(), path: codingPath)
    } catch let error as CBORError {
      throw KeyedArchiveError(error, codingPath: codingPath)
    }
  }
}
