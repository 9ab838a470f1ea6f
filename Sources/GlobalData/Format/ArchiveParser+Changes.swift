import Foundation
import KeyedArchive

// What stands after the archive: changes that were appended, and then zeros, which are room for more.
//
// A power cut in the middle of an append leaves a change of which a part is missing: the file ends, or a sector was never
// written and is still zeros. A writer that is killed there leaves the beginning of a change, and zeros after it. Such a change was
// never acknowledged, so it counts for nothing. All else that is not as it was written is damage. A sector that was written never
// looks like one that was not; see ZeroRuns. The end of a change has no zeros.
//
// Stores that are to survive a power cut in an earlier state at worst append without a sync. Then sectors may be missing anywhere,
// with intact changes after them. Each change tells how much of the file was on stable storage when it was written. What is
// missing after that offset is where the history ends, and the changes that follow count for nothing.

extension ArchiveParser {
  /// What the changes come to.
  struct ChangesRead {
    var generation: UInt64
    /// Where the next one may be appended; `nil` where the file has to be rewritten first.
    var appendPoint: AppendPoint?
  }

  /// The smallest part of a file that a disk writes whole or not at all, in bytes.
  private static let sector = 512

  /// A change as it was read, or the bytes where one should be.
  private struct FoundChange {
    var range: Range<Int>
    var generation: UInt64?
    var syncedLength = 0
    var checksum: UInt64?
    var items: [Item] = []
    var damage: [ArchiveDamage] = []
    /// The offset of the first byte that was never written, if a power cut explains what is wrong.
    var unwrittenOffset: Int?
  }

  private enum Item {
    case step(ArchiveChange.Step)
    case lost(String, isRemoval: Bool)
    case lostUnnamed(UInt64)
  }

  /// Reads the changes up to the end of the file, and applies them.
  mutating func readChanges(after archive: ArchiveEnd, generation: UInt64) -> ChangesRead {
    let end = writtenEnd
    guard archive.offset < end else {
      return ChangesRead(
        generation: generation,
        appendPoint: appendPoint(at: archive.offset, archive.checksums[0], archive, syncedLength: archive.offset))
    }
    let archiveChecksum = archive.checksums.first { findsHead(at: archive.offset, $0) } ?? archive.checksums[0]
    let changes = findChanges(from: archive.offset, to: end, generation, archiveChecksum)
    return apply(changes, after: archive, generation, archiveChecksum)
  }

  private func findsHead(at offset: Int, _ archiveChecksum: UInt64) -> Bool {
    head(at: offset, archiveChecksum, repairs: true) != nil
  }

