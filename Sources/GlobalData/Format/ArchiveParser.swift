import Foundation
import KeyedArchive

/// One reading of a store's file, from its first byte to its last.
///
/// Lengths and counts are claims of the file until they are compared with the bytes that are there. All work for the sake of damage
/// comes out of one budget, so that reading takes linear time whatever the file holds.
struct ArchiveParser {
  let data: Data
  /// The bytes of `data`.
  let bytes: UnsafeRawBufferPointer
  let limits: ArchiveLimits
  /// How many bytes may still be hashed or tried for the sake of damage.
  var budget: Int
  var entries: EntryTable
  var damage: [ArchiveDamage] = []
  var losses = LostRecords()

  /// A parser of a file. `bytes` are those of `data`, and must stay valid while the parser is used.
  init(_ data: Data, _ bytes: UnsafeRawBufferPointer, _ limits: ArchiveLimits) {
    self.data = data
    self.bytes = bytes
    self.limits = limits
    budget = 8 * bytes.count + (1 << 20)
    entries = EntryTable(in: data, capacity: 0)
  }

  mutating func parse() throws(ArchiveImageError) -> ArchiveImage.Contents {
    let (head, fixed) = try readHead()
    if fixed.isRepaired { damage.append(ArchiveDamage(.flippedBit("the head of the archive"), at: 0)) }
    let archive = readEntries(head, fixed)
    let changes = readChanges(after: archive, generation: head.generation)
    return ArchiveImage.Contents(
      image: ArchiveImage(identity: head.identity, generation: changes.generation, entries: entries),
      version: head.version, byteCount: bytes.count, damage: damage,
      losses: losses.result(beside: entries, limit: bytes.count / ArchiveParser.shortestRecord),
      appendPoint: damage.isEmpty ? changes.appendPoint : nil)
  }

  // MARK: The head

  private func readHead() throws(ArchiveImageError) -> (ArchiveHead, FixedHead) {
    guard !bytes.isEmpty else { throw .damaged(ArchiveDamage(.empty, at: 0)) }
    if let found = ArchiveHead.read(bytes) { return found }
    if let version = ArchiveHead.claimedLaterVersion(bytes) { throw .newerFormat(version: version) }
    let magic = ArchiveHead.magic
    let start = bytes.prefix(magic.count)
    guard start.elementsEqual(magic.prefix(start.count)) else {
      // A file system may keep the length of a file whose bytes were lost.
      guard start.contains(where: { $0 != 0 }) else { throw .damaged(ArchiveDamage(.zeros, at: 0)) }
      throw .foreignFormat
    }
    let isTruncated = bytes.count < ArchiveHead.length
    throw .damaged(ArchiveDamage(isTruncated ? .truncated : .archiveHead, at: isTruncated ? bytes.count : 0))
  }

  // MARK: The entries

  /// The length of the shortest entry: a key of one letter (2), the array (1), the length (1), the checksum (9), a value (1).
  private static let shortestRecord = 14

  /// An archive as it was read.
  struct ArchiveEnd {
    /// Where the first change stands.
    var offset: Int
    /// The checksum of the archive: what it should be, and what stands in the file.
    var checksums: [UInt64]
  }

  private mutating func readEntries(_ head: ArchiveHead, _ fixed: FixedHead) -> ArchiveEnd {
    let room = UInt64(bytes.count - ArchiveHead.length)
    let end = ArchiveHead.length + Int(truncatingIfNeeded: min(head.entriesLength, room))
    let count = readCount(.map, "the map of entries", at: ArchiveHead.length, endingBy: end)
    let possible = min(count ?? 0, UInt64(end / ArchiveParser.shortestRecord))
    entries = EntryTable(in: data, capacity: Int(truncatingIfNeeded: possible))

    var region = RecordRegion(bytes, limits, from: ArchiveHead.length, to: end, tail: .ofArchive)
    let isHeadCertain = region.skipHead(ofLength: count.map(CBORHead.length(of:)))
    // The checksums of all records, as they stand in the file, once one of them is not that of an entry.
    var checksums: [UInt64]?
    var found: UInt64 = 0
    while true {
      while let next = appendPlainEntry(at: region.offset, endingBy: end) {
        checksums?.append(entries.lastChecksum.bigEndian)
        region.skip(to: next)
        found += 1
      }
      guard let item = region.next(&budget) else { break }
      found += 1
      let kept = entries.count
      let checksum = take(item)
      if entries.count == kept, checksums == nil { checksums = entries.map(\.checksum.bigEndian) }
      if let checksum { checksums?.append(checksum.bigEndian) }
    }
    let isComplete = losses.isEmpty && region.offset == end && head.entriesLength <= room
    if isComplete {
      if count != found, damage.isEmpty {
        damage.append(ArchiveDamage(.malformed("a map that does not have \(found) entries"), at: ArchiveHead.length))
      }
    } else {
      let missing = region.missingCount(besides: found, of: count, isCertain: isHeadCertain)
      if missing > 0 { losses.loseUnnamed(missing, areChanges: region.endsElsewhere) }
    }

    var hash = XXHash64()
    fixed.bytes.withUnsafeBytes { hash.update($0) }
    let mapHead = ByteBuffer(capacity: 16)
    mapHead.appendHead(.map, isComplete ? found : count ?? found)
    mapHead.withUnsafeBytes { hash.update($0) }
    if let checksums { checksums.withUnsafeBytes { hash.update($0) } } else { entries.addChecksums(to: &hash) }
    return readArchiveEnd(at: region.offset, hash.checksum)
  }

