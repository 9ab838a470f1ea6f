import Foundation
import KeyedArchive

/// One reading of a store's file, from its first byte to its last.
///
/// Lengths and counts are taken for what they are, claims of the file, until compared with the bytes that are there.
struct ArchiveParser {
  let data: Data
  let reader: CBORReader
  /// The bytes of `data`.
  private let bytes: UnsafeRawBufferPointer
  private let limits: ArchiveLimits
  private(set) var offset = 0
  private(set) var entries = EntryTable()
  private(set) var damage: [ArchiveDamage] = []
  var hash = XXHash64()
  /// The checksums of all entries, as they stand in the file, once one of them is none of `entries`.
  private var checksums: [UInt64]?
  /// Where the intact entry ends that was read last.
  private var intactEnd = 0
  /// The places of the entries whose checksums do not match.
  private var damagedRegions: [Range<Int>] = []

  /// A parser of a file. `bytes` are those of `data`, and must stay valid while the parser is used.
  init(_ data: Data, _ bytes: UnsafeRawBufferPointer, _ limits: ArchiveLimits) {
    self.data = data
    self.limits = limits
    self.bytes = bytes
    reader = CBORReader(bytes)
  }

  /// A parser that begins at another place of a file that is being read.
  init(_ data: Data, bytesFrom other: ArchiveParser, at offset: Int) {
    self.data = data
    limits = other.limits
    reader = other.reader
    bytes = other.bytes
    self.offset = offset
  }

  /// Reads one entry, and nothing else; `nil` when there is none or it is damaged.
  mutating func readOneEntry() -> StoredEntry? {
    entries = EntryTable(in: data, capacity: 0)
    do {
      try readEntry()
    } catch {
      return nil  // Whoever looks for entries expects to find other things.
    }
    return entries.first { _ in true }
  }

  mutating func parse() throws(ArchiveImageError) -> ArchiveImage.Contents {
    try readMagic()
    let version = try readVersion()
    var image: ArchiveImage
    let count: UInt64
    do {
      image = ArchiveImage(
        identity: try readIdentity(),
        generation: try readArgument(.unsigned, "the generation"),
        entries: []
      )
      count = try readArgument(.map, "the map of entries")
    } catch {
      // Of a newer format it cannot be said whether it is damaged.
      throw version > ArchiveImage.version ? .newerFormat(version: version) : .damaged(error)
    }
    hash.update(reader.bytes(0..<offset))
    intactEnd = offset
    var checksum: UInt64?
    if readAllEntries(count, image) {
      do {
        checksum = try readTail()
      } catch {
        damage.append(error)
      }
    }
    // Where the end of a damaged archive cannot be told, the first change may stand anywhere behind what is damaged.
    let damagedStart = damagedRegions.first.map { min($0.lowerBound, intactEnd) } ?? intactEnd
    let behind = checksum == nil ? firstChange(behind: damagedStart, of: image) ?? reader.count : offset
    var missing = count > UInt64(entries.count) ? count - UInt64(entries.count) : 0
    image.entries = entries
    let read = readChanges(from: behind, of: image, checksum: checksum)
    image.apply(read.changes)
    var lostKeys = damage.compactMap(\.key)
    if !lostKeys.isEmpty {
      // What was set or removed since is not lost.
      let changed = Set(read.changes.flatMap { $0.removedKeys + $0.entries.map(\.key) })
      missing -= min(missing, UInt64(lostKeys.count(where: changed.contains)))
      lostKeys.removeAll(where: changed.contains)
    }
    lostKeys += read.damage.compactMap(\.key)
    damage += read.damage
    return ArchiveImage.Contents(
      image: image, version: version, claimedCount: UInt64(image.entries.count) + missing, byteCount: reader.count,
      damage: damage, lostKeys: lostKeys, appendPoint: damage.isEmpty ? read.appendPoint : nil)
  }

