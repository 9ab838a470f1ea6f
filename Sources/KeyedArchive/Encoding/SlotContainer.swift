/// Makes keyed containers with keys of one type: the counterpart of ``KeyedDecodingContainerMaker``, for the same reason.
class KeyedEncodingContainerMaker<Key: CodingKey> {
  func container(
    session _: EncodingSession, slot _: EncodingSession.Slot, path _: CodingPathNode
  ) -> KeyedEncodingContainer<Key> {
    preconditionFailure("only the subclass is used")
  }
}

/// A keyed container over a slot. ``EncodingKeyedContainer`` is the only one.
protocol SlotContainer: KeyedEncodingContainerProtocol {
  init(session: EncodingSession, slot: EncodingSession.Slot, path: CodingPathNode)
}

private final class SlotContainerMaker<Container: SlotContainer>: KeyedEncodingContainerMaker<Container.Key> {
  override func container(
    session: EncodingSession, slot: EncodingSession.Slot, path: CodingPathNode
  ) -> KeyedEncodingContainer<Container.Key> {
    KeyedEncodingContainer(Container(session: session, slot: slot, path: path))
  }
}

extension EncodingSession {
  /// The keyed container over a slot.
  func keyedContainer<Key: CodingKey>(
    keyedBy type: Key.Type, in slot: Slot, path: CodingPathNode
  ) -> KeyedEncodingContainer<Key> {
    if containersMade < EncodingSession.containersWithoutMaker {
      containersMade += 1
      return KeyedEncodingContainer(EncodingKeyedContainer<Key>(session: self, slot: slot, path: path))
    }
    // What the table holds for a type of key was made for it.
    return unsafeDowncast(containerMaker(for: type), to: KeyedEncodingContainerMaker<Key>.self)
      .container(session: self, slot: slot, path: path)
  }

  /// For a record or two, making the makers would cost more than they save.
  private static var containersWithoutMaker: Int { 4 }

  @inline(__always)
  private func containerMaker<Key: CodingKey>(for type: Key.Type) -> AnyObject {
    containerMakers.find(type) ?? newContainerMaker(for: type)
  }

  @inline(never)
  private func newContainerMaker<Key: CodingKey>(for type: Key.Type) -> AnyObject {
    let maker = SlotContainerMaker<EncodingKeyedContainer<Key>>()
    containerMakers.insert(maker, for: type)
    return maker
  }
}
