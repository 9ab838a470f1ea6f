import KeyedArchive

/// A commit that was appended to a file: an item after the archive, or after the change before it.
///
///     88                             array of 8: its head has 46 bytes
///       1b …8 bytes…                 generation: one more than before
///       1b …8 bytes…                 how many bytes of the file were on stable storage when this was written
///       1b …8 bytes…                 the number of bytes after the head
///       48 …8 bytes…                 the checksum of the archive or change before it
///       48 …8 bytes…                 checksum of the head: XXH64 of the bytes before this item, seeded with the archive's checksum
///     82                             the steps, in order: array of their keys and records, see StepRecord
///       …
///     48 …8 bytes…                   checksum of the change: XXH64, seeded with that of the head, of the head of the steps' array and
///                                    then of every step's 8 bytes of checksum
///     63 656e64                      text "end"
///
/// The checksum of the one before makes a chain: none can be left out. The archive's checksum as the seed ties the
/// changes to this archive: a copy of an earlier file, which a value may hold, has another one.
struct ArchiveChange: Sendable {
  enum Step: Sendable {
    case set(StoredEntry)
    case remove(String)
  }

  var generation: UInt64
  /// How many bytes of the file were on stable storage when this was written.
  ///
  /// What is written without a sync reaches the disk in any order. After a power cut, what is missing after this offset
  /// is not damage but the end of the history.
  var syncedLength: Int
  var previousChecksum: UInt64
  var steps: [Step]

  func encoded(archiveChecksum: UInt64) -> (bytes: ByteBuffer, checksum: UInt64) {
    let stepsHeadLength = CBORHead.length(of: 2 * UInt64(steps.count))
    let stepsLength = steps.reduce(stepsHeadLength) { $0 + $1.recordLength }
    let head = ChangeHead(
      generation: generation, syncedLength: UInt64(syncedLength),
      length: UInt64(stepsLength + ArchiveChange.tailLength),
      previousChecksum: previousChecksum)
    let (buffer, headChecksum) = head.encoded(
      archiveChecksum: archiveChecksum, capacity: ChangeHead.length + stepsLength + ArchiveChange.tailLength + 16)

    buffer.appendHead(.array, 2 * UInt64(steps.count))
    var hash = XXHash64(seed: headChecksum)
    buffer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[ChangeHead.length...])) }
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

  /// The number of bytes after the steps: the checksum and the end.
  static let tailLength = 13
}

extension ArchiveChange.Step {
  fileprivate var recordLength: Int {
    switch self {
    case .set(let entry): entry.record.count
    case .remove(let key): StepRecord.removalLength(of: key)
    }
  }

  /// Appends the bytes of the step, and returns the checksum in them.
  fileprivate func append(to buffer: ByteBuffer) -> UInt64 {
    switch self {
    case .set(let entry):
      buffer.append(entry.record)
      return entry.checksum
    case .remove(let key): return StepRecord.appendRemoval(of: key, to: buffer)
    }
  }
}
