import FoundationCore
import KeyedArchive

// The protocol of appending. The file is written in place, but only where it has no meaning yet: after its last change.
// What a failure leaves there is a change that is not whole, and counts for nothing.
//
//   the change, after the one before it   in one call; with zeros after it, where it makes the file longer
//   fdatasync                             the bytes are on stable storage before the caller hears of success
//   fsync of the folder                   once, where the file was found: its name may not be on stable storage yet
//
// The zeros are room for the changes to come: a change within a file changes nothing about the file, so that syncing it
// costs one write of the disk and not two.
//
// Where an earlier state is good enough after a power cut (`ordered`), the order is kept by the changes themselves:
// each tells how much of the file was synced before it, and where one after that offset is not whole, the history ends.
// So the file is synced before the next change only, once more than 64 KiB are not.

extension FileSession {
  /// Writes a change after the file's last one; `isSynced` flushes it. Returns the file's new stamp; `nil` where the
  /// file has changed and the operation has to begin again.
  ///
  /// After an error with code `durabilityUnknown` the change is in the file but may not survive a power failure; after
  /// any other it counts for nothing. Either way the file has to be written anew before the next append.
  func append(_ append: PreparedAppend, isSynced: Bool) throws(GlobalDataError) -> FileStamp? {
    guard let file = try fileToUpdate(), let folder = opened?.folder else { return nil }
    var stamp = append.stamp
    let end = append.point.offset + append.bytes.count
    do throws(SystemCallError) {
      if append.takesTime, try !isUnder(location?.name, in: folder, stamp) { return nil }
      if end > stamp.size, isSynced { append.bytes.appendZeros(AppendPolicy.room(after: end)) }
      if append.syncsBefore { try file.sync(.data) }
      guard try isStillLocked() else { return nil }
      try write(append.bytes, to: file, at: append.point.offset)
    } catch {
      throw .cannotWrite(error, url)
    }
    if isSynced {
      try naming(GlobalDataError.cannotSyncChange, file.sync(.data))
      // The process that gave the file its name may not have synced it: by choice, or because it was killed or failed.
      if !append.point.isNameSynced { _ = try sync(folder, after: "appended to") }
    }
    stamp.size = max(stamp.size, append.point.offset + append.bytes.count)
    stamp.modified = nil
    // A file that was shorter than its beginning is so no longer.
    if let beginning = stamp.beginning, beginning.count == append.point.offset { stamp.beginning = nil }
    return stamp
  }

  /// Returns whether the open file is still the one under its name.
  private func isUnder(_ name: String?, in folder: StoreFolder, _ stamp: FileStamp) throws(SystemCallError) -> Bool {
    guard let name else { return false }
    let status = try folder.status(of: name)
    return status.identity == stamp.identity && status.size == stamp.size
  }

  private func write(_ change: ByteBuffer, to file: OpenFile, at offset: Int) throws(SystemCallError) {
    let outcome = change.withUnsafeBytes { bytes in
      Result { () throws(SystemCallError) in try file.write(bytes, at: offset) }
    }
    do {
      try outcome.get()
    } catch {
      erase(change.count, of: file, at: offset)
      throw error
    }
  }

  /// Erases what a failed append may have written: no reader may find a change that was reported as failed.
  private func erase(_ count: Int, of file: OpenFile, at offset: Int) {
    let zeros = [UInt8](repeating: 0, count: min(count, AppendPolicy.roomLength))
    do throws(SystemCallError) {
      try zeros.withUnsafeBytes { bytes in
        Result { () throws(SystemCallError) in try file.write(bytes, at: offset) }
      }.get()
    } catch {
      // Readers ignore an incomplete change.
    }
  }

  func syncFile() throws(GlobalDataError) {
    guard let file = try currentFile()?.file else { return }
    try naming(GlobalDataError.cannotSyncChange, file.sync(.data))
    if let folder = opened?.folder { _ = try sync(folder, after: "found") }
  }

  /// Returns whether the file's last change still ends at this offset: its checksum stands before it, and only zeros
  /// after it.
  ///
  /// The checksum is chained to all changes before it and to the archive's identity and generation, so this notices
  /// another file, another copy, and an append by another process.
  ///
  /// `known` is the last known stamp, which agrees with the current one.
  func isEnd(_ point: AppendPoint, of known: FileStamp) throws(GlobalDataError) -> Bool {
    guard let examined = examinedFile else { return true }
    let status = examined.status
    // Where nothing about it has changed, a file without room tells by its length.
    let isAllKnown = status.modified != nil && known.modified != nil && known.beginning != nil
    if isAllKnown, point.offset == status.size { return true }
    return try naming(GlobalDataError.cannotOpen, point.isEnd(of: examined.file))
  }
}
