import CodingSupport
import FoundationCore

extension ArchiveFile {
  /// The new folders of this process whose names may not be on stable storage, by path; `false` until they exist.
  private static let newFolders = Locked(SharedCodeDictionary<String, Bool>())

  /// Opens a folder. Creates it if it is missing, for its owner only, after the folders that contain it.
  func openOrCreateFolder(_ path: String, _ durability: Durability) throws(SystemCallError) -> StoreFolder {
    if let folder = try ifPresent(StoreFolder(path, system)) { return folder }
    try createFolder(path)
    if durability == .powerLoss { try syncNames(leadingTo: path) }
    return try StoreFolder(path, system)
  }

  private func createFolder(_ path: String) throws(SystemCallError) {
    do {
      try makeDirectory(path)
    } catch {
      let parent = FileLocation.parent(of: path)
      guard error.isAbsent, parent != path else { throw error }
      try createFolder(parent)
      try makeDirectory(path)
    }
  }

  private func makeDirectory(_ path: String) throws(SystemCallError) {
    // It is listed before it exists, so that no other thread uses it without a sync of its name.
    Self.newFolders.withLock { $0[path] = false }
    do {
      try retryingInterruptions(system.makeDirectory(path))
    } catch {
      // Another process may have been first. It may not have synced the folder yet.
      guard error.number == EEXIST else {
        Self.newFolders.withLock { $0[path] = nil }
        throw error
      }
    }
    Self.newFolders.withLock { $0[path] = true }
  }

  /// Syncs a folder, and the folders that contain new ones on its path. Without this, a power cut may remove a new
  /// folder, and with it a file that was synced. If a sync fails, the next call repeats it.
  ///
  /// Returns whether the file system and the permissions of this process allow a sync of the folder.
  func sync(_ folder: StoreFolder) throws(SystemCallError) -> Bool {
    try syncNames(leadingTo: folder.path)
    return try folder.sync()
  }

  private func syncNames(leadingTo path: String) throws(SystemCallError) {
    var folder = path
    while folder != "/" {
      let parent = FileLocation.parent(of: folder)
      if let exists = Self.newFolders.withLock({ $0[folder] }) {
        _ = try ifPresent(StoreFolder(parent, system))?.sync()
        // Otherwise, the folder may have been created after the sync.
        if exists { Self.newFolders.withLock { $0[folder] = nil } }
      }
      folder = parent
    }
  }
}