  /// Reads the entries, and where one cannot be followed to the next, looks for those behind. Returns whether all could
  /// be followed.
  private mutating func readAllEntries(_ count: UInt64, _ image: ArchiveImage) -> Bool {
    do {
      try readEntries(count, makingRoomFor: .max)
      return true
    } catch {
      damage.append(error)
      // Behind the last entry stands the checksum of the whole, and then perhaps changes, or room for them.
      let end = firstChange(behind: intactEnd, of: image) ?? max(intactEnd, writtenEnd)
      take(entriesFound(in: intactEnd..<end, endingAt: end - 9, isTruncated: error.kind == .truncated))
      // A wrong length may also have swallowed entries, and by chance have ended where another one starts.
      for region in damagedRegions where region.upperBound <= intactEnd {
        take(entriesFound(in: region, endingAt: region.upperBound, isTruncated: true))
      }
      entries = EntryTable(entries.sorted { $0.record.startIndex < $1.record.startIndex })
      return false
    }
  }

  private mutating func take(_ found: [StoredEntry]) {
    for entry in found where !entries.contains(entry.key) { entries.set(entry) }
  }

  // MARK: Before the entries

  private mutating func readMagic() throws(ArchiveImageError) {
    let magic = ArchiveImage.magic
    let start = reader.bytes(0..<min(reader.count, magic.count))
    guard !start.isEmpty else { throw .damaged(ArchiveDamage(.empty, at: 0)) }
    guard start.elementsEqual(magic.prefix(start.count)) else {
      // A file system may keep the length of a file whose bytes were lost.
      guard start.contains(where: { $0 != 0 }) else { throw .damaged(ArchiveDamage(.zeros, at: 0)) }
      throw .foreignFormat
    }
    guard start.count == magic.count else { throw .damaged(ArchiveDamage(.truncated, at: start.count)) }
    offset = magic.count
  }

  private mutating func readVersion() throws(ArchiveImageError) -> UInt64 {
    let start = offset
    let version: UInt64
    do {
      version = try readArgument(.unsigned, "the version of the format")
    } catch {
      throw .damaged(error)
    }
    guard version > 0 else { throw .damaged(ArchiveDamage(.malformed("a version that never was"), at: start)) }
    return version
  }

  private mutating func readIdentity() throws(ArchiveDamage) -> UUID {
    try readExactly(ArchiveImage.uuidHead, "the identity of the store")
    let bytes = try take(16)
    var uuid = UUID().uuid
    withUnsafeMutableBytes(of: &uuid) { $0.copyMemory(from: bytes) }
    return UUID(uuid: uuid)
  }

  // MARK: The entries

  /// - Parameters:
  ///   - count: How many entries there are to be.
  ///   - most: How many to make room for at most before any was read. A search for changes tries many places, and must not
  ///     take time for what they claim.
  /// - Throws: Why the next entry cannot be found; all other damage is noted.
  mutating func readEntries(_ count: UInt64, makingRoomFor most: Int = 1024) throws(ArchiveDamage) {
    // The shortest entry: a key of one letter (2), the array (1), the length (1), the checksum (9), a value (1).
    let possible = min(count, UInt64((reader.count - offset) / 14))
    let capacity = min(Int(truncatingIfNeeded: possible), most)
    entries = EntryTable(in: data, capacity: capacity)
    var index: UInt64 = 0
    while index < count {
      if !readPlainEntry() { try readEntry() }
      index += 1
    }
  }

