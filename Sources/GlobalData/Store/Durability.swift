/// The kind of failure that a completed write survives.
///
/// At every level, readers of the file see the state either before or after a write, never a mixture of the two. A
/// crash of the app loses no acknowledged write.
public enum Durability: String, Hashable, Sendable, CaseIterable {
  /// A power cut loses no completed write.
  ///
  /// The file and its folder are flushed to the disk. On Apple platforms, the drive's own cache is flushed too.
  case powerLoss

  /// After a power cut, the file holds the last state or an earlier one, always complete.
  ///
  /// The bytes reach the disk before the file takes its name. The system decides when the name reaches the disk.
  /// Appended changes are synced only once they exceed 64 KiB, and then only at the next write, so most writes take a
  /// few microseconds. Use this level for data that can be fetched or computed again.
  case ordered

  /// A crash of the app loses nothing, but a power cut or a system crash may damage the file.
  ///
  /// Nothing is flushed. Damage is detected when the file is opened. Use this level for caches and in tests.
  case processCrash
}
