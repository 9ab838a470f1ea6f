extension GlobalData {
  /// How a store behaves. The defaults suit an app's own data.
  public struct Configuration: Sendable {
    /// What a write that returned survives; see ``Durability``.
    public var durability = Durability.powerLoss

    /// What to do with a file that is damaged.
    public var recoveryPolicy = RecoveryPolicy.keepIntactEntries

    /// Whether other processes may write the file too, such as an app's extensions or another run of a command.
    ///
    /// Each write then takes a lock, and starts from what the file holds. Turn it off only where the file system has no
    /// locks, or to save two system calls for each write.
    public var isShared = true

    /// How long a write waits for another process that is writing.
    public var lockTimeout = Duration.seconds(10)

    /// What the store's file may hold.
    public var limits = ArchiveLimits()

    /// The types that are read without being named.
    public var registry = TypeRegistry.shared

    /// The default configuration.
    public init() {}
  }

  /// What a store does with a file that is damaged.
  ///
  /// In no case is the damaged file lost: it is set aside, or left as it is.
  public enum RecoveryPolicy: Hashable, Sendable, CaseIterable {
    /// The intact entries are kept, and ``GlobalData/recovery`` says what was lost. The damaged file is set aside under a new
    /// name before the first write.
    ///
    /// A file of which not even the beginning can be read is refused all the same: nothing tells that it held nothing.
    case keepIntactEntries

    /// Each use throws an error with code `damaged` until ``GlobalData/recover()`` or `clear()` is called.
    case refuse
  }
}
