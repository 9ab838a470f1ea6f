extension GlobalData {
  /// How far `migrateAll` is.
  public struct MigrationProgress: Hashable, Sendable {
    /// The number of entries that were looked at.
    public let completedCount: Int

    /// The number of all entries.
    public let totalCount: Int

    /// The key of the entry that was looked at last.
    public let key: String

    /// The part that is done, from 0 to 1.
    public var fraction: Double { totalCount > 0 ? Double(completedCount) / Double(totalCount) : 1 }
  }

  /// What `migrateAll` did.
  public struct MigrationReport: Hashable, Sendable {
    /// The keys of the entries that were stored in an earlier form, and are now in the present one.
    public internal(set) var migratedKeys: [String] = []

    /// The number of entries that were in the present form already.
    public internal(set) var unchangedCount = 0

    /// The entries that nothing can be said about, because they hold values of types that are not registered: the tags
    /// of those types, by key. The entries stay as they are.
    public internal(set) var unregisteredTypes: [String: String] = .init()
  }
}
