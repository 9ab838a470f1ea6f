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
