extension GlobalData {
  /// The behavior of a store and the location of its file. The defaults suit an app's own data.
  ///
  /// ```swift
  /// var configuration = GlobalData.Configuration(location: .named("cache"))
  /// configuration.durability = .processCrash
  /// let cache = GlobalData(configuration)
  /// ```
  public struct Configuration: Sendable {
    /// The location of the store's file. Initializers of the store that take a location replace this value.
    public var location: Location

    /// The kind of failure that a completed write survives. See ``Durability``.
    public var durability = Durability.powerLoss

    /// The way in which a write updates the file. See ``Persistence``.
    public var persistence = Persistence.rewriting

    /// The policy for a damaged file.
    public var recoveryPolicy = RecoveryPolicy.keepIntactEntries

    /// The protection of the file, which determines when the system allows reading it.
    ///
    /// This setting only has an effect on Apple's mobile systems. By default, an existing file keeps its protection,
    /// and a new file can be read after the first unlock of the device.
    public var fileProtection: FileProtection?

    /// Whether the store's file is excluded from the device's backups.
    ///
    /// This setting only has an effect on Apple platforms. Each new file of the store is excluded before it takes its
    /// name, so the exclusion survives writes and `clear()`. An existing file is excluded when the store opens. If the
    /// exclusion fails, the store works anyway and reports a diagnostic of kind `concession`. If the value is `false`,
    /// the exclusion of a file is not changed: an excluded file remains excluded until `clear()` removes it.
    public var isExcludedFromBackup = false

    /// Whether other processes may also write the file, such as an app's extensions or another run of a command.
    ///
    /// If the value is `true`, each write takes a lock and starts from the current contents of the file. Set it to
    /// `false` only if the file system does not support locks, or if no other process writes the file and every
    /// microsecond counts. An append without a sync is then a single system call. The file is then examined at most ten
    /// times a second. If a person or a program moves or removes the file, changes written within the next 100 ms are
    /// moved or removed with it.
    public var isShared = true

    /// Whether changes by other processes are read immediately while the store has observers, such as streams,
    /// observable values and `@Stored`.
    ///
    /// The system reports changes of the file. While nothing is written, watching needs no thread and never accesses
    /// the file. Watching uses one file descriptor, or two on Apple platforms. If the system refuses, for example
    /// because its limit is reached, the store reports a diagnostic, and reads changes once a second. If this setting
    /// is `false` or the store has no observers, changes by other processes are read at the next write or by
    /// ``refresh()-method``. This setting has no effect if ``isShared`` is `false`.
    public var watchesFile = true

    /// The maximum time for which a write waits for another process that is writing. After that, the write throws
    /// `busy`.
    public var lockTimeout = Duration.seconds(10)

    /// The limits for the contents of the store's file.
    public var limits = ArchiveLimits()

    /// The function that receives the store's diagnostics, in place of the system log.
    ///
    /// The store reports problems as diagnostics if it has no way to throw. Without a handler, diagnostics go to the
    /// system log on Apple platforms, and elsewhere to standard error. The handler `{ _ in }` silences the store.
    /// ``GlobalData/diagnostics-property`` delivers the same diagnostics in either case. As with all settings except
    /// the registry, the first store of a file decides for the stores that share the file.
    ///
    /// The handler is called once for each diagnostic, on the thread that noticed the problem. This is a thread that
    /// reads, creates a store, or commits, possibly while others wait. The handler may read the store and must return
    /// quickly. For writes and other work that takes longer, start a task.
    public var diagnosticHandler: (@Sendable (Diagnostic) -> Void)?

    /// The types whose values can be read without naming the type.
    public var registry = TypeRegistry.shared

    /// Creates the default configuration for a location.
    public init(location: Location = .named("GlobalData")) { self.location = location }

    @_alwaysEmitIntoClient
    func located(at location: Location) -> Configuration {
      var configuration = self
      configuration.location = location
      return configuration
    }

    /// The default configuration, for settings and other data of at most a few hundred kilobytes.
    ///
    /// Each write replaces the file and survives a power cut.
    @_alwaysEmitIntoClient
    public static var settings: Configuration { Configuration() }

