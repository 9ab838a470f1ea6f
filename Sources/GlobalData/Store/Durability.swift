/// What a write that has returned survives.
///
/// With each of them, readers of the file see the state before a write or the state after it, never a mix, and a crash
/// of the app loses nothing that was acknowledged.
public enum Durability: String, Hashable, Sendable, CaseIterable {
  /// A power failure loses no write that has returned.
  ///
  /// The file and its folder are flushed through to the disk, on Apple's systems through the drive's own cache too.
  case powerLoss

  /// After a power failure, the file holds the last state or an earlier one, always complete.
  ///
  /// The bytes reach the disk before the file takes its name. The system decides when the name reaches the disk.
  /// Appended changes are synced only once they exceed 64 KiB, and then not until the next write, so most writes take a
  /// few microseconds. Use this level for data that can be fetched or computed again.
  case ordered

  /// A crash of the app loses nothing; a power failure or a crash of the system may damage the file.
  ///
  /// Nothing is flushed. Damage is noticed when the file is opened. Use it for caches and in tests.
  case processCrash
}
