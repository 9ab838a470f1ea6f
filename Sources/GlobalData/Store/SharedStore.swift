final class SharedStore: Sendable {
  /// `nil` once the store was made.
  private let configuration = Locked<GlobalData.Configuration?>(GlobalData.Configuration())

  func configure(_ configuration: GlobalData.Configuration) throws(GlobalDataError) {
    let isMade = self.configuration.withLock { current in
      if current != nil { current = configuration }
      return current == nil
    }
    guard !isMade else {
      throw GlobalDataError(.alreadyInUse, "the shared store is already in use and can no longer be configured")
    }
  }

  /// Creates the store, which cannot be configured any more.
  ///
  /// It is in memory where the process is for the moment only, and no other location than the default was configured.
  func make(in process: HostProcess = .current) -> GlobalData {
    var configuration = configuration.withLock { current in
      defer { current = nil }
      return current ?? GlobalData.Configuration()
    }
    if process.isForTheMoment, configuration.location == GlobalData.Configuration().location {
      configuration.location = .memory
    }
    return GlobalData(configuration)
  }
}

extension GlobalData {
  static let sharedStore = SharedStore()

  /// Says where the store of the app is and how it behaves. Call it at launch, before anything uses the store.
  ///
  /// ```swift
  /// var configuration = GlobalData.Configuration(location: .appGroup("group.org.example"))
  /// configuration.persistence = .appending
  /// try GlobalData.configure(configuration)
  /// ```
  ///
  /// Where Xcode renders previews, and where tests run, the store is in memory unless this names another place than the
  /// default one. So previews and tests begin with an empty store, and leave nothing behind.
  ///
  /// - Parameter configuration: Where ``shared`` is and how it behaves.
  /// - Throws: ``GlobalDataError`` with code `alreadyInUse` once ``shared`` was used, also by a static call such as
  ///   `register`. Nothing is changed then.
  public static func configure(_ configuration: Configuration) throws(GlobalDataError) {
    try sharedStore.configure(configuration)
  }
}

extension GlobalData.Configuration {
  /// Names the settings that differ, but for the location and the registry. Two handlers of diagnostics count as equal.
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
      // Of two functions only this can be compared.
      ("diagnosticHandler", (diagnosticHandler == nil) != (other.diagnosticHandler == nil)),
    ]
    var names: [String] = []
    for setting in settings where setting.differs { names.append(setting.name) }
    return names
  }
}
