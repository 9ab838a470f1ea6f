/// The stored fields that nobody asked for: those that would be lost if what was read were written back. A field counts
/// as read when one of the containers that were made for its object has a coding key for it.
final class UnreadFields {
  private struct Object {
    let path: [any CodingKey]
    var names: [String]
  }

  /// By the offsets of the objects.
  private var objects: [Int: Object] = .init()

  func note<Key: CodingKey>(_: Key.Type, readBy decoder: ValueDecoder) {
    note(readBy: decoder) { Key(stringValue: $0) != nil }
  }

  /// Records that a type reads those fields of an object whose names it knows.
  func note(readBy decoder: ValueDecoder, _ isKnown: (String) -> Bool) {
    let place = decoder.fields.first.offset
    let names = objects[place]?.names ?? decoder.allKeys(UnknownFieldKey.self).map(\.stringValue)
    objects[place] = Object(path: decoder.codingPath, names: names.filter { !isKnown($0) })
  }

  /// The paths of the fields, as they are written in messages.
  var paths: [String] {
    let places = Array(objects.keys)
    return EncodingSession.order(of: places).flatMap { index in
      guard let object = objects[places[index]] else { return [String]() }
      return object.names.map { (object.path + [AnyCodingKey(stringValue: $0)]).pathDescription }
    }
  }
}
