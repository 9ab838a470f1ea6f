extension GlobalData {
  /// What is known about an entry without decoding its value.
  public struct EntryInfo: Hashable, Sendable {
    /// The key.
    public let key: String

    /// The type of the value: the tag that is stored with it, or what the stored form stands for, such as `Int`.
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
