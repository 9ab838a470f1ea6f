/// The decoder for a value that has the name of its type's single value. A type that stores any other form does not
/// match the archive, and gets an error when it requests a container.
final class SingleValueDecoder: Decoder {
  private let decoder: ValueDecoder
  let failure: any Error
  private(set) var use = Use.nothing

  enum Use {
    case nothing
    /// The type asked for a container that the value does not have. It may ignore the error.
    case otherContainer
    case singleValue
  }

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
    if use == .nothing { use = .otherContainer }
    return failure
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    use = .singleValue
    return DecodingSingleValueContainer(decoder: decoder)
  }
}
