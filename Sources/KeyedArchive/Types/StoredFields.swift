/// The fields of a stored object, read by name. If they were read with coding keys, every program would contain a key
/// type for each rare type of Foundation.
package final class StoredFields {
  private let fields: DecodingKeyedContainer<AnyCodingKey>
  /// The same fields in the standard library's box. Its calls are dynamic, so no code is generated for each type.
  private let container: KeyedDecodingContainer<AnyCodingKey>

  /// Opens the map in which a decoder's value is stored. The names are those of all fields that are read. There are
  /// none if a type's own `init(from:)` reads the fields, too.
  package init(_ names: [String] = [], of decoder: ValueDecoder) throws {
    try decoder.openFields()
    if !names.isEmpty { decoder.session.unreadFields?.note(readBy: decoder) { names.contains($0) } }
    fields = DecodingKeyedContainer(decoder: decoder)
    container = KeyedDecodingContainer(fields)
  }

  package func value<Value: Decodable>(_ name: String) throws -> Value {
    try container.decode(Value.self, forKey: key(name))
  }

  package func valueIfPresent<Value: Decodable>(_ name: String) throws -> Value? {
    try container.decodeIfPresent(Value.self, forKey: key(name))
  }

  /// Returns the decoder of an object or array that is read in the same way.
  package func decoder(_ name: String) throws -> ValueDecoder { try fields.nestedDecoder(key(name)) }

  /// Reads the objects of an array one after another.
  package func forEachObject(_ name: String, with names: [String], _ body: (StoredFields) throws -> Void) throws {
    let list = try decoder(name)
    let session = list.session
    var objects = try list.unkeyedContainer()
    while !objects.isAtEnd {
      let mark = session.pathMark
      defer { session.forgetPaths(since: mark) }
      guard let decoder = try objects.superDecoder() as? ValueDecoder else { break }  // always of this type
      try body(StoredFields(names, of: decoder))
    }
  }

  private func key(_ name: String) -> AnyCodingKey { AnyCodingKey(stringValue: name) }
}