  /// Reads an entry that is as nearly all are: intact, with a new key in ASCII, and with heads of up to three bytes.
  ///
  /// - Returns: Whether it is; where it is not, nothing was read, and ``readEntry()`` tells what it is.
  private mutating func readPlainEntry() -> Bool {
    let start = offset
    guard bytes.count - start >= 2 else { return false }
    let (keyStart, keyLength): (Int, Int)
    switch bytes[start] {
    case let head where head > 0x60 && head < 0x78: (keyStart, keyLength) = (start + 1, Int(head & 0x1f))
    case 0x78 where bytes[start + 1] >= 24: (keyStart, keyLength) = (start + 2, Int(bytes[start + 1]))
    default: return false
    }
    // What can stand between the key and the value: the array, three bytes of length, the head of the checksum, the checksum.
    let keyEnd = keyStart + keyLength
    guard keyLength <= limits.maximumKeyLength, bytes.count - keyEnd >= 13, bytes[keyEnd] == 0x83 else { return false }
    let (checksumStart, length): (Int, Int)
    switch bytes[keyEnd + 1] {
    case let head where head > 0 && head < 24: (checksumStart, length) = (keyEnd + 2, Int(head))
    case 0x18 where bytes[keyEnd + 2] >= 24: (checksumStart, length) = (keyEnd + 3, Int(bytes[keyEnd + 2]))
    case 0x19 where bytes[keyEnd + 2] > 0:
      (checksumStart, length) = (keyEnd + 4, Int(bytes[keyEnd + 2]) << 8 | Int(bytes[keyEnd + 3]))
    default: return false
    }
    let valueStart = checksumStart + 9
    guard bytes[checksumStart] == 0x48, bytes.count - valueStart >= length else { return false }
    let stored = bytes.loadUnaligned(fromByteOffset: checksumStart + 1, as: UInt64.self)
    let checksum = XXHash64.checksum(
      UnsafeRawBufferPointer(rebasing: bytes[start..<valueStart + length]), without: keyEnd - start..<valueStart - start
    )
    let key = UnsafeRawBufferPointer(rebasing: bytes[keyStart..<keyEnd])
    guard checksum == UInt64(bigEndian: stored), KeyIndex.isASCII(key),
      entries.append(
        start..<valueStart + length, keyBytes: key, text: nil, valueOffset: valueStart - start, checksum: checksum)
    else { return false }
    checksums?.append(stored)
    offset = valueStart + length
    intactEnd = offset
    return true
  }

  /// Reads one entry; throws where the next one cannot be found, and notes all other damage.
  private mutating func readEntry() throws(ArchiveDamage) {
    let start = offset
    let keyLength = try readArgument(.text, "a key")
    let keyBytes = try take(keyLength)
    let keyEnd = offset
    let isASCII = KeyIndex.isASCII(keyBytes)
    // Made only where it is needed: an ASCII key is found by its bytes.
    func key() -> String? { String(validating: keyBytes, as: UTF8.self) }

    let checksum: UInt64
    let valueBytes: UnsafeRawBufferPointer
    let valueOffset: Int
    do {
      try readByte(0x83, "the array of length, checksum and value")
      let length = try readArgument(.unsigned, "the length of the value")
      try readByte(0x48, "the checksum of the entry")
      checksum = try readChecksum()
      valueOffset = offset
      valueBytes = try take(length)
    } catch {
      throw ArchiveDamage(error.kind, key: key(), at: error.offset)
    }

    var isTaken = false
    defer { note(checksum, isTaken: isTaken) }
    let record = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    guard XXHash64.checksum(record, without: keyEnd - start..<valueOffset - start) == checksum else {
      damage.append(ArchiveDamage(.entryChecksum, key: key(), at: start))
      damagedRegions.append(start..<offset)
      return
    }
    intactEnd = offset
    // What comes now was written so: not by a store, which refuses to.
    let text = isASCII ? nil : key()
    guard isASCII || text != nil else {
      damage.append(ArchiveDamage(.invalidKey("is not valid UTF-8"), at: start))
      return
    }
    guard !keyBytes.isEmpty, keyBytes.count <= limits.maximumKeyLength else {
      let what = keyBytes.isEmpty ? "is empty" : "has more than \(limits.maximumKeyLength) bytes"
      damage.append(ArchiveDamage(.invalidKey(what), key: key(), at: start))
      return
    }
    guard !valueBytes.isEmpty else {
      damage.append(ArchiveDamage(.malformed("no value"), key: key(), at: valueOffset))
      return
    }
    // Equal strings of different bytes are duplicates too: a dictionary of Swift's could hold only one of them.
    let isNew = entries.append(
      start..<offset, keyBytes: keyBytes, text: text, valueOffset: valueOffset - start, checksum: checksum)
    guard isNew else {
      damage.append(ArchiveDamage(.duplicateKey, key: key(), at: start))
      return
    }
    isTaken = true
  }

