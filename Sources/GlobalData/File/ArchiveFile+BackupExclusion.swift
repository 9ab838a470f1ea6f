extension ArchiveFile {
  /// What keeps the files of a store out of backups.
  struct BackupExclusion: Sendable {
    /// Told where a file could not be excluded; nothing else comes of it.
    let report: @Sendable (SystemCallError) -> Void
  }

  /// Excludes the file from backups where the store is to be, as one that was there before may not be.
  func excludeFromBackups() throws(GlobalDataError) {
    guard backupExclusion != nil else { return }
    let location = try location()
    excludeFromBackups(location.name, in: location.folder)
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
