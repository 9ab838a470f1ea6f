import CodingSupport

struct UnarchivingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let session: UnarchivingSession
  let place: ArchivedPlace
  let fields: ArchivedFields

  var codingPath: [any CodingKey] { place.path }

  var allKeys: [Key] {
    fields.names.compactMap { name in
      Key(stringValue: name)
        ?? (fields.className != nil && name.hasPrefix("_") ? Key(stringValue: String(name.dropFirst())) : nil)
    }
  }

  func contains(_ key: Key) -> Bool {
    reference(key) != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try child(key).node.isNull
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    let child = try child(key)
    return try failing { try UnarchivingSingleValueContainer(session: session, place: child).decode(type) }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try UnarchivingDecoder(session: session, place: child(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try UnarchivingDecoder(session: session, place: child(key)).unkeyedContainer()
  }

  /// The same object: a class and its superclasses archive their fields side by side.
  func superDecoder() throws -> any Decoder {
    UnarchivingDecoder(session: session, place: place)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    UnarchivingDecoder(session: session, place: contains(key) ? try child(key) : place)
  }

  private func reference(_ key: Key) -> PropertyListValue.Reference? {
    guard let field = fields.field(key.stringValue) else { return nil }
    if let className = fields.className { session.findings.noteRead(field.name, of: className) }
    return field.value
  }

  private func child(_ key: Key) throws -> ArchivedPlace {
    guard let reference = reference(key) else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: place.path,
          debugDescription: "\(place.node.kind) has no field \(key.stringValue.quoted), with or without a leading \"_\""
        ))
    }
    return try failing { try session.child(reference, key, of: place) }
  }
}
