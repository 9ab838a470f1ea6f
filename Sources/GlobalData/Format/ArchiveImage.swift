import KeyedArchive

/// The contents of a store's file: the identity of the store, the generation, and the entries in insertion order.
///
/// The file is one CBOR item. Equal contents always have the same encoding:
///
///     …62 bytes…                     see ArchiveHead
///         a2                         the entries: a map, see StepRecord
///           …
///         48 …8 bytes…               checksum of the whole: XXH64, big-endian, of all bytes before the first entry
///                                    and then of every entry's 8 bytes of checksum
///
/// The checksum of the whole shows that every entry is present and that no entry is an older one. The checksum of each
/// entry shows that the entry is unchanged. Together, the checksums cover every byte.
struct ArchiveImage: Sendable {
  var identity: StoreIdentity
  var generation: UInt64
  var entries: EntryTable

  static let version: UInt64 = 1

  /// Returns the bytes of the file, in order, and the checksum of the whole. Only tests pass another `version`.
  ///
  /// The pieces share their memory with the entries, and adjacent entries form one piece. Only the bytes before and
  /// after the entries are copied.
  func encoded(version: UInt64 = ArchiveImage.version) -> (pieces: [SharedBytes], checksum: UInt64) {
    let mapHead = ByteBuffer(capacity: 16)
    mapHead.appendHead(.map, UInt64(entries.count))
    let head = ArchiveHead(
      version: version, identity: identity, generation: generation,
      entriesLength: UInt64(mapHead.count + entries.byteCount)
    ).encoded()
    mapHead.withUnsafeBytes { head.append($0) }
    var hash = XXHash64()
    head.withUnsafeBytes { hash.update($0) }
    entries.addChecksums(to: &hash)
    let tail = ByteBuffer(capacity: 16)
    tail.appendHead(.bytes, 8)
    tail.append(bigEndian: hash.checksum)
    return ([head.takeBytes()] + entries.pieces() + [tail.takeBytes()], hash.checksum)
  }
}

extension ArchiveImage {
  init(identity: StoreIdentity, generation: UInt64, entries: [StoredEntry]) {
    self.init(identity: identity, generation: generation, entries: EntryTable(entries))
  }
}