  /// Reads the checksum of the archive.
  private mutating func readArchiveEnd(at offset: Int, _ checksum: UInt64) -> ArchiveEnd {
    guard bytes.count - offset >= 9 else {
      if damage.isEmpty { damage.append(ArchiveDamage(.truncated, at: bytes.count)) }
      return ArchiveEnd(offset: bytes.count, checksums: [checksum])
    }
    let stored = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self))
    if bytes[offset] != 0x48 {
      damage.append(ArchiveDamage(.malformed("something else instead of the checksum of the whole"), at: offset))
    } else if stored != checksum, damage.isEmpty {
      damage.append(ArchiveDamage(.archiveChecksum, at: offset))
    }
    return ArchiveEnd(offset: offset + 9, checksums: stored == checksum ? [checksum] : [checksum, stored])
  }

  /// Reads the head of a map or array; `nil`, with the damage recorded, where it is not one.
  mutating func readCount(
    _ major: CBORHead.Major, _ what: @autoclosure () -> String, at offset: Int, endingBy end: Int
  ) -> UInt64? {
    var cursor = FrameCursor(
      UnsafeRawBufferPointer(rebasing: bytes[offset..<max(offset, min(end, bytes.count))]), at: offset)
    do {
      return try cursor.argument(major, what())
    } catch {
      damage.append(error)
      return nil
    }
  }

  /// Takes an entry of the archive, or records what is wrong with it. Returns the checksum that stands in the record.
  private mutating func take(_ item: RecordRegion.Item) -> UInt64? {
    switch item {
    case .repaired(let record, let key):
      do {
        let entry = try entry(record, repairedKey: key)
        damage.append(ArchiveDamage(.flippedBit("the entry"), key: key, at: record.start))
        if let entry, entries[key] == nil { entries.set(entry) }
      } catch {
        damage.append(error)
        losses.loseUnnamed(1, areChanges: false)
      }
      return record.checksum
    case .lost(let damage, let key, let record):
      self.damage.append(damage)
      if let key { losses.lose(key) } else { losses.loseUnnamed(1, areChanges: false) }
      return record?.checksum
    case .intact(let record):
      do {
        try append(record)
      } catch {
        damage.append(error)
        if error.kind != .duplicateKey {
          if let key = error.key { losses.lose(key) } else { losses.loseUnnamed(1, areChanges: false) }
        }
      }
      return record.checksum
    }
  }

  /// Appends an intact record to the entries.
  ///
  /// - Throws: Why it cannot be an entry. It was written so, and not by a store, which refuses to.
  private mutating func append(_ record: StepRecord) throws(ArchiveDamage) {
    let keyBytes = UnsafeRawBufferPointer(rebasing: bytes[record.key])
    let text = try checkedKey(record)
    guard !record.isRemoval else {
      throw ArchiveDamage(.malformed("a removal"), key: text, at: record.start)
    }
    guard !record.value.isEmpty else {
      throw ArchiveDamage(.malformed("no value"), key: text, at: record.value.lowerBound)
    }
    // Equal strings of different bytes are duplicates too: a dictionary of Swift's could hold only one of them.
    let isNew = entries.append(
      record.start..<record.end, keyBytes: keyBytes, text: KeyIndex.isASCII(keyBytes) ? nil : text,
      valueOffset: record.value.lowerBound - record.start, checksum: record.checksum)
    guard isNew else { throw ArchiveDamage(.duplicateKey, key: text, at: record.start) }
  }

  /// The key of a record, if a store may have it.
  func checkedKey(_ record: StepRecord) throws(ArchiveDamage) -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[record.key])
    guard let key = String(validating: bytes, as: UTF8.self) else {
      throw ArchiveDamage(.invalidKey("is not valid UTF-8"), at: record.start)
    }
    try check(key, bytes, at: record.start)
    return key
  }

  private func check(_ key: String, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(ArchiveDamage) {
    guard !bytes.isEmpty, bytes.count <= limits.maximumKeyLength else {
      let what = bytes.isEmpty ? "is empty" : "has more than \(limits.maximumKeyLength) bytes"
      throw ArchiveDamage(.invalidKey(what), key: key, at: offset)
    }
    guard !ZeroRuns.areLong(in: bytes) else {
      throw ArchiveDamage(.invalidKey("has a long run of zeros"), key: key, at: offset)
    }
  }

  /// The entry of a record of which a bit was put right; `nil` for a removal.
  ///
  /// - Throws: Why a store cannot have it.
  func entry(_ record: StepRecord, repairedKey key: String) throws(ArchiveDamage) -> StoredEntry? {
    var text = key
    let wrong: ArchiveDamage? = text.withUTF8 { bytes in
      do throws(ArchiveDamage) {
        try check(key, UnsafeRawBufferPointer(bytes), at: record.start)
        return nil
      } catch {
        return error
      }
    }
    if let wrong { throw wrong }
    guard !record.isRemoval else { return nil }
    guard !record.value.isEmpty else {
      throw ArchiveDamage(.malformed("no value"), key: key, at: record.value.lowerBound)
    }
    return StoredEntry(key: key, value: data(record.value))
  }

  /// The bytes of a range, which share the memory of the file's.
  func data(_ range: Range<Int>) -> Data {
    data[(data.startIndex + range.lowerBound)..<(data.startIndex + range.upperBound)]
  }

  /// Reads an entry that is as nearly all are: intact, with a new key in ASCII, and with heads of up to three bytes.
  ///
  /// - Returns: Where it ends; `nil` where it is another, of which nothing was taken.
  private mutating func appendPlainEntry(at start: Int, endingBy end: Int) -> Int? {
    guard end - start >= 2 else { return nil }
    let (keyStart, keyLength): (Int, Int)
    switch bytes[start] {
    case let head where head > 0x60 && head < 0x78: (keyStart, keyLength) = (start + 1, Int(head & 0x1f))
    case 0x78 where bytes[start + 1] >= 24: (keyStart, keyLength) = (start + 2, Int(bytes[start + 1]))
    default: return nil
    }
    // What can stand between the key and the value: the array, three bytes of length, the head of the checksum, the checksum.
    let keyEnd = keyStart + keyLength
    guard keyLength <= limits.maximumKeyLength, keyLength < ZeroRuns.limit, end - keyEnd >= 13, bytes[keyEnd] == 0x83
    else { return nil }
    let (checksumStart, length): (Int, Int)
    switch bytes[keyEnd + 1] {
    case let head where head > 0 && head < 24: (checksumStart, length) = (keyEnd + 2, Int(head))
    case 0x18 where bytes[keyEnd + 2] >= 24: (checksumStart, length) = (keyEnd + 3, Int(bytes[keyEnd + 2]))
    case 0x19 where bytes[keyEnd + 2] > 0:
      (checksumStart, length) = (keyEnd + 4, Int(bytes[keyEnd + 2]) << 8 | Int(bytes[keyEnd + 3]))
    default: return nil
    }
    let valueStart = checksumStart + 9
    guard bytes[checksumStart] == 0x48, end - valueStart >= length else { return nil }
    let stored = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: checksumStart + 1, as: UInt64.self))
    let key = UnsafeRawBufferPointer(rebasing: bytes[keyStart..<keyEnd])
    let value = UnsafeRawBufferPointer(rebasing: bytes[valueStart..<valueStart + length])
    guard StepRecord.checksum(key: key, value: value) == stored, KeyIndex.isASCII(key),
      entries.append(
        start..<valueStart + length, keyBytes: key, text: nil, valueOffset: valueStart - start, checksum: stored)
    else { return nil }
    return valueStart + length
  }
}