  private func head(at offset: Int, _ archiveChecksum: UInt64, repairs: Bool) -> ChangeHead.Found? {
    ChangeHead.read(
      UnsafeRawBufferPointer(rebasing: bytes[offset...]), archiveChecksum: archiveChecksum, repairs: repairs)
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
      if let found = head(at: offset, archiveChecksum, repairs: true), isPossible(found.head) {
        change = readChange(found, at: offset, archiveChecksum, writtenEnd: end)
        let follows =
          checksum.map { $0 == found.head.previousChecksum && found.head.generation == generation &+ 1 }
          ?? isLater(found.head.generation, than: generation)
        if !follows { noteGap(before: found.head, generation, &change) }
        // After a damaged change, those between are lost with it, unless it is one that they are counted with.
        let isCounted = changes.last.map { $0.generation == nil && !$0.items.isEmpty } ?? true
        if checksum == nil, !isCounted, found.head.generation != generation &+ 1 {
          change.items.insert(.lostUnnamed(1), at: 0)
        }
        // Bytes are missing before it, or a store did not write it. What it says holds all the same.
        if found.head.syncedLength > UInt64(offset) {
          change.damage.append(
            ArchiveDamage(
              .malformed("a change that claims more bytes on stable storage than stand before it"), at: offset))
        }
      } else {
        let next = nextHead(in: offset + 1..<bytes.count, generation, archiveChecksum) ?? end
        change = unreadableChange(offset..<next, writtenEnd: end)
      }
      generation = change.generation ?? generation
      checksum = change.checksum
      offset = change.range.upperBound
      changes.append(change)
    }
    return changes
  }

  /// Returns whether a head can be that of a change at an offset. Its checksum is right, but a store may not have written it.
  private func isPossible(_ head: ChangeHead) -> Bool {
    head.length >= UInt64(1 + ArchiveChange.tailLength)
  }

  /// Records that a change does not follow the one before it.
  private func noteGap(before head: ChangeHead, _ generation: UInt64, _ change: inout FoundChange) {
    change.damage.append(
      ArchiveDamage(.malformed("a change that does not follow the one before it"), at: change.range.lowerBound))
    if isLater(head.generation, than: generation) {
      change.items.insert(.lostUnnamed(1), at: 0)  // What stood between them may have changed any key.
    } else {
      change.items = []  // It was made before; what it would be applied to is not known.
      change.generation = generation
    }
  }

  /// Generations count on from zero after the largest one.
  private func isLater(_ generation: UInt64, than other: UInt64) -> Bool {
    generation != other && generation &- other < 1 << 63
  }

  // `writtenEnd` is the offset after the last byte of the file that is not zero.
  private mutating func readChange(
    _ found: ChangeHead.Found, at start: Int, _ archiveChecksum: UInt64, writtenEnd: Int
  ) -> FoundChange {
    let bodyStart = start + ChangeHead.length
    let isCut = found.head.length > UInt64(bytes.count - bodyStart)
    let end = isCut ? bytes.count : bodyStart + Int(truncatingIfNeeded: found.head.length)
    var change = FoundChange(range: start..<end, generation: found.head.generation)
    if isCut {
      change.damage = [ArchiveDamage(.truncated, at: bytes.count)]
    } else {
      readSteps(from: bodyStart, to: end - ArchiveChange.tailLength, of: &change, found.checksum)
    }
    if !change.damage.isEmpty {
      // The change after this one does not begin in it, unless bytes of this one are missing.
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
      change.damage.insert(ArchiveDamage(.flippedBit("the head of an appended change"), at: start), at: 0)
    }
    return change
  }

  /// Reads the steps of a change, and its checksum and end.
  private mutating func readSteps(
    from start: Int, to end: Int, of change: inout FoundChange, _ headChecksum: UInt64, isWhole: Bool = true
  ) {
    let known = damage.count
    let head = readCount(.array, "the steps of a change", at: start, endingBy: end)
    change.damage += damage[known...]
    damage.removeSubrange(known...)

    var region = RecordRegion(bytes, limits, from: start, to: end, tail: .ofChange)
    let isHeadCertain = region.skipHead(ofLength: head.map(CBORHead.length(of:)))
    var hash = XXHash64(seed: headChecksum)
    hash.update(UnsafeRawBufferPointer(rebasing: bytes[start..<region.offset]))
    var found: UInt64 = 0
    while let item = region.next(&budget) {
      found += 1
      if let checksum = take(item, &change) { withUnsafeBytes(of: checksum.bigEndian) { hash.update($0) } }
    }
    let missing = region.missingCount(
      besides: found, of: head.map { $0 / 2 }, isCertain: isHeadCertain, isWhole: isWhole)
    if missing > 0 { change.items.append(.lostUnnamed(missing)) }
    guard change.damage.isEmpty else { return }
    if head != 2 * found {
      change.damage.append(ArchiveDamage(.malformed("a change with another number of steps than it says"), at: start))
    } else if !isTail(at: end, hash.checksum) {
      change.damage.append(ArchiveDamage(.changeChecksum, at: change.range.lowerBound))
    } else {
      change.checksum = hash.checksum
    }
  }

  /// Returns whether the checksum and the end of a change stand at an offset.
  private func isTail(at offset: Int, _ checksum: UInt64) -> Bool {
    let tail = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + ArchiveChange.tailLength])
    return tail[0] == 0x48 && UInt64(bigEndian: tail.loadUnaligned(fromByteOffset: 1, as: UInt64.self)) == checksum
      && tail[9...].elementsEqual(ArchiveChange.end)
  }

  /// Takes a step of a change. Returns the checksum that stands in the record.
  private func take(_ item: RecordRegion.Item, _ change: inout FoundChange) -> UInt64? {
    switch item {
    case .repaired(let record, let key):
      do {
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
      do {
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
    guard !record.value.isEmpty else {
      throw ArchiveDamage(.malformed("no value"), key: key, at: record.value.lowerBound)
    }
    return .set(
      StoredEntry(
        key: key, record: data(record.start..<record.end), valueOffset: record.value.lowerBound - record.start,
        checksum: record.checksum))
  }

  // MARK: Damage

  /// What stands where a change should be, but has no head that can be read.
  private mutating func unreadableChange(_ range: Range<Int>, writtenEnd: Int) -> FoundChange {
    var change = FoundChange(range: range)
    let start = range.lowerBound
    let headEnd = start + ChangeHead.length
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
    change.unwrittenOffset = firstUnwrittenSector(start..<min(headEnd, bytes.count), wholeSectors: true)
    let written = UnsafeRawBufferPointer(rebasing: bytes[start..<max(start, writtenEnd)])
    if written.count < ChangeHead.length, ChangeHead.isStart(written) { change.unwrittenOffset = writtenEnd }
    guard ChangeHead.isLikely(rest) else {
      change.damage = [ArchiveDamage(.trailingBytes, at: start)]
      // One byte may be a bit that changed in the zeros after the last change. More may have been a change.
      if bytes[range].lazy.filter({ $0 != 0 }).prefix(2).count > 1 { change.items = [.lostUnnamed(1)] }
      return change
    }
    change.damage = [ArchiveDamage(.changeChecksum, at: start)]
    // The steps in it are intact, or not, by themselves.
    let stepsEnd = max(start + 1, range.upperBound - ArchiveChange.tailLength)
    var region = RecordRegion(bytes, limits, from: min(headEnd, stepsEnd), to: stepsEnd, tail: .ofChange)
    _ = region.skipHead(ofLength: nil)
    change.items = [.lostUnnamed(1)]
    while let item = region.next(&budget) {
      _ = take(item, &change)
      // Where records are searched, there may have been others, and heads of other changes.
      if case .lost = item, !region.isContiguous { change.items.append(.lostUnnamed(0)) }
    }
    if region.endsElsewhere { change.items.append(.lostUnnamed(0)) }
    return change
  }

  /// The offset of the first head in a range, where none is expected, whose generation is later than another one.
  ///
  /// The changes in a copy of the file, which a change may hold as a value, were made before it.
  ///
  /// - Complexity: O(*n*) in the length of the range.
  private func nextHead(in range: Range<Int>, _ generation: UInt64, _ archiveChecksum: UInt64) -> Int? {
    var offset = range.lowerBound
    while offset < range.upperBound, bytes.count - offset >= ChangeHead.length {
      if bytes[offset] == 0x88, bytes[offset + 1] == 0x1b,
        let found = head(at: offset, archiveChecksum, repairs: false),
        isLater(found.head.generation, than: generation)
      {
        return offset
      }
      offset += 1
    }
    return nil
  }

  /// Where the file ends, but for zeros.
  private var writtenEnd: Int {
    (bytes.lastIndex { $0 != 0 } ?? -1) + 1
  }

  /// The offset at which a range first has a sector, as far as it lies in the range, of which all bytes are zeros. With `wholeSectors`
  /// the bytes of the last sector after the range have to be zeros, too.
  private func firstUnwrittenSector(_ range: Range<Int>, wholeSectors: Bool = false) -> Int? {
    var start = range.lowerBound
    while start < range.upperBound {
      let sectorEnd = (start / ArchiveParser.sector + 1) * ArchiveParser.sector
      let end = min(sectorEnd, wholeSectors ? bytes.count : range.upperBound)
      if bytes[start..<end].allSatisfy({ $0 == 0 }) { return start }
      start = end
    }
    return nil
  }

  // MARK: Applying

  private mutating func apply(
    _ changes: [FoundChange], after archive: ArchiveEnd, _ generation: UInt64, _ archiveChecksum: UInt64
  ) -> ChangesRead {
    var result = ChangesRead(generation: generation)
    // What no power cut explains may have moved bytes, or have cost the head that said how much was on stable storage.
    let isDamaged = !damage.isEmpty || changes.contains { !$0.damage.isEmpty && $0.unwrittenOffset == nil }
    let syncedLength = isDamaged ? .max : changes.reduce(archive.offset) { max($0, $1.syncedLength) }
    var (end, checksum): (Int, UInt64?) = (archive.offset, archiveChecksum)
    for change in changes {
      // The history ends here. What is missing was never acknowledged.
      if let unwritten = change.unwrittenOffset, unwritten >= syncedLength { return result }
      damage += change.damage
      for item in change.items { apply(item) }
      (end, checksum) = (change.range.upperBound, change.checksum)
      if let generation = change.generation { result.generation = generation }
    }
    if let checksum {
      result.appendPoint = appendPoint(at: end, checksum, archive, syncedLength: syncedLength)
    }
    return result
  }

  private mutating func apply(_ item: Item) {
    switch item {
    case .step(.set(let entry)):
      entries.set(entry)
      losses.makeGood(entry.key)
    case .step(.remove(let key)):
      entries.remove(key)
      losses.makeGood(key)
    case .lost(let key, let isRemoval):
      // A lost removal of what is not there changes nothing.
      if !isRemoval || entries.contains(key) { losses.lose(key) }
    case .lostUnnamed(let count): losses.loseUnnamed(count, areChanges: true)
    }
  }

  private func appendPoint(
    at offset: Int, _ checksum: UInt64, _ archive: ArchiveEnd, syncedLength: Int
  ) -> AppendPoint {
    AppendPoint(
      offset: offset, checksum: checksum, archiveChecksum: archive.checksums[0], syncedLength: syncedLength,
      isFound: true)
  }
}
