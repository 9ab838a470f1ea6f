import Foundation
import KeyedArchive

// What stands after the archive: changes that were appended, and then zeros, which are room for more.
//
// A power cut in the middle of an append leaves a change of which a part is missing: the file ends, or a sector was never
// written and is still zeros. Such a change was never acknowledged, so it counts for nothing. All else that is not as it was written
// is damage. A sector that was written never looks like one that was not; see ZeroRuns.
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
      if let found = head(at: offset, archiveChecksum, repairs: true), isPossible(found.head, at: offset) {
        change = readChange(found, at: offset)
        let follows =
          checksum.map { $0 == found.head.previousChecksum && found.head.generation == generation &+ 1 }
          ?? isLater(found.head.generation, than: generation)
        if !follows { noteGap(before: found.head, generation, &change) }
      } else {
        let next = nextHead(after: offset, generation, archiveChecksum) ?? end
        change = unreadableChange(offset..<next)
      }
      generation = change.generation ?? generation
      checksum = change.checksum
      offset = change.range.upperBound
      changes.append(change)
    }
    return changes
  }

  /// Returns whether a head can be that of a change at an offset. Its checksum is right, but a store may not have written it.
  private func isPossible(_ head: ChangeHead, at offset: Int) -> Bool {
    head.syncedLength <= UInt64(offset) && head.length >= UInt64(1 + ArchiveChange.tailLength)
  }

  /// Records that a change does not follow the one before it.
  private func noteGap(before head: ChangeHead, _ generation: UInt64, _ change: inout FoundChange) {
    change.damage.append(
      ArchiveDamage(.malformed("a change that does not follow the one before it"), at: change.range.lowerBound))
    if isLater(head.generation, than: generation) {
      change.items.insert(.lostUnnamed(0), at: 0)  // What stood between them may have changed any key.
    } else {
      change.items = []  // It was made before; what it would be applied to is not known.
      change.generation = generation
    }
  }

  /// Generations count on from zero after the largest one.
  private func isLater(_ generation: UInt64, than other: UInt64) -> Bool {
    generation != other && generation &- other < 1 << 63
  }

  private mutating func readChange(_ found: ChangeHead.Found, at start: Int) -> FoundChange {
    let bodyStart = start + ChangeHead.length
    let room = bytes.count - bodyStart
    guard found.head.length <= UInt64(room) else {
      var change = FoundChange(range: start..<bytes.count, generation: found.head.generation)
      change.syncedLength = Int(truncatingIfNeeded: found.head.syncedLength)
      change.damage = [ArchiveDamage(.truncated, at: bytes.count)]
      change.unwrittenOffset = firstUnwrittenSector(start..<bytes.count) ?? bytes.count
      return change
    }
    let end = bodyStart + Int(truncatingIfNeeded: found.head.length)
    var change = FoundChange(range: start..<end, generation: found.head.generation)
    // It is not more than the change's offset, which was checked.
    change.syncedLength = Int(truncatingIfNeeded: found.head.syncedLength)
    readSteps(from: bodyStart, to: end - ArchiveChange.tailLength, of: &change, found.checksum)
    if !change.damage.isEmpty { change.unwrittenOffset = firstUnwrittenSector(start..<end) }
    if found.isRepaired {
      change.damage.insert(ArchiveDamage(.flippedBit("the head of an appended change"), at: start), at: 0)
    }
    return change
  }

  /// Reads the steps of a change, and its checksum and end.
  private mutating func readSteps(from start: Int, to end: Int, of change: inout FoundChange, _ headChecksum: UInt64) {
    let known = damage.count
    let head = readCount(.array, "the steps of a change", at: start, endingBy: end)
    change.damage += damage[known...]
    damage.removeSubrange(known...)

    var region = RecordRegion(bytes, limits, from: start, to: end, tail: .ofChange)
    let count = region.skipHead(ofLength: head.map(CBORHead.length(of:))) ? head : nil
    var hash = XXHash64(seed: headChecksum)
    hash.update(UnsafeRawBufferPointer(rebasing: bytes[start..<region.offset]))
    var found: UInt64 = 0
    while let item = region.next(&budget) {
      found += 1
      if let checksum = take(item, &change) { withUnsafeBytes(of: checksum.bigEndian) { hash.update($0) } }
    }
    if let count, count / 2 > found, !region.isContiguous { change.items.append(.lostUnnamed(count / 2 - found)) }
    guard change.damage.isEmpty else { return }
    if count != 2 * found {
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
      change.damage.append(ArchiveDamage(.flippedBit("an entry of an appended change"), key: key, at: record.start))
      change.items.append(.step(record.isRemoval ? .remove(key) : .set(entry(record, key: key))))
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
  private mutating func unreadableChange(_ range: Range<Int>) -> FoundChange {
    var change = FoundChange(range: range)
    let start = range.lowerBound
    let headEnd = start + ChangeHead.length
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
    change.unwrittenOffset = firstUnwrittenSector(start..<min(headEnd, bytes.count), wholeSectors: true)
    if headEnd > bytes.count, ChangeHead.isStart(rest) { change.unwrittenOffset = bytes.count }
    guard ChangeHead.isLikely(rest) else {
      change.damage = [ArchiveDamage(.trailingBytes, at: start)]
      if range.upperBound < writtenEnd { change.items = [.lostUnnamed(1)] }
      return change
    }
    change.damage = [ArchiveDamage(.changeChecksum, at: start)]
    // The steps in it are intact, or not, by themselves.
    let stepsEnd = max(start + 1, range.upperBound - ArchiveChange.tailLength)
    var region = RecordRegion(bytes, limits, from: min(headEnd, stepsEnd), to: stepsEnd, tail: .ofChange)
    _ = region.skipHead(ofLength: nil)
    change.items = [.lostUnnamed(1)]
    while let item = region.next(&budget) { _ = take(item, &change) }
    return change
  }

  /// The offset of the next head after one that cannot be read.
  ///
  /// The changes in a copy of the file, which the damaged change may hold as a value, were made before it.
  ///
  /// - Complexity: O(*n*) in the bytes after the offset.
  private func nextHead(after offset: Int, _ generation: UInt64, _ archiveChecksum: UInt64) -> Int? {
    var offset = offset + 1
    while bytes.count - offset >= ChangeHead.length {
      if bytes[offset] == 0x88, bytes[offset + 1] == 0x1b,
        let found = head(at: offset, archiveChecksum, repairs: false),
        isLater(found.head.generation, than: generation &+ 1)
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
    let syncedLength = changes.reduce(archive.offset) { max($0, $1.syncedLength) }
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
