/// The factories of keyed containers that an encoding used last, by the types of the keys.
///
/// A container is generic over its keys. Whenever a value requests a container, the runtime would look up the
/// container's type and its conformance, which takes as long as two fields. The type of a factory contains both.
struct ContainerFactories {
  private struct Row {
    let keys: ObjectIdentifier
    let factory: AnyObject
  }

  /// The rows, by a hash of the type of the keys. A type replaces another one that has the same hash.
  private var rows = ContiguousArray<Row?>()

  /// Returns the factory of the containers with certain keys.
  mutating func find<Key: CodingKey>(_: Key.Type) -> ContainerFactory<Key> {
    let keys = ObjectIdentifier(Key.self)
    // The addresses of types are multiples of at least eight, so their low bits contain no information.
    let index = Int(bitPattern: keys) >> 4 & 15
    // A cast would look up the type of the factory, which was created for the same type of keys.
    if index < rows.count, let row = rows[index], row.keys == keys {
      return unsafeDowncast(row.factory, to: ContainerFactory<Key>.self)
    }
    if rows.isEmpty { rows = ContiguousArray(repeating: nil, count: 16) }
    let factory = KnownContainerFactory<EncodingKeyedContainer<Key>>()
    rows[index] = Row(keys: keys, factory: factory)
    return factory
  }
}

/// Creates keyed containers.
class ContainerFactory<Key: CodingKey> {
  func container(
    _ session: EncodingSession, _ slot: EncodingSlot, _ path: CodingPathNode
  ) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(EncodingKeyedContainer<Key>(session: session, slot: slot, path: path))
  }
}

/// Creates keyed containers of a type that need not be looked up.
private final class KnownContainerFactory<Container: SessionContainer>: ContainerFactory<Container.Key> {
  override func container(
    _ session: EncodingSession, _ slot: EncodingSlot, _ path: CodingPathNode
  ) -> KeyedEncodingContainer<Container.Key> {
    KeyedEncodingContainer(Container(session: session, slot: slot, path: path))
  }
}

/// A keyed container that a factory can create.
private protocol SessionContainer: KeyedEncodingContainerProtocol {
  init(session: EncodingSession, slot: EncodingSlot, path: CodingPathNode)
}

extension EncodingKeyedContainer: SessionContainer {}
