import FoundationCore

extension StoreFolder {
  static func creating(
    _ path: String, _ durability: Durability, _ system: any SystemCalls
  ) throws(SystemCallError) -> StoreFolder {
    if let folder = try ifPresent(StoreFolder(path, system)) { return folder }
    try create(path, durability, system)
    return try StoreFolder(path, system)
  }

  /// Creates a folder for its owner only, after the folders that contain it.
  private static func create(
    _ path: String, _ durability: Durability, _ system: any SystemCalls
  ) throws(SystemCallError) {
    let parent = FileLocation.parent(of: path)
    do {
      try makeDirectory(path, system)
    } catch {
      guard error.isAbsent, parent != path else { throw error }
      try create(parent, durability, system)
      try makeDirectory(path, system)
    }
    // Without this sync, a power failure may remove the folder, and with it a file that was synced.
    if durability == .powerLoss { _ = try StoreFolder(parent, system).sync() }
  }

  private static func makeDirectory(_ path: String, _ system: any SystemCalls) throws(SystemCallError) {
    do {
      try retryingInterruptions(system.makeDirectory(path))
    } catch {
      guard error.number == EEXIST else { throw error }  // Another process was first.
    }
  }
}
