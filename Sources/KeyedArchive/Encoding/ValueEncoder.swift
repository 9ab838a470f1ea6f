/// The `Encoder` argument of a type's `encode(to:)`: one slot of a session.
struct ValueEncoder: Encoder {
  let session: EncodingSession
  let slot: EncodingSlot
  let path: CodingPathNode

  var codingPath: [any CodingKey] { session.keys(of: path) }

  var userInfo: [CodingUserInfoKey: Any] { session.shownUserInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let slot = session.output.openContainer(in: slot, keyed: true)
    let factory = session.containerFactories.find(Key.self) {
      EncodingContainerFactory<EncodingKeyedContainer<Key>>()
    }
    return factory.container(session, slot, path)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    EncodingUnkeyedContainer(session: session, slot: session.output.openContainer(in: slot, keyed: false), path: path)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    EncodingSingleValueContainer(session: session, slot: slot, path: path)
  }
}

extension ValueEncoder: TextFieldsEncoder {
  // The slot is that of the containers, too. If it could not become a map, the encoding fails at the end.
  package var textFields: NewTextFields { NewTextFields(session, in: slot.bits) }
}

extension EncodingSession: TextFieldsOutput {
  package func encode(_ text: String, named name: String, in slot: Int64) throws {
    try output.begin(in: EncodingSlot(bits: slot), key: name)
    write(text: text)
  }
}
