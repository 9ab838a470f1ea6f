/// The decoder for a value that has the name of its type's single value. A type that stores any other form does not
/// match the archive, and gets an error when it requests a container.
final class SingleValueDecoder: Decoder {
  private let decoder: ValueDecoder
  let failure: any Error
  private(set) var isRead = false
  /// Whether the type has requested a container that the value does not have. The type may ignore the error.
  private(set) var isRefused = false

  init(_ decoder: ValueDecoder, failure: any Error) {
    self.decoder = decoder
    self.failure = failure
  }

  var codingPath: [any CodingKey] { decoder.codingPath }

  var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw refusal()
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refusal() }

  private func refusal() -> any Error {
    isRefused = true
    return failure
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    isRead = true
    return DecodingSingleValueContainer(decoder: decoder)
  }
}
