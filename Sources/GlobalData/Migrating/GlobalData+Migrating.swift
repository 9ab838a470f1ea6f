import CodingSupport
import FoundationCore

extension GlobalData {
  /// Migrates all entries stored by earlier versions of the program to their current form, in one write.
  ///
  /// Without this method, an entry is migrated in memory when it is read, and in the file when its key is next
  /// written. Call this method if the whole file has to be in its current form: after an update of the app, or before
  /// older code is removed.
  ///
  /// The types must be registered, because the entries are read without naming their types. Entries that hold values of
  /// other types are left unchanged, and the report lists them. So are entries with fields that no type reads, because
  /// a later version of the app may have added them, unless a part of the entry has a lower version. Types that were
  /// registered on the main actor are read and written there. Reads and writes can continue during the call. An entry
  /// that is written during the call keeps its new value. The file is read again first, as `refresh()` does.
  ///
  /// ```swift
  /// let report = try await GlobalData.migrateAll { progress in
  ///   print("\(progress.key): \(progress.completedCount) of \(progress.totalCount)")
  /// }
  /// ```
  ///
  /// - Parameter progress: A function that is called after each entry, on no particular thread.
  /// - Returns: A report on the entries that were migrated and those that were not.
  /// - Throws: ``GlobalDataError`` with code `migrationFailed`, `newerVersion`, `decodingFailed`, or `typeMismatch` for
  ///   the first entry that cannot be read, and as `set` does; `CancellationError` if the task is cancelled before the
  ///   write. In these cases, nothing is changed, except with `durabilityUnknown`.
  /// - Complexity: O(*n*) in the size of all values.
  @discardableResult
  public nonisolated func migrateAll(
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> MigrationReport {
    var report = MigrationReport()
    var migrated: [(old: StoredEntry, new: StoredEntry)] = []
    try Task.checkCancellation()
    try await refresh()  // Another process may have written entries, too.
    let entries = try storedEntries()
    for (index, entry) in entries.enumerated() {
      try Task.checkCancellation()
      switch try await migration(of: entry) {
      case .unchanged: report.unchangedCount += 1
      case .unregistered(let tag): report.types[entry.key] = tag
      case .unread(let fields): report.fields[entry.key] = fields
      case .migrated(let newEntry): migrated.append((entry, newEntry))
      }
      progress?(MigrationProgress(completedCount: index + 1, totalCount: entries.count, key: entry.key))
    }
    try Task.checkCancellation()
    report.migratedKeys = migrated.map(\.old.key)
    guard !migrated.isEmpty else { return report }
    let changes = migrated
    try await update { data in
      for change in changes { data.replace(change.old, with: change.new) }
    }
    return report
  }

  /// Migrates an entry, on the main actor if types in it were registered there.
  private nonisolated func migration(of entry: StoredEntry) async throws -> StoredEntry.Migration {
    do {
      return try entry.migrated(configuration, in: url)
    } catch let error as GlobalDataError where (error.underlyingError as? KeyedArchiveError)?.code == .notOnMainActor {
      return try await MainActor.run { try entry.migrated(configuration, in: url) }
    }
  }

  /// Migrates all entries of the current store to their current form. See the instance method of the same name.
  @discardableResult @_alwaysEmitIntoClient
  public static func migrateAll(
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> MigrationReport {
    try await current.migrateAll(progress: progress)
  }
}

extension StoredEntry {
  fileprivate enum Migration: Sendable {
    case unchanged
    case unregistered(String)
    case unread([String])
    case migrated(StoredEntry)
  }

  fileprivate func migrated(_ configuration: GlobalData.Configuration, in url: URL?) throws -> Migration {
    let decoder = KeyedArchiveDecoder(registry: configuration.registry, limits: configuration.limits)
    let examination: KeyedArchiveDecoder.Examination<any Sendable>
    do {
      examination = try decoder.examine(content)
    } catch let error as KeyedArchiveError where error.code == .unregisteredTag {
      return .unregistered(error.tag?.name ?? "")
    } catch {
      throw GlobalDataError.decoding(error, key: key, of: self, wanted: nil, in: url)
    }
    guard examination.hasEarlierForm else { return .unchanged }
    // A field that a later version removed is missing in the same way as one that an earlier version did not have.
    guard examination.unreadFields.isEmpty || examination.hasEarlierVersion else {
      return .unread(examination.unreadFields)
    }
    let entry = try StoredEntry(key: key, configuration, in: url) { try $0.encodeItem(examination.value, $1) }
    // A default that the type does not write looks missing each time. For example, the fields of a superclass may be in
    // an object of their own.
    return entry.content == content ? .unchanged : .migrated(entry)
  }
}

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
    public var unregisteredTypes: [String: String] { types.contents }

    /// The entries in an earlier form that have fields that no type reads: the paths of those fields, by key. These
    /// entries are left unchanged, because a later version of the app may have added the fields.
    public var unreadFields: [String: [String]] { fields.contents }

    fileprivate var types = SharedCodeDictionary<String, String>()
    fileprivate var fields = SharedCodeDictionary<String, [String]>()

    /// Hashes the migrated keys and the number of unchanged entries.
    public func hash(into hasher: inout Hasher) {
      // Not the dictionaries: the code for their hashes would be in each app.
      hasher.combine(migratedKeys)
      hasher.combine(unchangedCount)
    }
  }
}
