/// The decoder of a value that has the name of another type: that of the single value which its own type may store.
///
/// A type that stores anything else is not what the archive holds, so it gets an error when it asks for a container.
final class SingleValueDecoder: Decoder {
  private let decoder: ValueDecoder
  /// What is thrown to a type that does not read a single value.
  let failure: any Error
  /// Whether the type asked for a single value.
  private(set) var isRead = false

  init(_ decoder: ValueDecoder, failure: any Error) {
    self.decoder = decoder
    self.failure = failure
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw failure
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw failure
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    isRead = true
    return DecodingSingleValueContainer(decoder: decoder)
  }
}
