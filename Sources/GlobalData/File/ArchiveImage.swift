import Foundation
import KeyedArchive

/// What a store's file says: whose it is, how often it was written, and the entries in the order of their insertion.
///
/// The file is one CBOR item. Every head is the shortest possible, so that one content has one form:
///
///     d9 d9f7                        tag 55799: this is CBOR
///       86                           array of 6
///         6a 476c6f62616c44617461    text "GlobalData"
///         01                         version of the format
///         d8 25 50 …16 bytes…        tag 37: the identity of the store, a UUID
///         18 2a                      the generation, which grows with each write
///         a2                         the entries: a map, see StoredEntry
///           …
///         48 …8 bytes…               checksum of the whole: XXH64, big-endian, of all bytes before the first entry
///                                    and then of every entry's 8 bytes of checksum
///
/// The checksum of the whole says that all entries are there and none is an older one; their own checksums say that
/// each is as it was written. Together they cover every byte.
struct ArchiveImage: Sendable {
  var identity: UUID
  var generation: UInt64
  var entries: EntryTable

  init(identity: UUID, generation: UInt64, entries: EntryTable) {
    self.identity = identity
    self.generation = generation
    self.entries = entries
  }

  init(identity: UUID, generation: UInt64, entries: [StoredEntry]) {
    self.init(identity: identity, generation: generation, entries: EntryTable(entries))
  }

  static let version: UInt64 = 1

  /// What every archive starts with, whatever its version.
  static let magic: [UInt8] = [0xd9, 0xd9, 0xf7, 0x86, 0x6a] + Array("GlobalData".utf8)

  /// The bytes of a UUID item before those of the UUID: tag 37 and the head of 16 bytes.
  static let uuidHead: [UInt8] = [0xd8, 0x25, 0x50]

  /// The bytes of the file, in order.
  ///
  /// The pieces share their memory with the entries, and entries that are neighbours there are one: nothing is copied but the
  /// bytes before and after them. Another version of the format than this one's is for tests.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  func pieces(version: UInt64 = ArchiveImage.version) -> [Data] {
    encoded(version: version).pieces
  }

  /// The bytes of the file, in order, and the checksum of the whole.
  func encoded(version: UInt64 = ArchiveImage.version) -> (pieces: [Data], checksum: UInt64) {
    let head = head(version: version)
    var hash = XXHash64()
    head.withUnsafeBytes { hash.update($0) }
    entries.addChecksums(to: &hash)
    let tail = ByteBuffer(capacity: 9)
    tail.appendHead(.bytes, 8)
    tail.append(bigEndian: hash.checksum)
    return ([head] + entries.pieces() + [tail.takeData()], hash.checksum)
  }

  private func head(version: UInt64 = ArchiveImage.version) -> Data {
    let head = ByteBuffer(capacity: 64)
    head.append(contentsOf: ArchiveImage.magic)
    head.appendHead(.unsigned, version)
    head.append(contentsOf: ArchiveImage.uuidHead)
    withUnsafeBytes(of: identity.uuid) { head.append($0) }
    head.appendHead(.unsigned, generation)
    head.appendHead(.map, UInt64(entries.count))
    return head.takeData()
  }
}
