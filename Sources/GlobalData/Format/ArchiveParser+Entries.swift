import KeyedArchive

// The entries of the archive, and the checksum of the whole.

extension ArchiveParser {
  struct ArchiveEnd {
    var offset: Int
    /// The expected checksum, followed by the one in the file if they differ.
    var checksums: [UInt64]
  }

  mutating func readEntries(_ head: ArchiveHead, _ fixed: FixedHead) -> ArchiveEnd {
    let room = UInt64(bytes.count - ArchiveHead.length)
    let end = ArchiveHead.length + Int(truncatingIfNeeded: min(head.entriesLength, room))
    let count = readCount(.map, "the map of entries", at: ArchiveHead.length, endingBy: end)
    let possible = min(count ?? 0, UInt64(end / ArchiveParser.shortestEntry))
    entries = EntryTable(in: file, capacity: Int(truncatingIfNeeded: possible))

    var region = RecordRegion(bytes, from: ArchiveHead.length, to: end, tail: .ofArchive)
    let isHeadCertain = region.skipHead(ofLength: count.map(CBORHead.length(of:)), &budget)
    // The checksums of all records, as stored in the file. `nil` until a record is found that does not become an entry.
    var checksums: [UInt64]?
    var found: UInt64 = 0
    while true {
      while let next = appendPlainEntry(at: region.offset, endingBy: end) {
        checksums?.append(entries.lastChecksum.bigEndian)
        region.offset = next
        found += 1
      }
      guard let item = region.next(&budget) else { break }
      found += 1
      let kept = entries.count
      let checksum = take(item)
      if entries.count == kept, checksums == nil { checksums = entries.list().map { $0.checksum.bigEndian } }
      if let checksum { checksums?.append(checksum.bigEndian) }
    }
    let isWhole = head.entriesLength <= room
    let isComplete = losses.isEmpty && region.offset == end && isWhole
    if isComplete {
      if count != found || !isHeadCertain, damage.isEmpty {
        damage.append(
          ArchiveDamage(.malformed("a map whose head does not fit its \(found) entries"), at: ArchiveHead.length))
      }
    } else {
      let missing = region.missingCount(besides: found, of: count, isCertain: isHeadCertain, isWhole: isWhole)
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

  private mutating func readArchiveEnd(at offset: Int, _ checksum: UInt64) -> ArchiveEnd {
    guard bytes.count - offset >= 9 else {
      if damage.isEmpty { damage.append(ArchiveDamage(.truncated, at: bytes.count)) }
      return ArchiveEnd(offset: bytes.count, checksums: [checksum])
    }
    let stored = bytes.number(at: offset + 1)
    if bytes[offset] != 0x48 {
      damage.append(ArchiveDamage(.expected("the checksum of the archive"), at: offset))
    } else if stored != checksum, damage.isEmpty {
      damage.append(ArchiveDamage(.archiveChecksum, at: offset))
    }
    return ArchiveEnd(offset: offset + 9, checksums: stored == checksum ? [checksum] : [checksum, stored])
  }

  /// Adds an entry of the archive, or records its damage. Returns the checksum in the record, as repaired.
  private mutating func take(_ item: borrowing RecordRegion.Item) -> UInt64? {
    switch item {
    case .repaired(let record, let key):
      do throws(ArchiveDamage) {
        let entry = try entry(record, repairedKey: key)
        damage.append(ArchiveDamage(.flippedBit("the entry"), key: key, at: record.start))
        if let entry {
          if entries[key] == nil { entries.set(entry) }
        } else {
          losses.lose(key)  // an archive has no removals
        }
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
      do throws(ArchiveDamage) {
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

  /// Appends the entry of an intact record. Throws if a store would refuse the record even though it is intact.
  private mutating func append(_ record: StepRecord) throws(ArchiveDamage) {
    let keyBytes = bytes.part(record.key)
    let text = try checkedKey(record)
    guard !record.isRemoval else {
      throw ArchiveDamage(.malformed("a removal"), key: text, at: record.start)
    }
    // Equal strings with different bytes are duplicates, too, because a Swift dictionary can contain only one of them.
    let range = record.start..<record.end
    let isNew =
      keyBytes.isASCII
      ? entries.append(range, asciiKey: keyBytes, checksum: record.checksum)
      : entries.append(range, otherKey: text, checksum: record.checksum)
    guard isNew else { throw ArchiveDamage(.duplicateKey, key: text, at: record.start) }
  }
}
