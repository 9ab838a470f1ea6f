import KeyedArchive

/// The records of an archive or a change, which are read in order, together with any damage among them.
///
/// A damaged record is skipped by its length. If one flipped bit explains the damage, the bit is repaired. If the next
/// record is not at the expected offset, a search finds it by its form and its checksum, which no other bytes in a file
/// have by chance. However, a value may contain a whole archive, whose entries do not belong to the store. A search
/// therefore accepts only records that follow one another up to the end of the region.
struct RecordRegion: ~Copyable {
  enum Item: ~Copyable {
    case intact(StepRecord)
    /// A record with one repaired bit, and its correct key.
    case repaired(StepRecord, key: String)
    /// One or more unreadable records. The key is `nil` if it is unknown.
    case lost(ArchiveDamage, key: String?, StepRecord?)
  }

  private let bytes: UnsafeRawBufferPointer
  /// The end of the region, as the file claims.
  private let expectedEnd: Int
  private let tail: Tail
  /// Whether the bytes at the expected end are the ones that follow records. If so, the records end nowhere else.
  private let isEndCertain: Bool
  /// The offset of the next record. The caller continues elsewhere after records that it has read itself.
  var offset: Int
  /// The offset of a record that is known to be intact.
  private var checkedOffset: Int?
  private(set) var isContiguous = true
  private var isAnyLost = false
  /// Whether the records ended at an unexpected offset. If so, they may belong to a copy of an archive in a value.
  var endsElsewhere: Bool { offset != expectedEnd }
  /// Offsets from which no sequence of records leads to the end of the region.
  private var deadEnds: Set<Int> = []

  enum Tail {
    /// A checksum, followed by the end of the file, zeros, or a change.
    case ofArchive
    /// A checksum, followed by the end of a change.
    case ofChange
  }

  /// Creates a region that begins at an offset or at the head before the records. `expectedEnd` is the end that the
  /// file claims.
  init(_ bytes: UnsafeRawBufferPointer, from offset: Int, to expectedEnd: Int, tail: Tail) {
    self.bytes = bytes
    self.offset = offset
    self.expectedEnd = expectedEnd
    self.tail = tail
    isEndCertain = RecordRegion.isTail(bytes, at: expectedEnd, tail)
  }

  /// Continues after the head of the map or array. `length` is the length of that head, or `nil` if it is damaged.
  /// Returns whether an intact record, or the end, follows the head. If not, the head or the record is damaged.
  mutating func skipHead(ofLength length: Int?, _ budget: inout RecoveryBudget) -> Bool {
    let start = offset
    func isStart(_ length: Int) -> Bool {
      guard start + length != expectedEnd else { return true }
      guard let record = recordForm(at: start + length), record.end <= expectedEnd else { return false }
      return isIntact(record, &budget)
    }
    if let length, isStart(length) {
      offset += length
      // The record at this offset need not be hashed again.
      checkedOffset = offset
      return true
    }
    offset += [1, 2, 3, 5, 9].first(where: isStart) ?? length ?? 1
    return false
  }

  /// Returns the next record or damage, or `nil` at the end of the region. The end is at ``offset``, which differs from
  /// the expected end if bytes are missing or if there are too many.
  mutating func next(_ budget: inout RecoveryBudget) -> Item? {
    guard !isEnd(offset) else { return nil }
    guard offset < min(expectedEnd, bytes.count) else {
      offset = min(expectedEnd, bytes.count)
      return nil
    }
    let record: StepRecord
    do throws(ArchiveDamage) {
      record = try self.record(at: offset)
    } catch {
      let key = StepRecord.readKey(frame(at: offset))
      return skipDamage(ArchiveDamage(error.kind, key: key, at: error.offset), nil, &budget)
    }
    if offset == checkedOffset || isIntact(record, &budget) {
      offset = record.end
      return .intact(record)
    }
    return skipDamage(ArchiveDamage(.entryChecksum, key: key(of: record), at: record.start), record, &budget)
  }

