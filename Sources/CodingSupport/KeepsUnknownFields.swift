/// A value that stands for the fields of a container that nobody else reads, so that they are not lost.
///
/// It is how a model that knows nothing of archives keeps what an archive holds beside its fields.
package protocol KeepsUnknownFields: Codable {
  /// The fields of a container except for those that are known; none where there are none.
  static func decode<Key: CodingKey>(
    from container: KeyedDecodingContainer<Key>, forKey key: Key, exceptFor known: Set<String>
  ) throws -> Self

  /// Writes the fields into a container, except for those that are known.
  func encode<Key: CodingKey>(
    into container: inout KeyedEncodingContainer<Key>, forKey key: Key, exceptFor known: Set<String>
  ) throws
}
