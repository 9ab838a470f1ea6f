/// The fields of a stored object, read by name.
///
/// Rare types of Foundation are read with this: a `Codable` type with its coding keys for each of them would be a part of
/// every program.
struct StoredFields {
  private let decoder: ValueDecoder

  /// Opens the map that a decoder's value is stored as. The names are those of all fields that are read, or none where a
  /// type's own `init(from:)` reads them, too.
  init(_ names: Set<String> = [], of decoder: ValueDecoder) throws {
    self.decoder = decoder
    try decoder.openFields()
    if !names.isEmpty { decoder.session.unreadFields?.note(readBy: decoder, names.contains) }
  }

  /// Whether something other than null stands under a name.
  func hasValue(_ name: String) throws -> Bool {
    do {
      return try decoder.find(name).map { try !decoder.input.isNull(at: $0) } ?? false
    } catch {
      throw decoder.located(error, under: AnyCodingKey(stringValue: name), wanted: Never.self)
    }
  }

  func int(_ name: String) throws -> Int { try read(name) { try $0.integer(Int.self, at: $1) } }

  func double(_ name: String) throws -> Double { try read(name) { try $0.double(at: $1) } }

  func text(_ name: String) throws -> String { try read(name) { try $0.text(at: $1) } }

  func value<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
    let place: CBORCursor = try read(name) { $1 }
    return try decoder.session.decode(type, at: place) { path(name) }
  }

  /// The decoder of an object or array that this module reads, too.
  func decoder(_ name: String) throws -> ValueDecoder {
    ValueDecoder(session: decoder.session, cursor: try read(name) { $1 }, path: path(name))
  }

  private func path(_ name: String) -> CodingPathNode {
    decoder.session.path(decoder.path, AnyCodingKey(stringValue: name))
  }

  private func read<Value>(_ name: String, _ read: (DecodingInput, CBORCursor) throws -> Value) throws -> Value {
    do {
      guard let place = try decoder.find(name) else { throw ValueDecoder.Missing() }
      return try read(decoder.input, place)
    } catch {
      throw decoder.located(error, under: AnyCodingKey(stringValue: name), wanted: Value.self)
    }
  }
}
