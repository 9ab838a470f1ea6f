extension GlobalData {
  /// The progress of `migrateAll`.
  public struct MigrationProgress: Hashable, Sendable {
    /// The number of entries examined so far.
    public let completedCount: Int

    /// The total number of entries.
    public let totalCount: Int

    /// The key of the entry that was examined last.
    public let key: String

    /// The completed fraction of the work, from 0 to 1.
    @_alwaysEmitIntoClient
    public var fraction: Double { totalCount > 0 ? Double(completedCount) / Double(totalCount) : 1 }
  }

  /// The result of `migrateAll`.
  public struct MigrationReport: Hashable, Sendable {
    /// The keys of the entries that were stored in an earlier form and are now in the current one.
    public internal(set) var migratedKeys: [String] = []

    /// The number of entries that were already in the current form.
    public internal(set) var unchangedCount = 0

    /// The entries that could not be examined because they contain values of unregistered types: the tags of those
    /// types, by key. These entries are left unchanged.
    public internal(set) var unregisteredTypes: [String: String] = .init()
  }
}
