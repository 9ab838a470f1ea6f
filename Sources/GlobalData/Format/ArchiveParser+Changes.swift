import KeyedArchive

// The archive is followed by appended changes, and then by zeros that leave room for more.
//
// A power cut in the middle of an append leaves an incomplete change: either the file ends early, or a sector was never
// written and still contains zeros. A writer that is killed during an append leaves the beginning of a change, followed
// by zeros. Such a change was never acknowledged, so it is ignored. Any other difference from the written bytes is
// damage. A written sector never looks like an unwritten one; see ZeroRuns. The end of a change contains no zeros.
//
// A store that accepts an earlier state after a power cut appends without a sync. Sectors may then be missing anywhere,
// even before intact changes. Each change records how much of the file was on stable storage when the change was
// written. The history ends at the first missing bytes after that offset, and all later changes are ignored.

extension ArchiveParser {
  mutating func readChanges(after archive: ArchiveEnd, generation: UInt64) -> History {
    let end = writtenEnd
    guard archive.offset < end else {
      let end = AppendPoint(
        offset: archive.offset, checksum: archive.checksums[0], archiveChecksum: archive.checksums[0],
        syncedLength: archive.offset, isFound: true)
      return History(generation: generation, end: end)
    }
    let archiveChecksum =
      archive.checksums.first { head(at: archive.offset, $0, repairs: true) != nil } ?? archive.checksums[0]
    let changes = findChanges(from: archive.offset, to: end, generation, archiveChecksum)
    return apply(changes, after: archive, generation, archiveChecksum)
  }

  func head(at offset: Int, _ archiveChecksum: UInt64, repairs: Bool) -> ChangeHead.Found? {
    ChangeHead.read(bytes.part(offset...), archiveChecksum: archiveChecksum, repairs: repairs)
  }

  // MARK: Finding

  private mutating func findChanges(
    from start: Int, to end: Int, _ generation: UInt64, _ archiveChecksum: UInt64
  ) -> [FoundChange] {
    var changes: [FoundChange] = []
    var (offset, generation) = (start, generation)
    var checksum: UInt64? = archiveChecksum
    while offset < end {
      var change: FoundChange
      // Once the budget is exceeded, the rest is lost as one change.
      if budget.isKept, let found = head(at: offset, archiveChecksum, repairs: true), isPossible(found.head) {
        change = readChange(found, at: offset, archiveChecksum, writtenEnd: end)
        let follows =
          checksum.map { $0 == found.head.previousChecksum && found.head.generation == generation &+ 1 }
          ?? isLater(found.head.generation, than: generation)
        if !follows { recordGap(before: found.head, generation, &change) }
        // The changes between a damaged change and this one are lost, too. Count them here unless the loss of the
        // unreadable bytes before this change already includes them.
        let isCounted = changes.last.map { $0.generation == nil && !$0.items.isEmpty } ?? true
        if checksum == nil, !isCounted, found.head.generation != generation &+ 1 {
          change.items = [.lostUnnamed(1)] + change.items
        }
        // Either bytes are missing before this change, or a store did not write it. The change still counts.
        if found.head.syncedLength > UInt64(offset) {
          change.damage.append(
            ArchiveDamage(.malformed("a change that claims more bytes on stable storage than precede it"), at: offset))
        }
      } else {
        let next = budget.isKept ? nextHead(in: offset + 1..<bytes.count, generation, archiveChecksum) : nil
        change = unreadableChange(offset..<(next ?? end), writtenEnd: end)
      }
      generation = change.generation ?? generation
      checksum = change.checksum
      offset = change.range.upperBound
      changes.append(change)
    }
    return changes
  }

  /// Returns whether a head can belong to a change. The checksum of the head is correct, but a store may not have
  /// written it.
  private func isPossible(_ head: ChangeHead) -> Bool {
    head.length >= UInt64(1 + ArchiveChange.tailLength)
  }

  private func recordGap(before head: ChangeHead, _ generation: UInt64, _ change: inout FoundChange) {
    change.damage.append(
      ArchiveDamage(.malformed("a change that does not follow the one before it"), at: change.range.lowerBound))
    if isLater(head.generation, than: generation) {
      change.items = [.lostUnnamed(1)] + change.items  // The changes between them may have affected any key.
    } else {
      change.items = []  // This change is older, and the state that it applied to is unknown.
      change.generation = generation
    }
  }

  /// Returns whether a generation is later than another one. After the largest generation, counting continues from
  /// zero.
  func isLater(_ generation: UInt64, than other: UInt64) -> Bool {
    generation != other && generation &- other < UInt64(1) &<< 63
  }

