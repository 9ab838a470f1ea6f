import Foundation
import KeyedArchive

// What stands behind the archive: changes that were appended, and then zeros, which are room for more.
//
// A power cut in the middle of an append leaves a change of which a part is missing: the file ends, or a sector was never
// written and is still zeros. Nobody was promised that it survives, so it counts for nothing. All else that is not as it was written is
// damage: where an intact change follows, the one before it must have been whole once; and a change all of whose sectors
// were written is not one that a power cut stopped.
//
// Stores that are to survive a power cut in an earlier state at worst append without a sync. Then sectors are missing anywhere,
// with intact changes behind them; each tells how much of the file was on the medium for certain when it was written. What is
// missing behind that place is where the history ends, and the changes that follow count for nothing.

extension ArchiveParser {
  /// What became of the changes.
  struct ChangesRead {
    var changes: [ArchiveChange] = []
    /// Where the next one may be appended; `nil` where the file has to be written anew first.
    var appendPoint: AppendPoint?
    var damage: [ArchiveDamage] = []
  }

  /// The smallest part of a file that a disk writes whole or not at all.
  private static let sector = 512

  /// Reads the changes from a place on to the end of the file.
  ///
  /// - Parameters:
  ///   - start: Where the archive ends, or where the first change may stand.
  ///   - image: The archive.
  ///   - checksum: The checksum of the archive; `nil` where it is damaged.
  /// - Returns: The changes, and what of them is damaged.
  func readChanges(from start: Int, of image: ArchiveImage, checksum: UInt64?) -> ChangesRead {
    var result = ChangesRead()
    // Once, where it is needed at all: a file may have many damaged changes, and much room.
    lazy var lastEnd = writtenEnd
    // Of a damaged archive the generation is not certain either.
    var (offset, last, generation) = (start, checksum, checksum == nil ? 0 : image.generation)
    var syncedLength = start
    lazy var syncedLengthAtTheEnd = self.syncedLength(behind: offset, after: generation, identity: image.identity)
    while offset < reader.count, byte(at: offset) != 0 || !isRoom(from: offset) {
      var found = change(at: offset, identity: image.identity)
      if let change = found?.change,
        change.generation <= generation || last.map({ $0 != change.previousChecksum }) == true
      {
        // Intact, but not what comes next in this file's history: nothing says what it would be applied to.
        result.damage.append(ArchiveDamage(.malformed("a change that does not follow the one before it"), at: offset))
        return result
      }
      if found == nil {
        guard let next = nextChange(behind: offset, after: generation, identity: image.identity) else {
          readEnd(at: offset, generation, &result)
          return result
        }
        if offset >= syncedLengthAtTheEnd, hasUnwrittenSector(offset..<next.start) { return result }
        result.damage.append(ArchiveDamage(.changeChecksum, at: offset))
        result.changes.append(salvaged(from: offset..<next.start, generation))
        found = next.found
      }
      guard let found else { return result }
      // A part of a long value was not written.
      let mayBeMissing = found.end == lastEnd || offset >= syncedLengthAtTheEnd
      if !found.damage.isEmpty, mayBeMissing, hasUnwrittenSector(offset..<found.end) { return result }
      result.changes.append(found.change)
      result.damage += found.damage
      syncedLength = max(syncedLength, found.syncedLength)
      (offset, last, generation) = (found.end, found.checksum, found.change.generation)
    }
    if let last {
      result.appendPoint = AppendPoint(offset: offset, checksum: last, syncedLength: syncedLength, isFound: true)
    }
    return result
  }

  /// How much of the file was on the medium for certain, as the changes behind a place tell.
  ///
  /// - Complexity: O(*n*) in the bytes behind the place.
  private func syncedLength(behind place: Int, after generation: UInt64, identity: UUID) -> Int {
    var (offset, generation, length) = (place, generation, 0)
    while true {
      var found = change(at: offset, identity: identity)
      if found == nil { found = nextChange(behind: offset, after: generation, identity: identity)?.found }
      guard let found else { return length }
      length = max(length, found.syncedLength)
      (offset, generation) = (found.end, max(generation, found.change.generation))
    }
  }

  private struct FoundChange {
    var change: ArchiveChange
    var checksum: UInt64
    var end: Int
    /// How much of the file was on the medium for certain when it was written.
    var syncedLength: Int
    /// Entries that are not what their own checksums say.
    var damage: [ArchiveDamage]
  }

  /// The change at a place, if its checksum is right.
  private func change(at start: Int, identity: UUID) -> FoundChange? {
    var parser = ArchiveParser(data, bytesFrom: self, at: start)
    do {
      return try parser.readChange(identity: identity)
    } catch {
      return nil  // What is there instead is looked at by whoever asked.
    }
  }

