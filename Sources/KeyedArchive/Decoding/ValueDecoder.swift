/// The `Decoder` argument of a type's `init(from:)`: one position in a session, and the fields of the map there.
///
/// The decoder is an object because the standard library copies decoders and their containers frequently, and each copy
/// is then one reference. Creating a decoder costs as much as reading several fields. A session therefore reuses the
/// decoders that only it refers to. See ``DecodingSession/decodePlainly(_:at:path:)``. A decoder that a type has kept
/// does not move.
package final class ValueDecoder: Decoder {
  let session: DecodingSession
  /// The session's input. Loading it from the session would cost a reference count operation for each field.
  let input: DecodingInput
  // The run-time check for conflicting accesses is disabled. A function that changes one of these properties makes no
  // call that could return to the same decoder, because sessions do not know which decoders are in use.
  @exclusivity(unchecked) private(set) var cursor: CBORCursor
  @exclusivity(unchecked) private(set) var path: CodingPathNode
  @exclusivity(unchecked) var fields = FieldCursor()
  /// The cursors at the values of a large map, created when a field is requested out of order.
  @exclusivity(unchecked) var fieldsByName: [ExactText: CBORCursor]?
  /// The decoder of the last requested nested container, kept for reuse.
  @exclusivity(unchecked) private var nested: ValueDecoder?

  init(session: DecodingSession, cursor: CBORCursor, path: CodingPathNode) {
    self.session = session
    input = session.input
    self.cursor = cursor
    self.path = path
  }

  /// Moves to another item. No other reference to this decoder may exist.
  func move(to cursor: CBORCursor, path: CodingPathNode) {
    self.cursor = cursor
    self.path = path
  }

  /// Returns a decoder for a part of this decoder's value. It lives as long as the containers that are created from it.
  func part(at cursor: CBORCursor, path: CodingPathNode) -> ValueDecoder {
    if isKnownUniquelyReferenced(&nested), let nested {
      nested.move(to: cursor, path: path)
      return nested
    }
    let decoder = ValueDecoder(session: session, cursor: cursor, path: path)
    nested = decoder
    return decoder
  }

  package var codingPath: [any CodingKey] { session.keys(of: path) }

  package var userInfo: [CodingUserInfoKey: Any] { session.shownUserInfo }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    try openFields()
    return keyedContainer(type)
  }

  func openFields() throws {
    do {
      fields = try FieldCursor(map: item(.map), in: input)
      if fieldsByName != nil { fieldsByName = nil }
    } catch {
      throw located(error, wanted: [String: Any].self)
    }
  }

  func keyedContainer<Key: CodingKey>(_ type: Key.Type) -> KeyedDecodingContainer<Key> {
    session.unreadFields?.note(type, readBy: self)
    let factory = session.containerFactories.find(Key.self) {
      DecodingContainerFactory<DecodingKeyedContainer<Key>>()
    }
    return factory.container(self)
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    do {
      let item = try input.item(at: cursor)
      if item.head.major == .tag, CBORTag.typedArrays.contains(item.head.argument) {
        return try ValueDecoder(session: session.expanding(item), cursor: .start, path: path).unkeyedContainer()
      }
      if item.hasTag(CBORTag.set) {
        return try ValueDecoder(session: session, cursor: input.content(of: item), path: path).unkeyedContainer()
      }
      return try DecodingUnkeyedContainer(session: session, array: self.item(.array), path: path)
    } catch {
      throw located(error, wanted: [Any].self)
    }
  }

  package func singleValueContainer() throws -> any SingleValueDecodingContainer {
    DecodingSingleValueContainer(decoder: self)
  }

  private func item(_ major: CBORHead.Major) throws -> StoredItem {
    let item = try input.item(at: cursor)
    guard item.head.major == major else { throw input.mismatch(at: cursor) }
    return item
  }

  /// Moves to the content under a value's name, if it has one. This is for nested containers only: they name no type,
  /// so the value can have any.
  @inline(never) func enterName() throws {
    do {
      if let named = try input.namedValue(input.item(at: cursor)) { cursor = named.content }
    } catch {
      throw located(error, wanted: (any Decoder).self)
    }
  }

  func located(_ error: any Error, wanted type: Any.Type) -> any Error {
    publicError(error, wanted: type, codingPath)
  }
}