    /// A configuration for growing data, such as records, messages and logs.
    ///
    /// The cost of each write depends on the amount of data added, and each write survives a power cut. See
    /// ``Persistence/appending``.
    @_alwaysEmitIntoClient
    public static var history: Configuration {
      var configuration = Configuration()
      configuration.persistence = .appending
      return configuration
    }

    /// A configuration for data that can be loaded or computed again.
    ///
    /// Writes are appended and not synced, and the file is excluded from backups. Writes survive the end of the
    /// process. A power cut may lose the latest writes or damage the file; see ``Durability/processCrash``.
    @_alwaysEmitIntoClient
    public static var cache: Configuration {
      var configuration = Configuration()
      configuration.persistence = .appending
      configuration.durability = .processCrash
      configuration.isExcludedFromBackup = true
      return configuration
    }
  }

  /// The way in which a write updates the file.
  public enum Persistence: Hashable, Sendable, CaseIterable {
    /// Each commit atomically replaces the whole file. The file is never larger than its contents.
    case rewriting

    /// Each commit is appended to the file, at a cost that depends on the size of the change and not of the store.
    ///
    /// Use appending for stores that are too large to rewrite each time. The file takes up at most twice the size of
    /// its contents plus 128 KiB, because the whole file is replaced before it exceeds this size. If possible, this
    /// happens after a commit whose callers have already returned.
    ///
    /// Removed and replaced values remain in the file until the file is replaced. `clear()` and `clear(keeping:)` leave
    /// none of them in the file. The folder and the lock file stay open until the store is closed or released. So does
    /// the store's own file if ``Configuration/isShared`` is `false` and appends are not synced.
    case appending
  }

  /// The times at which the system allows reading a store's file.
  ///
  /// The cases are those of Foundation's `FileProtectionType`. While the system does not allow reading the file, the
  /// store is ``State/locked``. Reads and writes then throw, and nothing is overwritten.
  public enum FileProtection: Hashable, Sendable, CaseIterable {
    /// The file can be read only while the device is unlocked. Writes fail while the device is locked.
    case complete
    /// The file can be opened only while the device is unlocked, but an open file stays open.
    case completeUnlessOpen
    /// The file can be read after the first unlock since a restart, so that background work can access its data.
    case completeUntilFirstUserAuthentication
    /// The file can always be read. Corresponds to `none` in Foundation.
    case unprotected
  }

  /// The way in which a store handles a damaged file.
  ///
  /// The damaged file is never lost. It is either set aside or left unchanged.
  public enum RecoveryPolicy: Hashable, Sendable, CaseIterable {
    /// The intact entries are kept, and ``GlobalData/recovery`` describes the losses. The damaged file is set aside
    /// under a new name before the first write.
    ///
    /// If not even the beginning of the file can be read, the file is refused anyway, because nothing shows that the
    /// file was empty.
    case keepIntactEntries

    /// Each use throws an error with code `damaged` until you call ``GlobalData/recover()`` or `clear()`.
    case refuse
  }
}

extension GlobalData.Configuration {
  /// Returns the names of the settings that differ, except the location and the registry.
  ///
  /// Any two diagnostic handlers count as equal.
  func differences(to other: Self) -> [String] {
    let settings: [(name: String, differs: Bool)] = [
      ("durability", durability != other.durability),
      ("persistence", persistence != other.persistence),
      ("recoveryPolicy", recoveryPolicy != other.recoveryPolicy),
      ("fileProtection", fileProtection != other.fileProtection),
      ("isExcludedFromBackup", isExcludedFromBackup != other.isExcludedFromBackup),
      ("isShared", isShared != other.isShared),
      ("watchesFile", watchesFile != other.watchesFile),
      ("lockTimeout", lockTimeout != other.lockTimeout),
      ("limits", limits != other.limits),
      // Functions cannot be compared, so only their presence is.
      ("diagnosticHandler", (diagnosticHandler == nil) != (other.diagnosticHandler == nil)),
    ]
    var names: [String] = []
    for setting in settings where setting.differs { names.append(setting.name) }
    return names
  }
}
