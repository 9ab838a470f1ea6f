import Foundation
import KeyedArchive

/// A commit that was appended to a file: an item behind the archive, or behind the change before it.
///
///     86                             array of 6, or 87, an array of 7
///       18 2b                        generation: one more than before
///       19 1000                      only of 7: how many bytes of the file were certainly on the medium before this was written;
///                                    of 6, all that stand before it
///       48 …8 bytes…                 the checksum of the archive or change before it
///       81 63 636172                 the keys that were removed: array of texts
///       a1                           the entries that were set: a map, see StoredEntry
///         …
///       48 …8 bytes…                 checksum: XXH64, big-endian, of the store's identity, of all bytes of the item before
///                                    the first entry, and then of every entry's 8 bytes of checksum
///       63 656e64                    text "end": what a change ends with that was written to its end
///
/// The checksum of the one before makes a chain: none can be left out, nor stand behind another file. Its own checksum is
/// mixed with the store's identity, so that a change that is found behind a damaged one is known for the store's own.
struct ArchiveChange: Sendable {
  var generation: UInt64
  /// How many bytes of the file were certainly on the medium before this was written; `nil` where all were that stand before it.
  ///
  /// What is written without a sync reaches the medium in any order. After a power cut, what is missing behind this place is not
  /// damage but the end of what there is.
  var syncedLength: Int?
  var previousChecksum: UInt64
  var removedKeys: [String]
  var entries: [StoredEntry]

  /// The bytes of the item, and its checksum.
  ///
  /// - Complexity: O(*n*) in the size of the change.
  func encoded(identity: UUID) -> (bytes: ByteBuffer, checksum: UInt64) {
    let size = entries.reduce(removedKeys.reduce(64) { $0 + $1.utf8.count + 9 }) { $0 + $1.record.count }
    let buffer = ByteBuffer(capacity: size)
    buffer.appendHead(.array, syncedLength == nil ? 6 : 7)
    buffer.appendHead(.unsigned, generation)
    if let syncedLength { buffer.appendHead(.unsigned, UInt64(syncedLength)) }
    buffer.appendHead(.bytes, 8)
    buffer.append(bigEndian: previousChecksum)
    buffer.appendHead(.array, UInt64(removedKeys.count))
    for key in removedKeys { buffer.appendText(key) }
    buffer.appendHead(.map, UInt64(entries.count))
    var hash = ArchiveChange.hash(identity: identity)
    buffer.withUnsafeBytes { hash.update($0) }
    for entry in entries {
      withUnsafeBytes(of: entry.checksum.bigEndian) { hash.update($0) }
      buffer.append(contentsOf: entry.record)
    }
    let checksum = hash.checksum
    buffer.appendHead(.bytes, 8)
    buffer.append(bigEndian: checksum)
    for byte in ArchiveChange.end { buffer.append(byte) }
    return (buffer, checksum)
  }

  /// The last item of a change.
  static let end: [UInt8] = [0x63] + Array("end".utf8)

  /// The checksum's beginning.
  static func hash(identity: UUID) -> XXHash64 {
    var hash = XXHash64()
    withUnsafeBytes(of: identity.uuid) { hash.update($0) }
    return hash
  }
}

/// Where the next change of a file has its place.
struct AppendPoint: Hashable, Sendable {
  /// The offset behind the archive and its changes, in bytes. Beyond it the file has nothing but zeros.
  var offset: Int
  /// The checksum of the archive or of the last change.
  var checksum: UInt64
  /// How many bytes before it are certainly on the medium, counted from the file's beginning.
  var syncedLength: Int
  /// Whether it was found in a file, so that nobody knows how much more was synced.
  var isFound = false
  /// Whether the file is certainly on the medium under its name.
  var isNameSynced = false

  /// As many bytes as are looked at before the place: a checksum and, behind a change, its end.
  private static let precedingLength = 8 + ArchiveChange.end.count
  /// As many as are looked at behind it, more than the head of any change.
  private static let followingLength = 16

  /// Whether the checksum stands before the place in a file, and nothing but zeros, or nothing at all, behind it.
  func isEnd(of descriptor: FileDescriptor, _ system: any SystemCalls) throws(SystemCallError) -> Bool {
    let length = AppendPoint.precedingLength + AppendPoint.followingLength
    let outcome = withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { bytes in
      Result { () throws(SystemCallError) in
        let start = offset - AppendPoint.precedingLength
        let count = try retryingInterruptions(system.read(descriptor, into: bytes, at: start))
        guard count >= AppendPoint.precedingLength else { return false }
        return isPreceded(by: bytes) && bytes[AppendPoint.precedingLength..<count].allSatisfy { $0 == 0 }
      }
    }
    return try outcome.get()
  }

  /// Whether bytes are the end of the archive or of the change.
  private func isPreceded(by bytes: UnsafeMutableRawBufferPointer) -> Bool {
    func holdsChecksum(at place: Int) -> Bool {
      UInt64(bigEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: place, as: UInt64.self)) == checksum
    }
    return holdsChecksum(at: ArchiveChange.end.count)
      || holdsChecksum(at: 0) && bytes[8..<AppendPoint.precedingLength].elementsEqual(ArchiveChange.end)
  }
}
