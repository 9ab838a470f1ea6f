import FoundationCore

extension GlobalData {
  /// Brings all entries that earlier versions of the program stored into their present form, in one write.
  ///
  /// Without this, an entry is migrated in memory each time it is read, and in the file with the next write of its key.
  /// Call it where the file is to be in its present form throughout: after an update of the app, or before older code
  /// is removed.
  ///
  /// The types have to be registered, since the entries are read without being named. Entries that hold others stay as
  /// they are, and the report says so. Reads and writes go on meanwhile; an entry that is written during the call
  /// counts as it is then.
  ///
  /// ```swift
  /// let report = try await GlobalData.migrateAll { progress in
  ///   print("\(progress.key): \(progress.completedCount) of \(progress.totalCount)")
  /// }
  /// ```
  ///
  /// - Parameter progress: Called after each entry, on no particular thread.
  /// - Returns: What was migrated.
  /// - Throws: ``GlobalDataError`` with code `migrationFailed`, `newerVersion`, `decodingFailed` or `typeMismatch` for
  ///   the first entry that cannot be read, and as `set` does; `CancellationError` when the task is cancelled before
  ///   the write. Nothing is changed then.
  /// - Complexity: O(*n*) in the size of all values.
  @discardableResult
  public nonisolated func migrateAll(
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> MigrationReport {
    var report = MigrationReport()
    var migrated: [(old: StoredEntry, new: StoredEntry)] = []
    let entries = try storedEntries()
    for (index, entry) in entries.enumerated() {
      try Task.checkCancellation()
      switch try entry.migrated(configuration, in: url) {
      case .unchanged: report.unchangedCount += 1
      case .unregistered(let tag): report.unregisteredTypes[entry.key] = tag
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

  /// Brings all entries of the current store into their present form. See the instance method of the same name.
  @discardableResult
  @_alwaysEmitIntoClient
  public static func migrateAll(
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) async throws -> MigrationReport {
    try await current.migrateAll(progress: progress)
  }
}

extension StoredEntry {
  fileprivate enum Migration {
    case unchanged
    case unregistered(String)
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
    return .migrated(try StoredEntry(key: key, configuration, in: url) { try $0.encodeItem(examination.value) })
  }
}