  /// Notes the checksum of an entry that was read, in whose place there is one of `entries` or none.
  private mutating func note(_ checksum: UInt64, isTaken: Bool) {
    if !isTaken, checksums == nil { checksums = entries.map(\.checksum.bigEndian) }
    checksums?.append(checksum.bigEndian)
  }

  /// Adds the checksums of all entries that were read, in order, to one of the whole.
  mutating func addChecksums() {
    if let checksums { checksums.withUnsafeBytes { hash.update($0) } } else { entries.addChecksums(to: &hash) }
  }

  // MARK: Behind the entries

  private mutating func readTail() throws(ArchiveDamage) -> UInt64 {
    let start = offset
    try readExactly([0x48], "the checksum of the whole")
    addChecksums()
    let checksum = try readChecksum()
    guard checksum == hash.checksum else { throw ArchiveDamage(.archiveChecksum, at: start) }
    return checksum
  }

  // MARK: Items

  /// Reads the shortest possible head of a definite length and returns its argument.
  mutating func readArgument(
    _ major: CBORHead.Major,
    _ what: @autoclosure () -> String
  ) throws(ArchiveDamage) -> UInt64 {
    // Heads of one and two bytes, which nearly all are.
    if offset < bytes.count, bytes[offset] >> 5 == major.rawValue {
      let info = bytes[offset] & 0x1f
      if info < 24 {
        offset += 1
        return UInt64(info)
      }
      if info == 24, offset + 1 < bytes.count, bytes[offset + 1] >= 24 {
        offset += 2
        return UInt64(bytes[offset - 1])
      }
    }
    let head: CBORHead
    do {
      head = try reader.head(at: offset)
    } catch {
      throw ArchiveDamage(error.reason == .truncated ? .truncated : .malformed("\(error.reason)"), at: offset)
    }
    guard head.major == major, !head.isIndefinite else {
      throw ArchiveDamage(.malformed("something else in the place of \(what())"), at: offset)
    }
    guard head.end - offset == CBORHead.length(of: head.argument) else {
      throw ArchiveDamage(.malformed("a head that is longer than it need be"), at: offset)
    }
    offset = head.end
    return head.argument
  }

  private mutating func readByte(_ expected: UInt8, _ what: @autoclosure () -> String) throws(ArchiveDamage) {
    guard offset < bytes.count else { throw ArchiveDamage(.truncated, at: offset) }
    guard bytes[offset] == expected else {
      throw ArchiveDamage(.malformed("something else in the place of \(what())"), at: offset)
    }
    offset += 1
  }

  mutating func readExactly(_ expected: [UInt8], _ what: @autoclosure () -> String) throws(ArchiveDamage) {
    let start = offset
    guard try take(UInt64(expected.count)).elementsEqual(expected) else {
      throw ArchiveDamage(.malformed("something else in the place of \(what())"), at: start)
    }
  }

  mutating func readChecksum() throws(ArchiveDamage) -> UInt64 {
    UInt64(bigEndian: try take(8).loadUnaligned(as: UInt64.self))
  }

  /// Takes the next bytes, whose number is a claim of the file.
  mutating func take(_ count: UInt64) throws(ArchiveDamage) -> UnsafeRawBufferPointer {
    guard count <= UInt64(bytes.count - offset) else { throw ArchiveDamage(.truncated, at: offset) }
    let start = offset
    offset += Int(truncatingIfNeeded: count)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
  }
}
