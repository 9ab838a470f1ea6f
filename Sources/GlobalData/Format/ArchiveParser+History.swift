import KeyedArchive

// The history, which consists of the changes that count, applied to the entries of the archive.

extension ArchiveParser {
  struct History {
    var generation: UInt64
    /// The point for appending a change, or `nil` if the file must be rewritten first.
    var end: AppendPoint?
  }

  mutating func apply(
    _ changes: [FoundChange], after archive: ArchiveEnd, _ generation: UInt64, _ archiveChecksum: UInt64
  ) -> History {
    var result = History(generation: generation)
    // Damage that no power cut explains may have moved bytes, or destroyed the head that recorded how much was on
    // stable storage.
    let isDamaged = !damage.isEmpty || changes.contains { !$0.damage.isEmpty && $0.unwrittenOffset == nil }
    let syncedLength = isDamaged ? .max : changes.reduce(archive.offset) { max($0, $1.syncedLength) }
    var (end, checksum): (Int, UInt64?) = (archive.offset, archiveChecksum)
    for change in changes {
      // The history ends here, because the missing bytes were never acknowledged.
      if let unwritten = change.unwrittenOffset, unwritten >= syncedLength { return result }
      damage += change.damage
      for item in change.items { apply(item) }
      (end, checksum) = (change.range.upperBound, change.checksum)
      if let generation = change.generation { result.generation = generation }
    }
    if let checksum {
      result.end = AppendPoint(
        offset: end, checksum: checksum, archiveChecksum: archive.checksums[0], syncedLength: syncedLength,
        isFound: true)
    }
    return result
  }

  private mutating func apply(_ item: FoundChange.Item) {
    switch item {
    case .step(.set(let entry)):
      entries.set(entry)
      losses.recordLaterChange(of: entry.key)
    case .step(.remove(let key)):
      entries.remove(key)
      losses.recordLaterChange(of: key)
    case .lost(let key, let isRemoval) where !isRemoval || entries.contains(key): losses.lose(key)
    // Removals are written of keys that exist, so the damage may be in the key.
    case .lost: losses.loseUnnamed(0, areChanges: true)
    case .lostUnnamed(let count): losses.loseUnnamed(count, areChanges: true)
    }
  }
}