  /// Returns the number of records that were lost without a trace: the difference between `count`, from the head before
  /// the records, and `found`. `count` is `nil` if that head is damaged. Returns 1 if records were lost but their
  /// number is unknown. The head `isCertain` if an intact record follows it. Bytes may be missing between the records
  /// unless they are `isWhole`.
  func missingCount(besides found: UInt64, of count: UInt64?, isCertain: Bool, isWhole: Bool) -> UInt64 {
    guard isAnyLost || endsElsewhere || !isWhole else { return 0 }
    guard let count, isCertain || count <= UInt64(expectedEnd / RecordRegion.shortestRecord), count >= found else {
      return 1
    }
    return max(count - found, endsElsewhere ? 1 : 0)
  }

  // MARK: Records

  /// The length of the shortest record: the removal (10) of a one-letter key (2).
  private static let shortestRecord = 12

  private func record(at start: Int) throws(ArchiveDamage) -> StepRecord {
    try StepRecord.read(bytes.part(start...), at: start, endingBy: bytes.count)
  }

  /// Returns the bytes at an offset that a record's heads and a key that can be repaired occupy at most.
  private func frame(at start: Int) -> UnsafeRawBufferPointer {
    // The longest possible heads of the key, array, length, and checksum.
    let length = StepRecord.longestRepairedKey + 9 + 1 + 9 + 9
    return bytes.part(start..<min(start + length, bytes.count))
  }

  /// Returns whether a record is intact. Returns `false` once the budget is exceeded.
  private func isIntact(_ record: StepRecord, _ budget: inout RecoveryBudget) -> Bool {
    guard budget.isKept else { return false }
    budget.spend(reading: record.start..<record.end)
    return StepRecord.checksum(key: bytes.part(record.key), value: bytes.part(record.value)) == record.checksum
  }

  private func isEnd(_ offset: Int) -> Bool {
    offset == expectedEnd || !isContiguous && isTail(at: offset)
  }

  private func isTail(at offset: Int) -> Bool {
    !isEndCertain && RecordRegion.isTail(bytes, at: offset, tail)
  }

  private static func isTail(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ tail: Tail) -> Bool {
    guard bytes.count - offset >= 9, bytes[offset] == 0x48 else { return false }
    let rest = bytes[(offset + 9)...]
    switch tail {
    case .ofArchive: return rest.isEmpty || rest.first == 0 || rest.first == 0x88
    case .ofChange: return rest.starts(with: ArchiveChange.end)
    }
  }

  // MARK: Damage

  private mutating func skipDamage(
    _ damage: ArchiveDamage, _ record: StepRecord?, _ budget: inout RecoveryBudget
  ) -> Item {
    if let (repaired, key) = repairedRecord(record, at: offset, &budget) {
      offset = repaired.end
      return .repaired(repaired, key: key)
    }
    isAnyLost = true
    // If something follows at the end of the record, its length is intact. The damage is then in the value or the key.
    if let record, isCredibleEnd(record.end) {
      offset = record.end
      return .lost(damage, key: damage.key, record)
    }
    isContiguous = false
    offset = nextRecord(after: offset, &budget) ?? min(expectedEnd, bytes.count)
    return .lost(damage, key: damage.key, nil)
  }

  private func isCredibleEnd(_ end: Int) -> Bool {
    end == expectedEnd || isTail(at: end) || recordForm(at: end) != nil
  }

  /// Returns the record at an offset with one bit of its key, checksum, or heads repaired, and its correct key.
  private func repairedRecord(
    _ record: StepRecord?, at start: Int, _ budget: inout RecoveryBudget
  ) -> (StepRecord, key: String)? {
    if var record, isCredibleEnd(record.end), let key = repairedKey(of: &record, &budget) { return (record, key) }
    // A flipped bit in a key or a checksum leaves all other bytes in place. A flipped bit in a head changes the
    // apparent offsets of the bytes that follow.
    guard budget.isKept else { return nil }
    var frame = Array(frame(at: start))
    for offset in headOffsets(frame) {
      for bit in 0..<8 {
        frame[offset] ^= 1 &<< bit
        defer { frame[offset] ^= 1 &<< bit }
        budget.spend(1)
        // A damaged record may be so large that the budget must be left for those after it.
        guard let record = recordForm(frame, at: start), record.key.count <= StepRecord.longestRepairedKey,
          isCredibleEnd(record.end), budget.allows(record.end - record.start), isIntact(record, &budget)
        else { continue }
        return key(of: record).map { (record, $0) }
      }
    }
    return nil
  }

