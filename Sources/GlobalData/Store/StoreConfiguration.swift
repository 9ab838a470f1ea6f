extension GlobalData {
  /// How a store behaves, and where its file is. The defaults suit an app's own data.
  ///
  /// ```swift
  /// var configuration = GlobalData.Configuration(location: .named("cache"))
  /// configuration.durability = .processCrash
  /// let cache = GlobalData(configuration)
  /// ```
  public struct Configuration: Sendable {
    /// Where the store's file is; the initializers that name a place set it.
    public var location: Location

    /// What a write that returned survives; see ``Durability``.
    public var durability = Durability.powerLoss

    /// How a write reaches the file; see ``Persistence``.
    public var persistence = Persistence.rewriting

    /// What to do with a file that is damaged.
    public var recoveryPolicy = RecoveryPolicy.keepIntactEntries

    /// When the system lets the file be read, on Apple's mobile systems; elsewhere it has no effect.
    ///
    /// By default the file keeps the protection that it has, and a new one can be read from the first unlock of the
    /// device on.
    public var fileProtection: FileProtection?

    /// Whether the store's file is left out of the device's backups, on Apple's systems; elsewhere it has no effect.
    ///
    /// Each new file of the store is excluded before it takes its name, so that the exclusion survives writes and
    /// `clear()`, and so is one that is there when the store opens. Where that fails, the store works all the same, and
    /// a diagnostic of kind `concession` tells. With `false` nothing is asked for: a file that was excluded stays so
    /// until `clear()` removes it.
    public var isExcludedFromBackup = false

    /// Whether other processes may write the file too, such as an app's extensions or another run of a command.
    ///
    /// Each write then takes a lock, and starts from what the file holds. Turn it off only where the file system has no
    /// locks, or where no other process writes and each microsecond counts: an append that is not synced is one call of
    /// the system then. Its file is examined ten times a second at most, so that what is written within 100 ms after a
    /// person or a program has moved or removed the file goes with it.
    public var isShared = true

    /// Whether what other processes write is read as soon as it is there, for as long as somebody observes the store:
    /// streams, observable values, `@Stored`.
    ///
    /// The system tells of it, so that it costs nothing while nothing is written: no thread, no look at the file. It
    /// takes a descriptor, on Apple's systems two. Without it, or where nobody observes, it is read at the next write
    /// or by ``refresh()-method``. It has no effect where ``isShared`` is off.
    public var watchesFile = true

    /// How long a write waits for another process that is writing.
    public var lockTimeout = Duration.seconds(10)

    /// What the store's file may hold.
    public var limits = ArchiveLimits()

    /// The function that takes what the store notices where it has no way to throw, in place of the system's log.
    ///
    /// Without one, a diagnostic goes to the system's log on Apple's systems, and elsewhere to standard error; `{ _ in
    /// }` makes the store silent. ``GlobalData/diagnostics-property`` gives the same either way. As with all but the
    /// registry, the first store of a file decides for those that share it.
    ///
    /// It is called once for each diagnostic, on the thread that noticed it: one that reads, makes a store, or commits,
    /// perhaps while others wait. It may read the store, and must return soon. Start a task for what takes longer, or
    /// writes.
    public var diagnosticHandler: (@Sendable (Diagnostic) -> Void)?

    /// The types that are read without being named.
    public var registry = TypeRegistry.shared

    /// The default configuration for a place.
    public init(location: Location = .named("GlobalData")) {
      self.location = location
    }

    /// For settings and other data of a few hundred kilobytes at most: each write replaces the file and survives a
    /// power cut. This is the default.
    public static var settings: Configuration { Configuration() }

    /// For what grows, such as records, messages and logs: each write costs what it adds, and survives a power cut. See
    /// ``Persistence/appending``.
    public static var history: Configuration {
      var configuration = Configuration()
      configuration.persistence = .appending
      return configuration
    }

    /// For what can be loaded or computed again: writes are appended and not synced, and the file is left out of
    /// backups. They survive the end of the process; after a power cut, the latest may be missing.
    public static var cache: Configuration {
      var configuration = Configuration()
      configuration.persistence = .appending
      configuration.durability = .processCrash
      configuration.isExcludedFromBackup = true
      return configuration
    }
  }

  /// What a write does to the file.
  public enum Persistence: Hashable, Sendable, CaseIterable {
    /// Each commit replaces the file as a whole, atomically: the file is never larger than what it holds.
    case rewriting

    /// Each commit is appended to the file, at the cost of the change and not of the store; the file is replaced as a
    /// whole before more than half of it is out of date, where possible after a commit whose callers have been
    /// answered. For stores that are too large to rewrite each time.
    ///
    /// The file takes up to twice the room of what it holds, and 128 KiB. What was removed or replaced stays in it
    /// until then; `clear()` and `clear(keeping:)` leave nothing behind. The folder and the file of the lock
    /// stay open until the store is closed or gone; and the store's own file, if no other process writes it and appends
    /// are not synced.
    case appending
  }

  /// When the system lets a store's file be read. The cases are those of Foundation's `FileProtectionType`.
  ///
  /// A store whose file may not be read now is ``State/locked``: reads and writes throw, and nothing is overwritten.
  public enum FileProtection: Hashable, Sendable, CaseIterable {
    /// Only while the device is unlocked. Writes fail while it is locked.
    case complete
    /// Only while the device is unlocked, but a file that is open stays so.
    case completeUnlessOpen
    /// From the first unlock after a restart on, so that work in the background finds its data.
    case completeUntilFirstUserAuthentication
    /// Always; Foundation's `none`.
    case unprotected
  }

  /// What a store does with a file that is damaged.
  ///
  /// In no case is the damaged file lost: it is set aside, or left as it is.
  public enum RecoveryPolicy: Hashable, Sendable, CaseIterable {
    /// The intact entries are kept, and ``GlobalData/recovery`` says what was lost. The damaged file is set aside under
    /// a new name before the first write.
    ///
    /// A file of which not even the beginning can be read is refused all the same: nothing tells that it held nothing.
    case keepIntactEntries

    /// Each use throws an error with code `damaged` until ``GlobalData/recover()`` or `clear()` is called.
    case refuse
  }
}
