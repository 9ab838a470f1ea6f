/// The factories of keyed containers that a session used last, by the types of the keys.
///
/// A container is generic over its keys. Whenever a value requests a container, the runtime would look up the
/// container's type and its conformance, which takes as long as two fields. The type of a factory contains both.
struct ContainerFactories: ~Copyable {
  private typealias Row = (keys: ObjectIdentifier, factory: AnyObject)

  /// The rows, by a hash of the type of the keys. A type replaces another one that has the same hash.
  private var rows = ContiguousArray<Row?>()

  /// Returns the factory for certain keys, which is created if it is not known. All factories of a table that are for
  /// the same type of keys must have the same type.
  @inline(__always)
  mutating func find<Factory: AnyObject>(_ keys: Any.Type, orCreate create: () -> Factory) -> Factory {
    let keys = ObjectIdentifier(keys)
    // The addresses of types are multiples of at least eight, so their low bits contain no information.
    let index = Int(bitPattern: keys) &>> 4 & 15
    // A cast would look up the type of the factory, which was created for the same type of keys.
    if index < rows.count, let row = rows[index], row.keys == keys {
      return unsafeDowncast(row.factory, to: Factory.self)
    }
    let factory = create()
    insert((keys, factory), at: index)
    return factory
  }

  @inline(never)
  private mutating func insert(_ row: Row, at index: Int) {
    if rows.isEmpty { rows = ContiguousArray(repeating: nil, count: 16) }
    rows[index] = row
  }
}

// The functions of the factories are not specialized: the generic function gets the container's type from the factory's
// own type, and a specialized copy would look it up.

/// Creates keyed containers of an encoding.
final class EncodingContainerFactory<Container: SessionEncodingContainer> {
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  func container(
    _ session: EncodingSession, _ slot: EncodingSlot, _ path: CodingPathNode
  ) -> KeyedEncodingContainer<Container.Key> {
    KeyedEncodingContainer(Container(session: session, slot: slot, path: path))
  }
}

/// A keyed container that a factory can create.
protocol SessionEncodingContainer: KeyedEncodingContainerProtocol {
  init(session: EncodingSession, slot: EncodingSlot, path: CodingPathNode)
}

extension EncodingKeyedContainer: SessionEncodingContainer {}

/// Creates keyed containers of a decoding.
final class DecodingContainerFactory<Container: SessionDecodingContainer> {
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  func container(_ decoder: ValueDecoder) -> KeyedDecodingContainer<Container.Key> {
    KeyedDecodingContainer(Container(decoder: decoder))
  }
}

/// A keyed container that a factory can create.
protocol SessionDecodingContainer: KeyedDecodingContainerProtocol {
  init(decoder: ValueDecoder)
}

extension DecodingKeyedContainer: SessionDecodingContainer {}
