/// What a write that has returned survives.
///
/// With each of them, readers of the file see the state before a write or the state after it, never a mix, and a crash
/// of the app loses nothing that was acknowledged.
public enum Durability: String, Hashable, Sendable, CaseIterable {
  /// A power failure loses no write that has returned.
  ///
  /// The file and its folder are flushed through to the disk, on Apple's systems through the drive's own cache too.
  case powerLoss

  /// After a power failure the file holds the last state or an earlier one, whole.
  ///
  /// The bytes reach the disk before the file takes its name; when the name does is left to the system. What a store
  /// appends is synced before the next write only, once it is more than 64 KiB, so that most writes take some
  /// microseconds. Use it for what can be fetched or computed again.
  case ordered

  /// A crash of the app loses nothing; a power failure or a crash of the system may damage the file.
  ///
  /// Nothing is flushed. Damage is noticed when the file is opened. Use it for caches and in tests.
  case processCrash
}
