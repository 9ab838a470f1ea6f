/// A value that stands for the fields of a container that nobody else reads, so that they are not lost. It is how a
/// model that knows nothing of archives keeps what an archive holds beside its fields.
package protocol KeepsUnknownFields: Codable {
  /// The fields of a container except for those that are known; none where there are none. Of an object that is known
  /// in part it has the other part.
  static func decode<Key: CodingKey>(
    from container: KeyedDecodingContainer<Key>, forKey key: Key, exceptFor known: KnownFields
  ) throws -> Self

  /// Writes the fields into a container, except for those that are known.
  func encode<Key: CodingKey>(
    into container: inout KeyedEncodingContainer<Key>, forKey key: Key, exceptFor known: KnownFields
  ) throws

  /// The unknown fields of an object that is known in part, or `nil` where there are none.
  func part(_ name: String) -> Self?

  /// These without the objects that are known in part, whose unknown fields are written with their known ones.
  func withoutParts(_ known: KnownFields) -> Self
}
