/// The stored fields that no code read, and that would be lost if the decoded value were written back. A field counts
/// as read if any container that was created for its object has a coding key for it.
final class UnreadFields {
  /// The objects that were read, by their offsets: their paths, and the names of their fields that were not read. An
  /// object to which defaults were added has no path until it is read.
  private var objects = SharedCodeDictionary<Int, (path: [any CodingKey]?, names: [String])>()
  /// The paths of fields that models did not read. Models accept any coding key, and find out themselves.
  private var ofModels = SharedCodeDictionary<String, Bool>()

  func note<Key: CodingKey>(_: Key.Type, readBy decoder: ValueDecoder) {
    note(readBy: decoder) { Key(stringValue: $0) != nil }
  }

  /// Records that a type reads the fields of an object whose names it knows.
  func note(readBy decoder: ValueDecoder, _ isKnown: (String) -> Bool) {
    let offset = decoder.fields.first.offset
    let names = objects[offset]?.names ?? decoder.allKeys(UnknownFieldKey.self).map(\.stringValue)
    var unknown: [String] = []
    for name in names where !isKnown(name) { unknown.append(name) }
    objects[offset] = (decoder.codingPath, unknown)
  }

  /// Records which fields of an object are stored. The others are defaults.
  func note(stored names: [String], ofObjectAt offset: Int) { objects[offset] = (nil, names) }

  func note(_ path: [any CodingKey]) { ofModels[path.pathDescription] = true }

  /// The paths of the fields, as messages show them.
  var paths: [String] {
    let offsets = objects.keys
    var paths: [String] = []
    for index in EncodingSession.order(of: offsets) {
      guard let object = objects[offsets[index]], let path = object.path else { continue }
      for name in object.names { paths.append((path + [AnyCodingKey(stringValue: name)]).pathDescription) }
    }
    let others = ofModels.keys
    return paths + EncodingSession.order(of: others).map { others[$0] }
  }
}
