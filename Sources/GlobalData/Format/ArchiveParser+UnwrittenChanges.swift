// Bytes that were found in place of a change. They were either never written or damaged.

extension ArchiveParser {
  /// The size in bytes of the smallest part of a file that a disk writes completely or not at all.
  private static let sector = 512

  /// Reads the bytes that were found in place of a change and do not begin with a readable head.
  mutating func unreadableChange(_ range: Range<Int>, writtenEnd: Int) -> FoundChange {
    var change = FoundChange(range: range)
    let start = range.lowerBound
    let headEnd = start + ChangeHead.length
    let rest = bytes.part(start...)
    change.unwrittenOffset = firstUnwrittenSector(start..<min(headEnd, bytes.count), wholeSectors: true)
    let written = bytes.part(start..<max(start, writtenEnd))
    if written.count < ChangeHead.length, ChangeHead.isStart(written) { change.unwrittenOffset = writtenEnd }
    guard ChangeHead.isLikely(rest) else {
      change.damage = [ArchiveDamage(.trailingBytes, at: start)]
      // A single nonzero byte may be a flipped bit in the zeros after the last change. Several nonzero bytes may be the
      // remains of a change.
      if bytes[range].lazy.filter({ $0 != 0 }).prefix(2).count > 1 { change.items = [.lostUnnamed(1)] }
      return change
    }
    change.damage = [ArchiveDamage(.changeChecksum, at: start)]
    // Each step has its own checksum, so intact steps can still be read.
    let stepsEnd = max(start + 1, range.upperBound - ArchiveChange.tailLength)
    var region = RecordRegion(bytes, from: min(headEnd, stepsEnd), to: stepsEnd, tail: .ofChange)
    _ = region.skipHead(ofLength: nil, &budget)
    change.items = [.lostUnnamed(1)]
    while let item = region.next(&budget) {
      _ = take(item, &change)
      // A search for the next record may skip other records and the heads of other changes.
      if case .lost = item, !region.isContiguous { change.items.append(.lostUnnamed(0)) }
    }
    if region.endsElsewhere { change.items.append(.lostUnnamed(0)) }
    return change
  }

  /// Returns the offset of the first head in a range whose generation is later than the given one.
  ///
  /// A value in a change may be a copy of the file. The changes in that copy are earlier.
  func nextHead(in range: Range<Int>, _ generation: UInt64, _ archiveChecksum: UInt64) -> Int? {
    var offset = range.lowerBound
    while offset < range.upperBound, bytes.count - offset >= ChangeHead.length {
      if bytes[offset] == 0x88, bytes[offset + 1] == 0x1b,
        let found = head(at: offset, archiveChecksum, repairs: false), isLater(found.head.generation, than: generation)
      {
        return offset
      }
      offset += 1
    }
    return nil
  }

  /// The offset after the last nonzero byte of the file.
  var writtenEnd: Int { (bytes.lastIndex { $0 != 0 } ?? -1) + 1 }

  /// Returns the offset of the first sector whose bytes in the range are all zeros. With `wholeSectors`, the bytes of
  /// the last sector after the end of the range must be zeros, too.
  func firstUnwrittenSector(_ range: Range<Int>, wholeSectors: Bool = false) -> Int? {
    var start = range.lowerBound
    while start < range.upperBound {
      let sectorEnd = (start / ArchiveParser.sector + 1) * ArchiveParser.sector
      let end = min(sectorEnd, wholeSectors ? bytes.count : range.upperBound)
      if bytes[start..<end].allSatisfy({ $0 == 0 }) { return start }
      start = end
    }
    return nil
  }
}
