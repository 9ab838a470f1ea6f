import FoundationCore

/// The configuration of the app's store until the first use creates the store.
final class SharedStore: Sendable {
  /// `nil` after the store has been created.
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

  /// Creates the store, which can no longer be configured afterward.
  ///
  /// The store is in memory if the process needs its data only temporarily and the configured location is the default.
  func make(in process: HostProcess = .current) -> GlobalData {
    var configuration = configuration.withLock { current in
      defer { current = nil }
      return current ?? GlobalData.Configuration()
    }
    if process.isPreviewOrTest, configuration.location == GlobalData.Configuration().location {
      configuration.location = .memory
    }
    return GlobalData(configuration)
  }
}

extension GlobalData {
  static let sharedStore = SharedStore()

  /// Configures the location and behavior of the app's store.
  ///
  /// Call this method at launch, before anything uses the store.
  ///
  /// ```swift
  /// var configuration = GlobalData.Configuration(location: .appGroup("group.org.example"))
  /// configuration.persistence = .appending
  /// try GlobalData.configure(configuration)
  /// ```
  ///
  /// In Xcode previews and in tests, the store is in memory unless the configuration specifies a location other than
  /// the default. Previews and tests therefore begin with an empty store and leave nothing behind.
  ///
  /// - Parameter configuration: The location and behavior of ``shared``.
  /// - Throws: ``GlobalDataError`` with code `alreadyInUse` if ``shared`` has already been used, including by a static
  ///   call such as `register`. In this case, nothing is changed.
  public static func configure(_ configuration: Configuration) throws(GlobalDataError) {
    try sharedStore.configure(configuration)
  }
}

/// The facts about a process that show whether it renders previews or runs tests.
struct HostProcess: Sendable {
  var environment: [String: String] = .init()
  /// The name under which the program was started.
  var name = ""
  /// The frameworks that are loaded, if a test may be running.
  var frameworks: [String] = []

  static var current: HostProcess {
    let environment = ProcessInfo.processInfo.environment
    // Frameworks exist only on Darwin. On other systems, the name of the program is sufficient.
    #if canImport(Darwin)
    let frameworks =
      environment[testConfiguration] == nil ? [] : Bundle.allFrameworks.map(\.bundleURL.lastPathComponent)
    #else
    let frameworks: [String] = []
    #endif
    return HostProcess(environment: environment, name: ProcessInfo.processInfo.processName, frameworks: frameworks)
  }

  private static let testConfiguration = "XCTestConfigurationFilePath"

  /// The system lists only frameworks that contain classes. In newer versions of Xcode, XCTest's classes are in
  /// XCTestCore.
  private static let testFrameworks = ["XCTest.framework", "XCTestCore.framework"]

  /// Whether the process needs its stored data only temporarily, because it renders previews or runs tests.
  ///
  /// Only reliable signs count, because a program that is mistaken for a test would lose its user's data:
  ///
  /// - Xcode sets `XCODE_RUNNING_FOR_PREVIEWS` to 1 in the process that renders previews, and in no other process.
  /// - Programs that only run tests have known names: `xctest`, `swiftpm-testing-helper` and, on systems without
  ///   bundles, `PACKAGEPackageTests.xctest`.
  /// - An app that hosts its tests has its own name. Xcode sets `XCTestConfigurationFilePath` for the app, since Xcode
  ///   15 to an empty text. However, programs that a test starts inherit the variable, and a test may start a program
  ///   to show that a file outlives the program. Therefore XCTest must be loaded too. An app that a UI test drives does
  ///   not load XCTest, and the test may start the app several times.
  ///
  /// `XCTestBundlePath` and `XCTestSessionIdentifier` are also inherited and give no further information. Any program
  /// could use the argument `--testing-library`.
  var isPreviewOrTest: Bool {
    if environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" { return true }
    if name == "xctest" || name == "swiftpm-testing-helper" || name.hasSuffix(".xctest") { return true }
    return environment[HostProcess.testConfiguration] != nil
      && frameworks.contains(where: HostProcess.testFrameworks.contains)
  }
}
