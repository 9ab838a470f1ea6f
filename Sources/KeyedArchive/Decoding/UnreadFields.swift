/// The stored fields that nobody asked for: those that would be lost if what was read were written back. A field counts
/// as read when one of the containers that were made for its object has a coding key for it.
final class UnreadFields {
  private final class Object {
    let path: [any CodingKey]
    var names: [String]

    init(path: [any CodingKey], names: [String]) {
      self.path = path
      self.names = names
    }
  }

  /// By the offsets of the objects.
  private var objects = SharedCodeDictionary<Int, Object>()

  func note<Key: CodingKey>(_: Key.Type, readBy decoder: ValueDecoder) {
    note(readBy: decoder) { Key(stringValue: $0) != nil }
  }

  /// Records that a type reads those fields of an object whose names it knows.
  func note(readBy decoder: ValueDecoder, _ isKnown: (String) -> Bool) {
    let place = decoder.fields.first.offset
    let names = objects[place]?.names ?? decoder.allKeys(UnknownFieldKey.self).map(\.stringValue)
    var unknown: [String] = []
    for name in names where !isKnown(name) { unknown.append(name) }
    objects[place] = Object(path: decoder.codingPath, names: unknown)
  }

  /// The paths of the fields, as they are written in messages.
  var paths: [String] {
    let places = objects.keys
    var paths: [String] = []
    for index in EncodingSession.order(of: places) {
      guard let object = objects[places[index]] else { continue }
      for name in object.names { paths.append((object.path + [AnyCodingKey(stringValue: name)]).pathDescription) }
    }
    return paths
  }
}
