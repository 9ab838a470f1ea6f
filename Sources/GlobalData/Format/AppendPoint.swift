/// Where the next change of a file is written.
struct AppendPoint: Hashable, Sendable {
  /// The offset after the archive and its changes, in bytes. Beyond it the file has nothing but zeros.
  var offset: Int
  /// The checksum of the archive or of the last change.
  var checksum: UInt64
  /// The checksum of the archive, which the changes' own are seeded with.
  var archiveChecksum: UInt64
  /// How many bytes from the start of the file are synced for certain, as far as the store's durability asks.
  var syncedLength: Int
  /// Whether it was found in a file, so that more may have been synced than is known.
  var isFound = false
  /// Whether the file is on stable storage under its name for certain.
  var isNameSynced = false
}
