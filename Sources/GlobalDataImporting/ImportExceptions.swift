public import GlobalData

extension GlobalData {
  /// Selects the entries that an import skips instead of failing or replacing.
  public struct ImportExceptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Entries that cannot be read, such as objects of a class that the class map does not name. Without it one such
    /// entry fails the import, and nothing is imported.
    public static let unreadable = ImportExceptions(rawValue: 1)

    /// Entries whose keys have a value in the store already. Without it that value is replaced.
    public static let existing = ImportExceptions(rawValue: 2)
  }
}