  private mutating func readChange(identity: UUID) throws(ArchiveDamage) -> FoundChange? {
    let start = offset
    let elementCount = try readArgument(.array, "a change")
    guard elementCount == 6 || elementCount == 7 else {
      throw ArchiveDamage(.malformed("an array that is no change"), at: start)
    }
    let generation = try readArgument(.unsigned, "the generation")
    let syncedLength = elementCount == 7 ? try readArgument(.unsigned, "what was on the medium") : nil
    if let syncedLength, syncedLength >= UInt64(start) {
      throw ArchiveDamage(.malformed("more on the medium than stands before the change"), at: start)
    }
    try readExactly([0x48], "the checksum before it")
    let previous = try readChecksum()
    let removedCount = try readArgument(.array, "the removed keys")
    var removed: [String] = []
    for _ in 0..<removedCount {
      guard let key = String(validating: try take(readArgument(.text, "a removed key")), as: UTF8.self) else {
        throw ArchiveDamage(.malformed("a removed key that is not UTF-8"), at: offset)
      }
      removed.append(key)
    }
    let count = try readArgument(.map, "the entries of the change")
    hash = ArchiveChange.hash(identity: identity)
    hash.update(reader.bytes(start..<offset))
    try readEntries(count)
    addChecksums()
    try readExactly([0x48], "the checksum of the change")
    let checksum = try readChecksum()
    guard checksum == hash.checksum else { return nil }
    try readExactly(ArchiveChange.end, "the end of the change")
    let change = ArchiveChange(
      generation: generation, syncedLength: syncedLength.map { Int($0) }, previousChecksum: previous,
      removedKeys: removed, entries: Array(entries))
    return FoundChange(
      change: change, checksum: checksum, end: offset, syncedLength: change.syncedLength ?? start, damage: damage)
  }

  /// The next intact change behind a damaged one.
  ///
  /// - Complexity: O(*n*) in the bytes behind the place; the bytes that are checked are bounded to eight times as many.
  private func nextChange(
    behind place: Int, after generation: UInt64, identity: UUID
  ) -> (start: Int, found: FoundChange)? {
    var budget = 8 * (reader.count - place)
    var start = place + 1
    while start < reader.count, budget > 0 {
      if isHeadOfChange(at: start) {
        var parser = ArchiveParser(data, bytesFrom: self, at: start)
        let found: FoundChange?
        do {
          found = try parser.readChange(identity: identity)
        } catch {
          found = nil
        }
        budget -= parser.offset - start
        if let found, found.change.generation > generation { return (start, found) }
      }
      budget -= 1
      start += 1
    }
    return nil
  }

  /// The entries that are intact in a damaged change, as a change of their own.
  private func salvaged(from region: Range<Int>, _ generation: UInt64) -> ArchiveChange {
    ArchiveChange(
      generation: generation, previousChecksum: 0, removedKeys: [],
      entries: entriesFound(in: region, endingAt: region.upperBound - 13, isTruncated: false))
  }

  private func isHeadOfChange(at place: Int) -> Bool {
    byte(at: place) == 0x86 || byte(at: place) == 0x87
  }

  /// Where the first change may stand behind an archive whose own end cannot be found.
  func firstChange(behind place: Int, of image: ArchiveImage) -> Int? {
    nextChange(behind: place - 1, after: 0, identity: image.identity)?.start
  }

  // MARK: The end

  /// Judges what stands behind the last intact change.
  private func readEnd(at place: Int, _ generation: UInt64, _ result: inout ChangesRead) {
    let region = place..<writtenEnd
    if hasUnwrittenSector(region) { return }
    guard isHeadOfChange(at: place) else {
      result.damage.append(ArchiveDamage(.trailingBytes, at: place))
      return
    }
    guard looksComplete(region) else { return }
    result.damage.append(ArchiveDamage(.changeChecksum, at: place))
    result.changes.append(salvaged(from: region, generation))
  }

  /// Where the file ends, but for zeros.
  var writtenEnd: Int {
    (reader.bytes(0..<reader.count).lastIndex { $0 != 0 } ?? -1) + 1
  }

  /// Whether there are only zeros from a place on.
  private func isRoom(from place: Int) -> Bool {
    reader.bytes(place..<reader.count).allSatisfy { $0 == 0 }
  }

  /// Whether the bytes end as a change does that was written to its end.
  private func looksComplete(_ region: Range<Int>) -> Bool {
    let end = ArchiveChange.end
    guard region.count > end.count else { return false }
    let bytes = reader.bytes(region.upperBound - end.count..<region.upperBound)
    // One of them may be damaged. A change that ends too early ends with other bytes altogether.
    return zip(bytes, end).count { $0 == $1 } >= end.count - 1
  }

  /// Whether a part of a region was never written, as sectors are: whole or not at all.
  private func hasUnwrittenSector(_ region: Range<Int>) -> Bool {
    var start = region.lowerBound
    while start < region.upperBound {
      let end = min((start / ArchiveParser.sector + 1) * ArchiveParser.sector, region.upperBound)
      if reader.bytes(start..<end).allSatisfy({ $0 == 0 }) { return true }
      start = end
    }
    return false
  }
}

extension ArchiveImage {
  /// Makes changes, one after the other.
  mutating func apply(_ changes: [ArchiveChange]) {
    guard !changes.isEmpty else { return }
    for change in changes {
      for key in change.removedKeys { entries.remove(key) }
      for entry in change.entries { entries.set(entry) }
    }
    generation = changes.map(\.generation).max() ?? generation
  }
}
