extension ArchiveFile {
  /// What keeps the files of a store out of backups.
  struct BackupExclusion: Sendable {
    /// Reports a file that could not be excluded.
    let report: @Sendable (SystemCallError) -> Void
  }

  /// Excludes a file from backups where the store is to be. A file that cannot be excluded is worth having all the same.
  func excludeFromBackups(_ name: String, in folder: String) {
    guard let backupExclusion else { return }
    do {
      try retryingInterruptions(system.excludeFromBackups(folder == "/" ? "/\(name)" : "\(folder)/\(name)"))
    } catch {
      backupExclusion.report(error)
    }
  }
}
