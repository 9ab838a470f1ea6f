import KeyedArchive

/// A commit that was appended to a file, after the archive or the previous change.
///
///     88                             array of 8: its head has 46 bytes
///       1b …8 bytes…                 generation: one more than before
///       1b …8 bytes…                 how many bytes of the file were on stable storage when this was written
///       1b …8 bytes…                 the number of bytes after the head
///       48 …8 bytes…                 the checksum of the archive or change before it
///       48 …8 bytes…                 checksum of the head: XXH64 of the bytes before this item, seeded with the
///                                    checksum of the archive
///     82                             the steps, in order: array of their keys and records, see StepRecord
///       …
///     48 …8 bytes…                   checksum of the change: XXH64, seeded with that of the head, of the head of
///                                    the steps' array and then of every step's 8 bytes of checksum
///     63 656e64                      text "end"
///
/// The checksum of the previous item links the changes into a chain, so a missing change is noticed. The archive's
/// checksum as the seed ties the changes to this archive. A value may contain a copy of an earlier file, but that copy
/// has a different checksum.
struct ArchiveChange: Sendable {
  enum Step: Sendable {
    case set(StoredEntry)
    case remove(String)
  }

  var generation: UInt64
  /// The number of bytes of the file that were on stable storage when this change was written.
  ///
  /// Bytes that are written without a sync reach the disk in any order. Bytes after this offset that are missing after
  /// a power cut are not damage. They mark the end of the history.
  var syncedLength: Int
  var previousChecksum: UInt64
  var steps: [Step]

  func encoded(archiveChecksum: UInt64) -> (bytes: ByteBuffer, checksum: UInt64) {
    let stepsHeadLength = CBORHead.length(of: 2 * UInt64(steps.count))
    let stepsLength = steps.reduce(stepsHeadLength) { $0 + $1.recordLength }
    let head = ChangeHead(
      generation: generation, syncedLength: UInt64(syncedLength),
      length: UInt64(stepsLength + ArchiveChange.tailLength), previousChecksum: previousChecksum)
    let (buffer, headChecksum) = head.encoded(
      archiveChecksum: archiveChecksum, capacity: ChangeHead.length + stepsLength + ArchiveChange.tailLength + 16)

    buffer.appendHead(.array, 2 * UInt64(steps.count))
    var hash = XXHash64(seed: headChecksum)
    buffer.withUnsafeBytes { hash.update($0.part(ChangeHead.length...)) }
    for step in steps {
      let stepChecksum = step.append(to: buffer)
      withUnsafeBytes(of: stepChecksum.bigEndian) { hash.update($0) }
    }
    let checksum = hash.checksum
    buffer.appendHead(.bytes, 8)
    buffer.append(bigEndian: checksum)
    for byte in ArchiveChange.end { buffer.append(byte) }
    return (buffer, checksum)
  }

  static let end: [UInt8] = [0x63] + Array("end".utf8)

  /// The number of bytes after the steps, which are the checksum and the end.
  static let tailLength = 13
}

extension ArchiveChange.Step {
  fileprivate var recordLength: Int {
    switch self {
    case .set(let entry): entry.record.count
    case .remove(let key): StepRecord.removalLength(of: key)
    }
  }

  /// Appends the bytes of the step and returns the checksum that they contain.
  fileprivate func append(to buffer: ByteBuffer) -> UInt64 {
    switch self {
    case .set(let entry):
      buffer.append(entry.record)
      return entry.checksum
    case .remove(let key): return StepRecord.appendRemoval(of: key, to: buffer)
    }
  }
}
