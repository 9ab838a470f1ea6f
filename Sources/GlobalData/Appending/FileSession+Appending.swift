import FoundationCore
import KeyedArchive

// The append protocol. The file is written in place, but only after its last change, where its bytes have no meaning
// yet. A failed append is erased. If that fails too, an incomplete change remains, which readers ignore.
//
//   the change, after the one before it   in one call; followed by zeros if it makes the file longer and they fit
//   fdatasync                             the bytes are on stable storage before the caller learns of success
//   fsync of the folder                   once, if the file was found: its name may not be on stable storage yet
//
// The zeros are room for later changes. Syncing a change within the existing length writes no metadata, and so costs
// one write to the disk instead of two.
//
// If an earlier state is good enough after a power cut (`ordered`), the changes themselves keep the order: each
// records how much of the file was synced before it. If a change after that offset is incomplete, the history ends
// there. So the file is synced before the next change only, and only once more than 64 KiB are unsynced.

extension FileSession {
  /// Writes a change after the file's last one, and flushes it if `isSynced` is true. Returns the file's new stamp;
  /// `nil` if the file has changed and the operation has to begin again.
  ///
  /// After an error with code `durabilityUnknown` the change is in the file but may not survive a power cut; after
  /// any other error readers ignore it. The file must then be rewritten before the next append, unless ``isErased`` is
  /// true.
  func append(_ append: PreparedAppend, isSynced: Bool) throws(GlobalDataError) -> FileStamp? {
    isErased = false
    guard let file = try fileToUpdate(), let (folder, location) = opened else { return nil }
    var stamp = append.stamp
    let end = append.point.offset + append.bytes.count
    do throws(SystemCallError) {
      let length = append.bytes.count
      if end > stamp.size, isSynced { append.bytes.appendZeros(AppendPolicy.room(after: end)) }
      if append.syncsBefore { try file.sync(.data) }
      if append.takesTime, try !isUnder(location.name, in: folder, stamp) { return nil }
      guard try isStillLocked() else { return nil }
      do throws(SystemCallError) {
        try write(append.bytes, to: file, at: append.point.offset, size: stamp.size)
      } catch {
        // Perhaps there is space for the change, but not for the zeros.
        guard error.isAboutSpace, isErased, append.bytes.count > length else { throw error }
        isErased = false
        append.bytes.truncate(to: length)
        try write(append.bytes, to: file, at: append.point.offset, size: stamp.size)
      }
    } catch {
      throw .cannot(.write, error, url)
    }
    if isSynced {
      try naming(.syncChange, file.sync(.data))
      // The process that gave the file its name may not have synced it, by choice or because that process was killed or
      // failed.
      if !append.point.isNameSynced { _ = try sync(folder, after: "appended to") }
    }
    stamp.size = max(stamp.size, append.point.offset + append.bytes.count)
    stamp.modified = nil
    return stamp
  }

  /// Returns whether the open file is still the one with this name.
  private func isUnder(_ name: String, in folder: StoreFolder, _ stamp: FileStamp) throws(SystemCallError) -> Bool {
    guard let status = try ifPresent(folder.status(of: name)) else { return false }
    return status.identity == stamp.identity && status.size == stamp.size
  }

  private func write(_ change: ByteBuffer, to file: OpenFile, at offset: Int, size: Int) throws(SystemCallError) {
    do throws(SystemCallError) {
      try change.withUnsafeBytes { bytes throws(SystemCallError) in try file.write(bytes, at: offset) }
    } catch {
      erase(change.count, of: file, at: offset, size: size)
      throw error
    }
  }

  /// Erases the bytes that a failed append may have written, and gives the file its earlier size: no reader may find a
  /// change that was reported as failed, and a change that did not fit must not fill the disk.
  private func erase(_ count: Int, of file: OpenFile, at offset: Int, size: Int) {
    let isCutOff = (try? file.truncate(to: size)) != nil
    // If the file stays longer, readers ignore the change without its first bytes.
    let length = isCutOff ? max(0, size - offset) : AppendPolicy.roomLength
    let zeros = [UInt8](repeating: 0, count: min(count, length))
    do {
      try zeros.withUnsafeBytes { try file.write($0, at: offset) }
      guard isCutOff else { return }
      // Otherwise, a power cut during the next append could leave bytes of this change in the next one.
      try file.sync(.data)
      isErased = true
    } catch {
      // Readers ignore an incomplete change.
    }
  }

  func syncFile() throws(GlobalDataError) {
    guard let file = try currentFile()?.file else { return }
    try naming(.syncChange, file.sync(.data))
    if let folder = opened?.folder { _ = try sync(folder, after: "found") }
  }

  /// Returns whether the file's last change still ends at this offset: its checksum precedes the offset, and only zeros
  /// follow it.
  ///
  /// The checksum depends on all changes before it and on the archive's identity and generation. So this function
  /// detects another file, another copy, and an append by another process.
  ///
  /// `known` is the last known stamp, which agrees with the current one.
  func isEnd(_ point: AppendPoint, of examined: ExaminedFile, since known: FileStamp) throws(GlobalDataError) -> Bool {
    let status = examined.status
    // If nothing about the file has changed, the length of a file without spare room is proof enough.
    let isAllKnown = status.modified != nil && known.modified != nil && known.head != nil
    if isAllKnown, point.offset == status.size { return true }
    return try naming(.open, point.isEnd(of: examined.file))
  }
}
