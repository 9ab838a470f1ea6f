/// Makes keyed containers with keys of one type.
///
/// The runtime looks up a generic type and its conformances at every use, which costs more than reading a field. The
/// object of ``FieldContainerMaker`` has them at hand, as arguments of its own class. A session makes one for each type
/// of key.
class KeyedDecodingContainerMaker<Key: CodingKey> {
  func container(of _: ValueDecoder) -> KeyedDecodingContainer<Key> {
    preconditionFailure("only the subclass is used")
  }
}

/// A keyed container over the fields of a decoder. ``DecodingKeyedContainer`` is the only one.
protocol FieldContainer: KeyedDecodingContainerProtocol {
  init(decoder: ValueDecoder)
}

private final class FieldContainerMaker<Container: FieldContainer>: KeyedDecodingContainerMaker<Container.Key> {
  override func container(of decoder: ValueDecoder) -> KeyedDecodingContainer<Container.Key> {
    KeyedDecodingContainer(Container(decoder: decoder))
  }
}

extension DecodingSession {
  /// The keyed container over the fields of a decoder.
  func keyedContainer<Key: CodingKey>(keyedBy type: Key.Type, of decoder: ValueDecoder) -> KeyedDecodingContainer<Key> {
    if containersMade < DecodingSession.containersWithoutMaker {
      containersMade += 1
      unreadFields?.note(type, readBy: decoder)
      return KeyedDecodingContainer(DecodingKeyedContainer<Key>(decoder: decoder))
    }
    // What the table holds for a type of key was made for it.
    return unsafeDowncast(containerMaker(for: type), to: KeyedDecodingContainerMaker<Key>.self).container(of: decoder)
  }

  /// Notes from now on which fields are not read.
  func note(in unreadFields: UnreadFields) {
    self.unreadFields = unreadFields
    // So that each container passes by where it is noted, which costs nothing otherwise.
    containersMade = .min
  }

  /// For a record or two, making the makers would cost more than they save.
  private static var containersWithoutMaker: Int { 4 }

  @inline(__always)
  private func containerMaker<Key: CodingKey>(for type: Key.Type) -> AnyObject {
    containerMakers.find(type) ?? newContainerMaker(for: type)
  }

  @inline(never)
  private func newContainerMaker<Key: CodingKey>(for type: Key.Type) -> AnyObject {
    let maker = FieldContainerMaker<DecodingKeyedContainer<Key>>()
    containerMakers.insert(maker, for: type)
    return maker
  }
}
