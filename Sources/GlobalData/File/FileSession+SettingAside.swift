import Foundation

extension FileSession {
  /// Keeps the file, as it is, under another name beside it, before it is replaced.
  ///
  /// Where the file system cannot give a file a second name, the bytes are copied.
  ///
  /// - Returns: Where the kept file is.
  /// - Throws: ``GlobalDataError`` with code `writeFailed`; the file must not be replaced then.
  func setAside(limit: Int, _ durability: Durability) throws(GlobalDataError) -> URL {
    guard let folder = try folder(GlobalDataError.cannotSetAside), let location else {
      throw .cannotSetAside(SystemCallError(.openat, ENOENT), url)
    }
    let kept: String
    if let name = try linkAside(location, in: folder) {
      kept = name
    } else {
      kept = try copyAside(location, in: folder, limit: limit, durability)
    }
    do throws(SystemCallError) {
      do throws(SystemCallError) {
        // Also where writes are only ordered: the new file's name must not reach stable storage before the second name of the damaged one.
        // Not by `sync(_:after:)`, whose error says that the new contents are there.
        if durability != .processCrash { _ = try folder.sync() }
      } catch {
        // The file is still under its own name. The next attempt gives it another one.
        try folder.unlink(kept)
        throw error
      }
    } catch {
      throw .cannotSetAside(error, url)
    }
    return URL(fileURLWithPath: location.folder, isDirectory: true).appendingPathComponent(kept, isDirectory: false)
  }

  /// - Returns: The second name; `nil` where the file system has none.
  private func linkAside(_ location: FileLocation, in folder: StoreFolder) throws(GlobalDataError) -> String? {
    let names = [location.sideNames.aside(), location.sideNames.aside()]
    do throws(SystemCallError) {
      do throws(SystemCallError) {
        try folder.link(location.name, as: names[0])
        return names[0]
      } catch {
        guard error.number == EEXIST || error.isAbsent else { return nil }
        guard error.number == EEXIST else { throw error }
      }
      try folder.link(location.name, as: names[1])
      return names[1]
    } catch {
      throw .cannotSetAside(error, url)
    }
  }

  /// - Returns: The name of the copy.
  private func copyAside(
    _ location: FileLocation, in folder: StoreFolder, limit: Int, _ durability: Durability
  ) throws(GlobalDataError) -> String {
    let session = FileSession(archive, .reading)
    defer { session.end() }
    let contents = try session.read(limit: limit)
    let name = location.sideNames.aside()
    do throws(SystemCallError) {
      guard let (bytes, _) = contents else { throw SystemCallError(.openat, ENOENT) }
      let copy = try folder.create(name)
      archive.excludeFromBackups(name, in: location.folder)
      protect(copy, like: location.name, in: folder)
      do throws(SystemCallError) {
        try copy.write([bytes])
        if durability != .processCrash { try copy.sync(.flush) }
        try copy.close()
      } catch {
        copy.discard()
        try folder.unlink(name)
        throw error
      }
    } catch {
      throw .cannotSetAside(error, url)
    }
    return name
  }

  /// Protects a copy as the store's own file is, instead of by the container's default.
  private func protect(_ copy: OpenFile, like name: String, in folder: StoreFolder) {
    do {
      try copy.protect(archive.protection, like: folder.openForReading(name))
    } catch {
      // A copy with the default is better than none.
    }
  }
}