  /// Returns the key of a record whose checksum does not match, if one flipped bit in the key or the checksum explains
  /// the mismatch. Repairs the checksum.
  private func repairedKey(of record: inout StepRecord, _ budget: inout RecoveryBudget) -> String? {
    guard record.key.count <= StepRecord.longestRepairedKey,
      budget.spendIfEnough(record.value.count, bitsOfKey: record.key.count)
    else { return nil }
    let valueHash = XXHash64.checksum(bytes.part(record.value))
    var key = Array(bytes[record.key])
    func checksum() -> UInt64 { key.withUnsafeBytes { XXHash64.checksum($0, seed: valueHash) } }
    let computed = checksum()
    if (computed ^ record.checksum).nonzeroBitCount == 1 {
      record.checksum = computed
      return String(validating: key, as: UTF8.self)
    }
    for offset in key.indices {
      for bit in 0..<8 {
        key[offset] ^= 1 &<< bit
        if checksum() == record.checksum { return String(validating: key, as: UTF8.self) }
        key[offset] ^= 1 &<< bit
      }
    }
    return nil
  }

  private func key(of record: StepRecord) -> String? {
    String(validating: bytes.part(record.key), as: UTF8.self)
  }

  /// Returns the offsets of the bytes of all heads. Other bits change neither the form nor the end of a record, so the
  /// bits of its key and its checksum are tried before. Each try may hash the whole value.
  private func headOffsets(_ frame: [UInt8]) -> [Int] {
    // If the first byte of a head is damaged, no other byte is, and the width that it gives does not matter.
    func width(at offset: Int) -> Int {
      guard offset < frame.count, case let form = frame[offset] & 0x1f, form > 23 else { return 1 }
      return form < 28 ? 1 + 1 &<< Int(truncatingIfNeeded: form - 24) : 1
    }
    // If the key's head is damaged, the length of the key is unknown. The flipped bit is then in that head.
    let keyHead = Array(0..<min(width(at: 0), 3, frame.count))
    guard let keyEnd = frame.withUnsafeBytes(StepRecord.keyRange)?.upperBound else { return keyHead }
    // The array, the length, and the head of the checksum. A removal has no length.
    return keyHead + Array(keyEnd..<min(keyEnd + 2 + width(at: keyEnd + 1), frame.count))
  }

  private func recordForm(_ frame: [UInt8], at start: Int) -> StepRecord? {
    frame.withUnsafeBytes { try? StepRecord.read($0, at: start, endingBy: bytes.count) }
  }

  /// Returns the offset of the next intact record that starts a sequence of records up to the end of the region.
  private mutating func nextRecord(after start: Int, _ budget: inout RecoveryBudget) -> Int? {
    var offset = start + 1
    let end = min(expectedEnd, bytes.count)
    defer { budget.spend(reading: start..<offset) }
    while offset < end, !budget.isSpent {
      if bytes[offset] &>> 5 == CBORHead.Major.text.rawValue, leadsToEnd(from: offset, &budget) { return offset }
      offset += 1
    }
    return nil
  }

  private mutating func leadsToEnd(from start: Int, _ budget: inout RecoveryBudget) -> Bool {
    guard let first = recordForm(at: start), !deadEnds.contains(start) else { return false }
    var visited = [start]
    var offset = first.end
    while !(offset == expectedEnd || isTail(at: offset)) {
      budget.spend(1)
      guard !budget.isSpent, !deadEnds.contains(offset), let record = recordForm(at: offset) else {
        deadEnds.formUnion(visited)
        return false
      }
      visited.append(offset)
      offset = record.end
    }
    return isIntact(first, &budget)
  }

  private func recordForm(at offset: Int) -> StepRecord? {
    guard offset < bytes.count, bytes[offset] &>> 5 == CBORHead.Major.text.rawValue else { return nil }
    return try? record(at: offset)  // other bytes are not a record
  }
}
