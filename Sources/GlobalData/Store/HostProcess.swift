import FoundationCore

struct HostProcess: Sendable {
  var environment: [String: String] = .init()
  /// The program's name, as it was started.
  var name = ""
  var hasXCTest = false

  static var current: HostProcess {
    let environment = ProcessInfo.processInfo.environment
    // Only there are frameworks; elsewhere the name of the program tells enough.
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

  /// Whether what it stores is for the moment only: it renders previews, or it runs tests.
  ///
  /// Only sure signs count, since a program that is taken for a test by mistake would forget what its user did:
  ///
  /// - Xcode sets `XCODE_RUNNING_FOR_PREVIEWS` to 1 in the process that renders previews, and in no other.
  /// - Programs that only run tests are known by their names: `xctest`, `swiftpm-testing-helper`, and on systems
  ///   without bundles `PACKAGEPackageTests.xctest`.
  /// - An app that hosts its tests has a name of its own. Xcode sets `XCTestConfigurationFilePath` for it, but the
  ///   programs that a test starts inherit that, and they may well be there to show that a file outlives them. So
  ///   XCTest has to be loaded, too; which is not so in an app that a UI test drives, and which may be started again in
  ///   the course of it.
  ///
  /// `XCTestBundlePath` and `XCTestSessionIdentifier` are inherited as well and tell no more. The argument
  /// `--testing-library` could be anybody's.
  var isForTheMoment: Bool {
    if environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" { return true }
    if name == "xctest" || name == "swiftpm-testing-helper" || name.hasSuffix(".xctest") { return true }
    return hasXCTest && environment[HostProcess.testConfiguration]?.isEmpty == false
  }
}
