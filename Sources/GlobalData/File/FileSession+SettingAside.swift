import FoundationCore
import KeyedArchive

extension FileSession {
  /// Keeps the file under a second name in its folder, and returns the URL of the kept file. Copies the bytes if the
  /// file system has no hard links. After an error, the file must not be replaced.
  ///
  /// Throws ``MustBeginAgain`` if the locked file is not the one with the name, because it was replaced before it was
  /// locked. Others can then remove the one with the name.
  func setAside(limit: Int, _ durability: Durability, as reason: SideFileName.Aside) throws -> URL {
    guard let (folder, location) = try folder(to: .setAside), let file = try currentFile(),
      try naming(.setAside, isAt(location.name, in: folder, file.status.identity))
    else { throw MustBeginAgain(url: url) }
    let kept: String
    if let name = try naming(.setAside, linkAside(location, in: folder, reason)) {
      kept = name
    } else {
      kept = try copyAside(location, in: folder, limit: limit, durability, reason)
    }
    // Sync even if writes are only ordered: the new file's name must not reach stable storage before the second name of
    // the damaged file.
    if durability != .processCrash { try naming(.setAside, syncAside(kept, in: folder)) }
    return URL(fileURLWithPath: location.folder, isDirectory: true).appendingPathComponent(kept, isDirectory: false)
  }

  /// Removes the second name of a file that was set aside and then not replaced.
  func putBack(_ kept: URL) throws(GlobalDataError) {
    guard let (folder, _) = try folder(to: .removeLeftovers) else { return }
    try naming(.removeLeftovers, folder.unlink(kept.lastPathComponent))
  }

  /// Syncs the folder. Does not call `sync(_:after:)`, because the error of that function says that the new contents
  /// are there.
  private func syncAside(_ name: String, in folder: StoreFolder) throws(SystemCallError) {
    do {
      _ = try folder.sync()
    } catch {
      // The file still has its own name. The next attempt gives it another second name.
      try folder.unlink(name)
      throw error
    }
  }

  /// Returns the new name; `nil` if the file system has no hard links.
  private func linkAside(
    _ location: FileLocation, in folder: StoreFolder, _ reason: SideFileName.Aside
  ) throws(SystemCallError) -> String? {
    let names = [location.sideNames.aside(reason), location.sideNames.aside(reason)]
    do {
      try folder.link(location.name, as: names[0])
      return names[0]
    } catch {
      guard error.number == EEXIST else { return nil }
    }
    try folder.link(location.name, as: names[1])
    return names[1]
  }

  private func copyAside(
    _ location: FileLocation, in folder: StoreFolder, limit: Int, _ durability: Durability, _ reason: SideFileName.Aside
  ) throws(GlobalDataError) -> String {
    let session = FileSession(archive, .reading)
    defer { session.end() }
    guard let (bytes, _) = try session.read(limit: limit) else {
      throw .cannot(.setAside, SystemCallError(.openat, ENOENT), url)
    }
    let name = location.sideNames.aside(reason)
    try naming(.setAside, write(bytes, to: name, like: location, in: folder, durability))
    return name
  }

  private func write(
    _ bytes: SharedBytes, to name: String, like location: FileLocation, in folder: StoreFolder, _ durability: Durability
  ) throws(SystemCallError) {
    let copy = try folder.create(name)
    archive.excludeFromBackups(name, in: location.folder)
    // Gives the copy the protection of the store's own file. A copy with the container's default is better than none.
    try? copy.protect(archive.protection, like: folder.openExisting(location.name))
    do throws(SystemCallError) {
      try copy.write([bytes])
      if durability != .processCrash { try copy.sync(.flush) }
      try copy.close()
    } catch {
      copy.discard()
      try folder.unlink(name)
      throw error
    }
  }
}
