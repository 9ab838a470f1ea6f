/// A change as it was read, or the bytes that were found in place of a change.
struct FoundChange {
  var range: Range<Int>
  var generation: UInt64?
  var syncedLength = 0
  var checksum: UInt64?
  var items: [Item] = []
  var damage: [ArchiveDamage] = []
  /// The offset of the first byte that was never written, if a power cut explains the damage.
  var unwrittenOffset: Int?

  enum Item {
    case step(ArchiveChange.Step)
    case lost(String, isRemoval: Bool)
    case lostUnnamed(UInt64)
  }
}
