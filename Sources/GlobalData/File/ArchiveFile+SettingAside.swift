import Foundation

extension ArchiveFile {
  /// Keeps the file, as it is, under another name beside it, before it is replaced.
  ///
  /// Where the file system cannot give a file a second name, the bytes are copied.
  ///
  /// - Returns: The place of the kept file.
  /// - Throws: ``GlobalDataError`` with code `writeFailed`; the file must not be replaced then.
  func setAside(limit: Int, _ durability: Durability) throws(GlobalDataError) -> URL {
    let location = try location()
    let names = location.sideNames
    var kept = names.aside()
    do {
      let folder = try openFolder(location.folder)
      defer { system.closeUnwritten(folder.descriptor) }
      do {
        try retryingInterruptions(system.link(location.name, as: kept, in: folder.descriptor))
      } catch  where error.number == EEXIST {
        kept = names.aside()
        try retryingInterruptions(system.link(location.name, as: kept, in: folder.descriptor))
      } catch  where error.isAbsent {
        throw error
      } catch {
        try copy(location, limit: limit, to: kept, in: folder, durability)
      }
      do {
        // Also where writes are only ordered: the new file's name must not be on the medium before the second name of the
        // damaged one. Not by `syncFolder`, whose error says that the new contents are there.
        if durability != .processCrash { _ = try syncIfPossible(folder) }
      } catch {
        // The file is still under its own name; the next try gives it another one.
        try retryingInterruptions(system.unlink(kept, in: folder.descriptor))
        throw error
      }
    } catch let error as SystemCallError {
      throw .cannotSetAside(error, url)
    } catch let error as GlobalDataError {
      throw error
    } catch {
      throw GlobalDataError(.writeFailed, "could not set aside \(url.path)", fileURL: url, underlyingError: error)
    }
    return URL(fileURLWithPath: location.folder, isDirectory: true).appendingPathComponent(kept, isDirectory: false)
  }

  private func copy(
    _ original: FileLocation, limit: Int, to name: String, in folder: OpenFolder, _ durability: Durability
  ) throws {
    guard let bytes = try read(limit: limit) else { throw SystemCallError(.openat, ENOENT) }
    let descriptor = try retryingInterruptions(system.create(name, in: folder.descriptor))
    excludeFromBackups(name, in: original.folder)
    protect(descriptor, like: original.name, in: folder)
    do {
      try fill(descriptor, with: bytes, durability)
    } catch {
      try retryingInterruptions(system.unlink(name, in: folder.descriptor))
      throw error
    }
  }

  /// Protects a copy as the store's own file is, instead of by the container's default.
  private func protect(_ copy: FileDescriptor, like name: String, in folder: OpenFolder) {
    do {
      let original = try retryingInterruptions(system.openForReading(name, in: folder.descriptor))
      defer { system.closeUnwritten(original) }
      try retryingInterruptions(system.protect(copy, protection, like: original))
    } catch {
      // A copy with the default is better than none.
    }
  }

  private func fill(
    _ descriptor: FileDescriptor, with bytes: Data, _ durability: Durability
  ) throws(SystemCallError) {
    do {
      try PieceWriter(system: system, descriptor: descriptor).write([bytes])
      if durability != .processCrash { try retryingInterruptions(system.sync(descriptor, .flush)) }
    } catch {
      system.closeUnwritten(descriptor)
      throw error
    }
    try system.closeWritten(descriptor)
  }

  /// Removes the files of this store that were set aside. There may be none.
  func removeSetAsideFiles() throws(GlobalDataError) {
    let location = try location()
    let names = location.sideNames
    do {
      let folder = try openFolder(location.folder)
      defer { system.closeUnwritten(folder.descriptor) }
      guard folder.canBeListed else { return }
      for name in try retryingInterruptions(system.names(in: folder.descriptor)) where names.isAside(name) {
        try retryingInterruptions(system.unlink(name, in: folder.descriptor))
      }
    } catch {
      guard error.isAbsent else { throw .cannotRemoveLeftovers(error, url) }
    }
  }
}
