import FoundationCore

extension ArchiveFile {
  /// The folders, in this process, that contain a new one and are not synced yet.
  private static let unsyncedParents = Locked<[String]>([])

  /// Opens a folder. Creates it if it is missing, for its owner only, after the folders that contain it.
  func openOrCreateFolder(_ path: String, _ durability: Durability) throws(SystemCallError) -> StoreFolder {
    if let folder = try ifPresent(StoreFolder(path, system)) { return folder }
    try createFolder(path, durability)
    try syncParents(of: path)
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
    if durability == .powerLoss { Self.unsyncedParents.withLock { $0.append(parent) } }
  }

  private func makeDirectory(_ path: String) throws(SystemCallError) {
    do {
      try retryingInterruptions(system.makeDirectory(path))
    } catch {
      guard error.number == EEXIST else { throw error }  // Another process was first.
    }
  }

  /// Syncs the folders that contain a new one and lead to a folder. Without this, a power cut may remove the new
  /// folder, and with it a file that was synced. If a sync fails, the next write repeats it.
  func syncParents(of folder: String) throws(SystemCallError) {
    for parent in Self.unsyncedParents.withLock({ $0 }) where folder.hasPrefix(parent) {
      _ = try ifPresent(StoreFolder(parent, system))?.sync()
      Self.unsyncedParents.withLock { $0.removeAll { $0 == parent } }
    }
  }
}
