import FoundationCore

struct HostProcess: Sendable {
  var environment: [String: String] = .init()
  /// The name under which the program was started.
  var name = ""
  var hasXCTest = false

  static var current: HostProcess {
    let environment = ProcessInfo.processInfo.environment
    // Frameworks exist only on Darwin. On other systems, the name of the program is sufficient.
    #if canImport(Darwin)
    let hasXCTest =
      environment[testConfiguration] != nil
      && Bundle.allFrameworks.contains { $0.bundleURL.lastPathComponent == "XCTest.framework" }
    #else
    let hasXCTest = false
    #endif
    return HostProcess(environment: environment, name: ProcessInfo.processInfo.processName, hasXCTest: hasXCTest)
  }

  private static let testConfiguration = "XCTestConfigurationFilePath"

  /// Whether the process needs its stored data only temporarily, because it renders previews or runs tests.
  ///
  /// Only reliable signs count, because a program that is mistaken for a test would lose its user's data:
  ///
  /// - Xcode sets `XCODE_RUNNING_FOR_PREVIEWS` to 1 in the process that renders previews, and in no other process.
  /// - Programs that only run tests have known names: `xctest`, `swiftpm-testing-helper` and, on systems without
  ///   bundles, `PACKAGEPackageTests.xctest`.
  /// - An app that hosts its tests has its own name. Xcode sets `XCTestConfigurationFilePath` for the app. However,
  ///   programs that a test starts inherit the variable, and a test may start a program to show that a file outlives
  ///   the program. Therefore XCTest must be loaded too. An app that a UI test drives does not load XCTest, and the
  ///   test may start the app several times.
  ///
  /// `XCTestBundlePath` and `XCTestSessionIdentifier` are also inherited and give no further information. Any program
  /// could use the argument `--testing-library`.
  var isForTheMoment: Bool {
    if environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" { return true }
    if name == "xctest" || name == "swiftpm-testing-helper" || name.hasSuffix(".xctest") { return true }
    return hasXCTest && environment[HostProcess.testConfiguration]?.isEmpty == false
  }
}
