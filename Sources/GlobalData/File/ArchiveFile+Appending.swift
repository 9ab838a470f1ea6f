import Foundation
import KeyedArchive

// The protocol of appending. The file is written in place, but only where it has no meaning yet: behind its last change. What
// a failure leaves there is a change that is not whole, and counts for nothing.
//
//   the change, behind the one before it        in one call; with zeros behind it, where it makes the file longer
//   fdatasync                                   the bytes are on the medium before the caller hears of success
//
// The zeros are room for the changes to come: a change within a file changes nothing about the file, so that syncing it
// costs one write of the medium and not two.

extension ArchiveFile {
  /// How much longer the file is made at a time.
  static let roomLength = 64 << 10

  /// Writes a change behind the file's last one.
  ///
  /// - Parameters:
  ///   - change: The bytes of the change.
  ///   - point: Where it has its place.
  ///   - stamp: What the file looks like.
  ///   - durability: What the change is to survive.
  /// - Returns: What the file looks like now; `nil` where it is not the file that it was.
  /// - Throws: ``GlobalDataError`` with code `durabilityUnknown` when the change is in the file but its survival of a power
  ///   failure is unknown; with any other code when it counts for nothing. In both cases the file has to be written anew before
  ///   more can be appended.
  func append(
    _ change: ByteBuffer, at point: AppendPoint, after stamp: FileStamp, durability: Durability
  ) throws(GlobalDataError) -> FileStamp? {
    let location = try location()
    let descriptor: FileDescriptor
    do {
      let folder = try openFolder(location.folder)
      defer { system.closeUnwritten(folder.descriptor) }
      descriptor = try retryingInterruptions(system.openForUpdating(location.name, in: folder.descriptor))
    } catch {
      throw .cannotWrite(error, url)
    }
    defer { system.closeUnwritten(descriptor) }  // What a close could tell, the sync has told.
    var result: FileStamp?
    do throws(SystemCallError) {
      let status = try retryingInterruptions(system.status(of: descriptor))
      guard status.inode == stamp.inode, status.device == stamp.device, status.size == stamp.size else { return nil }
      let end = point.offset + change.count
      if end > status.size, durability != .processCrash { change.appendZeros(ArchiveFile.room(behind: end)) }
      try write(change, to: descriptor, at: point.offset)
      result = stamp
    } catch {
      throw .cannotWrite(error, url)
    }
    do throws(SystemCallError) {
      if durability != .processCrash { try retryingInterruptions(system.sync(descriptor, .data)) }
      let status = try retryingInterruptions(system.status(of: descriptor))
      result = FileStamp(status, beginning: stamp.beginning)
    } catch {
      throw .cannotSyncChange(error, url)
    }
    return result
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

  /// Whether a place in a file, and all behind it, has never been written to by anybody.
  func isFree(_ point: AppendPoint) throws(GlobalDataError) -> Bool {
    let location = try location()
    do {
      let folder = try openFolder(location.folder)
      defer { system.closeUnwritten(folder.descriptor) }
      let descriptor = try openForReading(location.name, in: folder)
      defer { system.closeUnwritten(descriptor) }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
      defer { buffer.deallocate() }
      let count = try retryingInterruptions(system.read(descriptor, into: buffer, at: point.offset))
      return buffer.prefix(count).allSatisfy { $0 == 0 }
    } catch {
      throw .cannotOpen(error, url)
    }
  }
}
