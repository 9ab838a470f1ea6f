import CodingSupport
import GlobalData
import KeyedArchive

struct UnarchivingUnkeyedContainer: UnkeyedDecodingContainer {
  let session: UnarchivingSession
  let place: ArchivedPlace
  let elements: [PropertyListValue.Reference]
  private(set) var currentIndex = 0

  init(session: UnarchivingSession, place: ArchivedPlace, elements: [PropertyListValue.Reference]) {
    self.session = session
    self.place = place
    self.elements = elements
  }

  var codingPath: [any CodingKey] { place.path }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    let isNull = try child().node.isNull
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let child = try child()
    let value = try failing { try UnarchivingSingleValueContainer(session: session, place: child).decode(type) }
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let container = try UnarchivingDecoder(session: session, place: child()).container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try UnarchivingDecoder(session: session, place: child()).unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = UnarchivingDecoder(session: session, place: try child())
    currentIndex += 1
    return decoder
  }

  private func child() throws -> ArchivedPlace {
    let key = AnyCodingKey(index: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Any.self,
        DecodingError.Context(
          codingPath: place.path + [key],
          debugDescription: "it has only \(counted(elements.count, "element", "elements"))"))
    }
    return try failing { try session.child(elements[currentIndex], key, of: place) }
  }
}
