extension CodingUserInfoKey {
  /// The key in a coder's `userInfo` that marks coding for storage, as opposed to exchange with other programs. An
  /// archive and a model that know nothing of each other use this value to agree on their keys.
  package static let isStorage = CodingUserInfoKey(named: "GlobalData.isStorage")

  /// Creates a key with a name. The standard library's initializer is failable, although every string is valid.
  package init(named name: String) {
    guard let key = CodingUserInfoKey(rawValue: name) else { preconditionFailure("every string is a valid raw value") }
    self = key
  }
}

/// A value of any type that may be `nil`: an optional, or a wrapper around one.
package protocol PossiblyNil {
  var isNil: Bool { get }
}

extension Optional: PossiblyNil {
  package var isNil: Bool { if case .none = self { true } else { false } }
}

/// A value that holds the fields of a container that no other code reads, so that they are not lost. With it, a model
/// that knows nothing of archives preserves the other fields in an archive.
package protocol KeepsUnknownFields: Codable {
  /// Returns the fields of a container except for the known ones, or an empty value if there are no others. For an
  /// object that is partly known, the result has the unknown part.
  static func decode<Key: CodingKey>(
    from container: KeyedDecodingContainer<Key>, forKey key: Key, exceptFor known: KnownFields
  ) throws -> Self

  /// Writes the fields into a container, except for those that are known.
  func encode<Key: CodingKey>(
    into container: inout KeyedEncodingContainer<Key>, forKey key: Key, exceptFor known: KnownFields
  ) throws

  /// Returns the unknown fields of an object that is partly known, or `nil` if there are none.
  func part(_ name: String) -> Self?

  /// Returns the fields without the objects that are partly known. Their unknown fields are written with the known
  /// ones.
  func withoutParts(_ known: KnownFields) -> Self
}

/// The fields of an object that a reader knows.
package struct KnownFields: Sendable {
  /// The fields that the reader reads as a whole or omits on purpose.
  package var whole: Set<String> = []

  /// The objects that the reader reads in part, each with its known fields.
  package var parts: [String: KnownFields] = .init()

  /// The parts of which the reader reads only former fields, and writes none.
  package var formerParts: Set<String> = []

  package init() {}
}

extension DecodingError {
  /// The path and the cause of the error, whatever its case.
  package var context: Context? {
    switch self {
    case .typeMismatch(_, let context), .keyNotFound(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }
}
