import Foundation

extension ArchiveFile {
  /// Opens the folder of the file, and makes it and the folders above it where they are missing.
  func openOrMakeFolder(_ path: String, _ durability: Durability) throws(GlobalDataError) -> OpenFolder {
    do {
      return try openFolder(path)
    } catch {
      guard error.isAbsent else { throw .cannotMakeFolder(error, url) }
    }
    do {
      try makeFolder(path, durability)
      return try openFolder(path)
    } catch {
      throw .cannotMakeFolder(error, url)
    }
  }

  /// Makes a folder that only its owner may use, after those above it.
  private func makeFolder(_ path: String, _ durability: Durability) throws(SystemCallError) {
    let parent = FileLocation.parent(of: path)
    do {
      try makeDirectory(path)
    } catch {
      guard error.isAbsent, parent != path else { throw error }
      try makeFolder(parent, durability)
      try makeDirectory(path)
    }
    guard durability == .powerLoss else { return }
    // Without this, a power failure may take the folder, and with it a file that was synced most carefully.
    let folder = try openFolder(parent)
    defer { system.closeUnwritten(folder.descriptor) }
    _ = try syncIfPossible(folder)
  }

  private func makeDirectory(_ path: String) throws(SystemCallError) {
    do {
      try retryingInterruptions(system.makeDirectory(path))
    } catch {
      guard error.number == EEXIST else { throw error }  // Another process was first.
    }
  }

  /// Sends the names in the folder to the medium, and tells whether the file system can do that. `deed` is what was
  /// done to the file, for the message.
  func syncFolder(_ folder: OpenFolder, after deed: String) throws(GlobalDataError) -> Bool {
    do {
      return try syncIfPossible(folder)
    } catch {
      throw .cannotSyncFolder(error, url, after: deed)
    }
  }

  /// Sends the names in the folder to the medium, and tells whether the file system can do that.
  func syncIfPossible(_ folder: OpenFolder) throws(SystemCallError) -> Bool {
    guard folder.canBeListed else { return false }
    do {
      try retryingInterruptions(system.sync(folder.descriptor, .flush))
      return true
    } catch {
      guard error.isUnsupported else { throw error }
      return false
    }
  }
}
