/// The decoder for a value that has the name of its type's single value. A type that stores any other form does not
/// match the archive, and gets an error when it requests a container.
final class SingleValueDecoder: Decoder {
  private let decoder: ValueDecoder
  let failure: any Error
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

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw failure }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    isRead = true
    return DecodingSingleValueContainer(decoder: decoder)
  }
}
