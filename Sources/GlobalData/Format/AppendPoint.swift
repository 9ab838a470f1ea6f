struct AppendPoint: Equatable, Sendable {
  /// After the archive and its changes, in bytes; only zeros follow.
  var offset: Int
  /// That of the archive or of the last change.
  var checksum: UInt64
  /// The seed of the changes' checksums.
  var archiveChecksum: UInt64
  /// The number of leading bytes that are certainly synced, as far as the store's durability asks.
  var syncedLength: Int
  /// Whether it was read from a file, so that more may be synced than is known.
  var isFound = false
  /// Whether the file is on stable storage under its name for certain.
  var isNameSynced = false
}
