/// The end of a file's last change, where the next change begins.
struct AppendPoint: Equatable, Sendable {
  /// The offset in bytes of the end of the archive and its changes. Only zeros follow.
  var offset: Int
  /// The checksum of the last change, or of the archive if there are no changes.
  var checksum: UInt64
  /// The seed for the checksums of changes.
  var archiveChecksum: UInt64
  /// The number of leading bytes that are known to be synced, to the extent that the store's durability requires.
  var syncedLength: Int
  /// Whether this point was read from a file. In that case, more bytes may be synced than is known.
  var isFound = false
  /// Whether the file is known to be on stable storage under its name.
  var isNameSynced = false
}