  // `writtenEnd` is the offset after the last nonzero byte of the file.
  private mutating func readChange(
    _ found: ChangeHead.Found, at start: Int, _ archiveChecksum: UInt64, writtenEnd: Int
  ) -> FoundChange {
    let bodyStart = start + ChangeHead.length
    let isCut = found.head.length > UInt64(bytes.count - bodyStart)
    let end = isCut ? bytes.count : bodyStart + Int(truncatingIfNeeded: found.head.length)
    var change = FoundChange(range: start..<end, generation: found.head.generation)
    if isCut {
      change.damage = [ArchiveDamage(.truncated, at: bytes.count)]
      change.items = [.lostUnnamed(1)]  // Its steps, which are not read, may have affected any key.
    } else {
      readSteps(from: bodyStart, to: end - ArchiveChange.tailLength, of: &change, found.checksum)
    }
    if !change.damage.isEmpty {
      // The next change begins inside this one only if bytes of this one are missing.
      if let next = nextHead(in: bodyStart..<end, found.head.generation, archiveChecksum) {
        change = FoundChange(range: start..<next, generation: found.head.generation)
        let stepsEnd = max(bodyStart + 1, next - ArchiveChange.tailLength)
        readSteps(from: bodyStart, to: min(stepsEnd, next), of: &change, found.checksum, isWhole: false)
        if change.damage.isEmpty { change.damage = [ArchiveDamage(.changeChecksum, at: start)] }
      } else {
        let isEndUnwritten = writtenEnd <= end - ArchiveChange.end.count
        change.unwrittenOffset = firstUnwrittenSector(start..<end) ?? (isCut || isEndUnwritten ? writtenEnd : nil)
      }
    }
    change.syncedLength = Int(clamping: found.head.syncedLength)
    if found.isRepaired {
      change.damage = [ArchiveDamage(.flippedBit("the head of an appended change"), at: start)] + change.damage
    }
    return change
  }

  private mutating func readSteps(
    from start: Int, to end: Int, of change: inout FoundChange, _ headChecksum: UInt64, isWhole: Bool = true
  ) {
    let known = damage.count
    let head = readCount(.array, "the steps of a change", at: start, endingBy: end)
    if damage.count > known { change.damage.append(damage.removeLast()) }

    var region = RecordRegion(bytes, from: start, to: end, tail: .ofChange)
    let isHeadCertain = region.skipHead(ofLength: head.map(CBORHead.length(of:)), &budget)
    var hash = XXHash64(seed: headChecksum)
    hash.update(bytes.part(start..<region.offset))
    var found: UInt64 = 0
    while let item = region.next(&budget) {
      found += 1
      if let checksum = take(item, &change) { withUnsafeBytes(of: checksum.bigEndian) { hash.update($0) } }
    }
    let missing = region.missingCount(
      besides: found, of: head.map { $0 / 2 }, isCertain: isHeadCertain, isWhole: isWhole)
    if missing > 0 { change.items.append(.lostUnnamed(missing)) }
    guard change.damage.isEmpty else { return }
    if head != 2 * found || !isHeadCertain {
      change.damage.append(ArchiveDamage(.malformed("a change with a head that does not fit its steps"), at: start))
    } else if !isTail(at: end, hash.checksum) {
      change.damage.append(ArchiveDamage(.changeChecksum, at: change.range.lowerBound))
    } else {
      change.checksum = hash.checksum
    }
  }

  private func isTail(at offset: Int, _ checksum: UInt64) -> Bool {
    let tail = bytes.part(offset..<offset + ArchiveChange.tailLength)
    return tail[0] == 0x48 && tail.number(at: 1) == checksum && tail[9...].elementsEqual(ArchiveChange.end)
  }

  /// Adds the step, loss, or damage of an item to a change, and returns the checksum in the record.
  func take(_ item: borrowing RecordRegion.Item, _ change: inout FoundChange) -> UInt64? {
    switch item {
    case .repaired(let record, let key):
      do throws(ArchiveDamage) {
        let entry = try entry(record, repairedKey: key)
        change.damage.append(ArchiveDamage(.flippedBit("an entry of an appended change"), key: key, at: record.start))
        change.items.append(.step(entry.map { .set($0) } ?? .remove(key)))
      } catch {
        change.damage.append(error)
        change.items.append(.lostUnnamed(1))
      }
      return record.checksum
    case .lost(let damage, let key, let record):
      change.damage.append(damage)
      change.items.append(key.map { .lost($0, isRemoval: record?.isRemoval == true) } ?? .lostUnnamed(1))
      return record?.checksum
    case .intact(let record):
      do throws(ArchiveDamage) {
        change.items.append(.step(try step(record)))
      } catch {
        change.damage.append(error)
        change.items.append(error.key.map { .lost($0, isRemoval: record.isRemoval) } ?? .lostUnnamed(1))
      }
      return record.checksum
    }
  }

  private func step(_ record: StepRecord) throws(ArchiveDamage) -> ArchiveChange.Step {
    let key = try checkedKey(record)
    guard !record.isRemoval else { return .remove(key) }
    return .set(
      StoredEntry(
        key: key, record: file.part(record.start..<record.end), valueOffset: record.value.lowerBound - record.start,
        checksum: record.checksum))
  }
}
