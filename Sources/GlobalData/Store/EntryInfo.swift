extension GlobalData {
  /// Information about an entry that is available without decoding its value.
  public struct EntryInfo: Hashable, Sendable {
    /// The key of the entry.
    public let key: String

    /// The type of the value, given as its stored type tag or, without one, as the type of its stored form, such as
    /// `Int`.
    public let type: String

    /// The size of the encoded value, in bytes.
    public let size: Int
  }
}

extension GlobalData.EntryInfo {
  @inline(never)
  init(_ entry: StoredEntry, registry: TypeRegistry) {
    key = entry.key
    type = KeyedArchiveDecoder(registry: registry).storedTypeName(of: entry.content)
    size = entry.content.count
  }
}
