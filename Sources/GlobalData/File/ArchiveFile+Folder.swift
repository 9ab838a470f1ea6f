import FoundationCore

extension ArchiveFile {
  /// Opens a folder. Creates it if it is missing, for its owner only, after the folders that contain it.
  func openOrCreateFolder(_ path: String, _ durability: Durability) throws(SystemCallError) -> StoreFolder {
    if let folder = try ifPresent(StoreFolder(path, system)) { return folder }
    try createFolder(path, durability)
    return try StoreFolder(path, system)
  }

  private func createFolder(_ path: String, _ durability: Durability) throws(SystemCallError) {
    let parent = FileLocation.parent(of: path)
    do {
      try makeDirectory(path)
    } catch {
      guard error.isAbsent, parent != path else { throw error }
      try createFolder(parent, durability)
      try makeDirectory(path)
    }
    if durability == .powerLoss { try syncParent(parent) }
  }

  private func makeDirectory(_ path: String) throws(SystemCallError) {
    do {
      try retryingInterruptions(system.makeDirectory(path))
    } catch {
      guard error.number == EEXIST else { throw error }  // Another process was first.
    }
  }

  /// Syncs the folder that contains a new one. Without this, a power cut may remove the new folder, and with it a file
  /// that was synced.
  private func syncParent(_ path: String) throws(SystemCallError) {
    unsyncedParent.withLock { $0 = path }
    _ = try ifPresent(StoreFolder(path, system))?.sync()
    unsyncedParent.withLock { $0 = nil }
  }

  /// Repeats the sync that failed after a folder was created.
  func syncUnsyncedParent() throws(SystemCallError) {
    if let path = unsyncedParent.withLock({ $0 }) { try syncParent(path) }
  }
}
