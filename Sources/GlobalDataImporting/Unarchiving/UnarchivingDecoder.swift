import GlobalData
import KeyedArchive
import ModelMapping

/// Shows an archived value to a type's `init(from:)`.
struct UnarchivingDecoder: Decoder {
  let session: UnarchivingSession
  let place: ArchivedPlace

  var codingPath: [any CodingKey] { place.path }
  var userInfo: [CodingUserInfoKey: Any] {
    [TypeRegistry.userInfoKey: session.registry, .reportCollector: session.collector]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let fields = try failing({ try session.fields(of: place) }) else {
      throw mismatch([String: Any].self)
    }
    return KeyedDecodingContainer(UnarchivingKeyedContainer<Key>(session: session, place: place, fields: fields))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = try failing({ try session.elements(of: place) }) else { throw mismatch([Any].self) }
    return UnarchivingUnkeyedContainer(session: session, place: place, elements: elements)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    UnarchivingSingleValueContainer(session: session, place: place)
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    guard place.node.isNull else { return session.mismatch(type, place) }
    return .valueNotFound(
      type, DecodingError.Context(codingPath: place.path, debugDescription: "expected \(type), but found null"))
  }
}

/// Makes a failure of the archive the error that a type's `init(from:)` expects.
func failing<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let failure as ImportFailure {
    throw failure.decodingError
  }
}
