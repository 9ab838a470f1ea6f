import KeyedArchive

/// A parser that reads a store's file once, from the first byte to the last.
///
/// The parser does not trust the lengths and counts in the file until it has compared them with the bytes. All recovery
/// work draws on one budget, so reading takes linear time for any file.
struct ArchiveParser: ~Copyable {
  let file: SharedBytes
  let bytes: UnsafeRawBufferPointer
  var budget: RecoveryBudget
  var entries: EntryTable
  var damage: [ArchiveDamage] = []
  var losses = LostRecords()

  /// `bytes` are the bytes of `file`. They must stay valid while the parser is in use.
  init(_ file: SharedBytes, _ bytes: UnsafeRawBufferPointer) {
    self.file = file
    self.bytes = bytes
    budget = RecoveryBudget(byteCount: bytes.count)
    entries = EntryTable(in: file, capacity: 0)
  }

  mutating func parse() -> ParsedArchive {
    guard let (head, fixed) = ArchiveHead.read(bytes) else { return answerWithoutHead }
    if fixed.isRepaired { damage.append(ArchiveDamage(.flippedBit("the head of the archive"), at: 0)) }
    let archive = readEntries(head, fixed)
    let history = readChanges(after: archive, generation: head.generation)
    // A truncated file had room for more entries than it has now.
    let length = max(UInt64(bytes.count), head.entriesLength)
    return ParsedArchive(
      ArchiveImage.Contents(
        image: ArchiveImage(identity: head.identity, generation: history.generation, entries: entries),
        version: head.version, byteCount: bytes.count, damage: damage,
        losses: losses.result(beside: entries, limit: Int(clamping: length / UInt64(ArchiveParser.shortestEntry))),
        appendPoint: damage.isEmpty ? history.end : nil))
  }

  private var answerWithoutHead: ParsedArchive {
    guard !bytes.isEmpty else { return .unreadable(ArchiveDamage(.empty, at: 0)) }
    if let version = ArchiveHead.claimedLaterVersion(bytes) { return .newer(version: version, nil) }
    let magic = ArchiveHead.magic
    let start = bytes.prefix(magic.count)
    guard start.elementsEqual(magic.prefix(start.count)) else {
      // A file system may preserve the length of a file whose bytes were lost.
      return start.contains { $0 != 0 } ? .foreign : .unreadable(ArchiveDamage(.zeros, at: 0))
    }
    let isTruncated = bytes.count < ArchiveHead.length
    return .unreadable(ArchiveDamage(isTruncated ? .truncated : .archiveHead, at: isTruncated ? bytes.count : 0))
  }

  // MARK: Parts of records

  /// The length of the shortest entry: a key of one letter (2), the array (1), the length (1), the checksum (9), and a
  /// value (1).
  static let shortestEntry = 14

  /// Returns the count in the head of a map or array. Records the damage and returns `nil` if there is no such head.
  mutating func readCount(_ major: CBORHead.Major, _ what: String, at offset: Int, endingBy end: Int) -> UInt64? {
    var cursor = FrameCursor(bytes.part(offset..<max(offset, min(end, bytes.count))), at: offset)
    do throws(ArchiveDamage) {
      return try cursor.argument(major, what)
    } catch {
      damage.append(error)
      return nil
    }
  }

  /// Returns the key of a record. Throws if a store cannot contain the record.
  func checkedKey(_ record: StepRecord) throws(ArchiveDamage) -> String {
    let bytes = bytes.part(record.key)
    guard let key = String(validating: bytes, as: UTF8.self) else {
      throw ArchiveDamage(.invalidKey("is not valid UTF-8"), at: record.start)
    }
    if let damage = damage(of: record, key, bytes) { throw damage }
    return key
  }

  /// Returns the reason why a store cannot contain a record whose key is known.
  private func damage(of record: StepRecord, _ key: String, _ bytes: UnsafeRawBufferPointer) -> ArchiveDamage? {
    guard !bytes.isEmpty else { return ArchiveDamage(.invalidKey("is empty"), key: key, at: record.start) }
    guard !ZeroRuns.areLong(in: bytes) else {
      return ArchiveDamage(.invalidKey("has a long run of NUL characters"), key: key, at: record.start)
    }
    guard record.isRemoval || !record.value.isEmpty else {
      return ArchiveDamage(.malformed("no value"), key: key, at: record.value.lowerBound)
    }
    return nil
  }

  /// Returns the entry of a repaired record, or `nil` for a removal. Throws if a store cannot contain the record.
  func entry(_ record: StepRecord, repairedKey key: String) throws(ArchiveDamage) -> StoredEntry? {
    var text = key
    let damage = text.withUTF8 { self.damage(of: record, key, UnsafeRawBufferPointer($0)) }
    if let damage { throw damage }
    guard !record.isRemoval else { return nil }
    return StoredEntry(key: key, value: bytes.part(record.value))
  }
}
