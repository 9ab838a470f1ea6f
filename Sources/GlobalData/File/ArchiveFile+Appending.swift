import Foundation
import KeyedArchive

// The protocol of appending. The file is written in place, but only where it has no meaning yet: behind its last change. What
// a failure leaves there is a change that is not whole, and counts for nothing.
//
//   the change, behind the one before it        in one call; with zeros behind it, where it makes the file longer
//   fdatasync                                   the bytes are on the medium before the caller hears of success
//   fsync of the folder                         once, where the file was found: its name may not be on the medium yet
//
// The zeros are room for the changes to come: a change within a file changes nothing about the file, so that syncing it
// costs one write of the medium and not two.
//
// Where an earlier state is good enough after a power cut (`ordered`), the order is kept by the changes themselves: each tells how
// much of the file was synced before it, and where one behind that place is not whole, the history ends. So the file is synced
// before the next change only, once more than 64 KiB are not.

extension ArchiveFile {
  /// How much longer the file is made at a time.
  static let roomLength = 64 << 10

  /// Where the last change of a file may end at most, for the bytes of its entries. Before it would end behind that, the file is written
  /// anew.
  static func greatestEnd(liveBytes: Int) -> Int { 2 * liveBytes + roomLength }

  /// Whether three quarters of the room that a file has for what is out of date are taken.
  static func isCompactionDue(end: Int, liveBytes: Int) -> Bool {
    4 * (end - liveBytes) > 3 * (greatestEnd(liveBytes: liveBytes) - liveBytes)
  }

  /// Writes a change behind the file's last one.
  ///
  /// - Parameters:
  ///   - change: The bytes of the change.
  ///   - point: Where it has its place.
  ///   - stamp: What the file looks like.
  ///   - syncsBefore: Whether all that stands before the change is to be on the medium before it is written.
  ///   - syncsAfter: Whether the change is to be on the medium when this returns.
  ///   - looksAgain: Whether time has gone by since the file was opened.
  ///   - visit: Where the file was opened for updating.
  /// - Returns: What the file looks like now; `nil` where it is not the file that it was.
  /// - Throws: ``GlobalDataError`` with code `durabilityUnknown` when the change is in the file but its survival of a power
  ///   failure is unknown; with any other code when it counts for nothing. In both cases the file has to be written anew before
  ///   more can be appended.
  func append(
    _ change: ByteBuffer, at point: AppendPoint, after stamp: FileStamp, syncsBefore: Bool, syncsAfter: Bool,
    looksAgain: Bool = true, during visit: ArchiveVisit
  ) throws(GlobalDataError) -> FileStamp? {
    guard let place = try visit.place(GlobalDataError.cannotWrite), let descriptor = try visit.fileToUpdate() else {
      return nil
    }
    do throws(SystemCallError) {
      if looksAgain {
        // By its name: while the change was made, another file may have taken the place of the open one.
        let status = try status(of: place.name, in: place.folder, withTime: false)
        guard status.inode == stamp.inode, status.device == stamp.device, status.size == stamp.size else { return nil }
      }
      let end = point.offset + change.count
      if end > stamp.size, syncsAfter { change.appendZeros(ArchiveFile.room(behind: end)) }
      if syncsBefore { try retryingInterruptions(system.sync(descriptor, .data)) }
      guard try visit.isStillLocked() else { return nil }
      try write(change, to: descriptor, at: point.offset)
    } catch {
      throw .cannotWrite(error, url)
    }
    do throws(SystemCallError) {
      if syncsAfter { try retryingInterruptions(system.sync(descriptor, .data)) }
    } catch {
      throw .cannotSyncChange(error, url)
    }
    // Whoever gave it its name may not have synced that: by choice, or because it was killed or failed.
    if syncsAfter, !point.isNameSynced { _ = try syncFolder(place.folder, after: "appended to") }
    var stamp = stamp
    stamp.size = max(stamp.size, point.offset + change.count)
    stamp.modified = nil
    // A file that was shorter than its beginning is so no longer.
    if let beginning = stamp.beginning, beginning.count == point.offset { stamp.beginning = nil }
    return stamp
  }

  /// Whether what stands before a place has to be synced before a change is written there.
  ///
  /// After a store was opened, nobody knows whether the last change was synced before its writer ended.
  static func syncsBeforeAppending(at point: AppendPoint, _ durability: Durability) -> Bool {
    switch durability {
    case .powerLoss: point.syncedLength < point.offset
    // What was found may have been promised to survive; only if it is certain to be there can it be told from what was not written.
    case .ordered: point.syncedLength + (point.isFound ? 1 : roomLength) <= point.offset
    case .processCrash: false
    }
  }

  private static func room(behind end: Int) -> Int {
    roomLength - end % roomLength
  }

  private func write(
    _ change: ByteBuffer, to descriptor: FileDescriptor, at offset: Int
  ) throws(SystemCallError) {
    let outcome = change.withUnsafeBytes { bytes in
      Result { () throws(SystemCallError) in try writeAll(bytes, to: descriptor, at: offset) }
    }
    do {
      try outcome.get()
    } catch {
      erase(change.count, of: descriptor, at: offset)
      throw error
    }
  }

  private func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: FileDescriptor, at offset: Int
  ) throws(SystemCallError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...].prefix(PieceWriter.chunk))
      let count = try retryingInterruptions(system.write(descriptor, rest, at: offset + written))
      // No file answers so; going on would be to go round for ever.
      guard count > 0 else { throw SystemCallError(.pwrite, EIO) }
      written += count
    }
  }

  /// Takes back what a failed append may have written, so that no reader finds a change that its caller was told has failed.
  private func erase(_ count: Int, of descriptor: FileDescriptor, at offset: Int) {
    let zeros = [UInt8](repeating: 0, count: min(count, ArchiveFile.roomLength))
    do throws(SystemCallError) {
      let outcome = zeros.withUnsafeBytes { bytes in
        Result { () throws(SystemCallError) in try writeAll(bytes, to: descriptor, at: offset) }
      }
      try outcome.get()
    } catch {
      // A change that was not written to its end is none.
    }
  }
}
