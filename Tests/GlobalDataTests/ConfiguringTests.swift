import Foundation
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// A store's configuration returns the settings in effect.
@Suite struct ConfiguringTests {
  @TemporaryFolder private var folder

  @Test func theSharedStoreHasItsConfiguration() async throws {
    let shared = SharedStore()
    try shared.configure(.with { $0.persistence = .rewriting })
    try shared.configure(
      .with {
        $0.location = .file(folder.appendingPathComponent("store"))
        $0.persistence = .appending
      })
    let store = shared.make()
    #expect(store.configuration.persistence == .appending)
    #expect(store.url == folder.appendingPathComponent("store"))
    let error = expectError(GlobalDataError.self) { try shared.configure(GlobalData.Configuration()) }
    #expect(error?.code == .alreadyInUse)
    #expect(store.configuration.persistence == .appending)
  }

  @Test func everySettingOfAFileIsCompared() {
    let other = GlobalData.Configuration.with {
      ($0.durability, $0.persistence, $0.recoveryPolicy) = (.ordered, .appending, .refuse)
      ($0.fileProtection, $0.isExcludedFromBackup) = (.complete, true)
      ($0.isShared, $0.watchesFile, $0.lockTimeout) = (false, false, .zero)
      ($0.limits.maximumDepth, $0.diagnosticHandler) = (10, { _ in })
    }
    let names = Mirror(reflecting: other).children.compactMap(\.label)
    #expect(other.differences(to: GlobalData.Configuration()) == names.filter { $0 != "location" && $0 != "registry" })
  }

  @Test func theSharedStoreOfTheProgramIsRefusedOnceItIsUsed() {
    _ = GlobalData.shared
    let error = expectError(GlobalDataError.self) { try GlobalData.configure(GlobalData.Configuration()) }
    #expect(error?.code == .alreadyInUse)
  }

  @Test func withoutAConfigurationTheSharedStoreIsTheDefaultOne() {
    let store = SharedStore().make(in: HostProcess(name: "App"))
    #expect(store.configuration.location == .named("GlobalData"))
    #expect(store.engine === GlobalData(named: "GlobalData").engine)
  }

  @Test(
    arguments: [
      HostProcess(environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"], name: "App"),
      HostProcess(name: "xctest"),
      HostProcess(name: "swiftpm-testing-helper"),
      HostProcess(name: "AppPackageTests.xctest"),
      HostProcess(
        environment: ["XCTestConfigurationFilePath": "/tests"], name: "App",
        frameworks: ["UIKit.framework", "XCTest.framework"]),
      // What Xcode 15 and later set for an app that hosts its tests.
      HostProcess(
        environment: ["XCTestConfigurationFilePath": "", "XCTestBundlePath": "PlugIns/AppTests.xctest"], name: "App",
        frameworks: ["UIKit.framework", "XCTestCore.framework"]),
    ])
  func previewsAndTestsHaveASharedStoreInMemory(process: HostProcess) throws {
    #expect(SharedStore().make(in: process).url == nil)
    // The other settings are those that were configured.
    let configured = SharedStore()
    try configured.configure(.with { $0.isShared = false })
    let store = configured.make(in: process)
    #expect(store.url == nil)
    #expect(!store.configuration.isShared)
  }

  @Test(
    arguments: [
      HostProcess(name: "App"),
      HostProcess(environment: ["XCODE_RUNNING_FOR_PREVIEWS": "0"], name: "App"),
      // A program that a test started, or an app that a UI test drives.
      HostProcess(
        environment: ["XCTestConfigurationFilePath": "/a", "XCTestBundlePath": "/b", "XCTestSessionIdentifier": "c"],
        name: "App", frameworks: ["UIKit.framework", "XCTAutomationSupport.framework"]),
      // XCTest is loaded into the app, but no test runs.
      HostProcess(name: "App", frameworks: ["XCTest.framework", "XCTestCore.framework"]),
      HostProcess(name: "xctest-report"),
    ])
  func otherProgramsHaveASharedStoreInAFile(process: HostProcess) {
    #expect(SharedStore().make(in: process).url?.lastPathComponent == "GlobalData.archive")
  }

  @Test func aConfiguredLocationAlsoAppliesToTests() async throws {
    let shared = SharedStore()
    try shared.configure(.with { $0.location = .file(folder.appendingPathComponent("store")) })
    #expect(shared.make(in: HostProcess(name: "xctest")).url == folder.appendingPathComponent("store"))
  }

  @Test func thisProcessIsRecognizedAsATest() {
    #expect(HostProcess.current.isPreviewOrTest)
    #expect(GlobalData.shared.url == nil)
  }

  @Test func aSecondStoreReportsTheSettingsInEffectAndWarns() async throws {
    let url = folder.appendingPathComponent("store")
    let registry = TypeRegistry()
    let first = GlobalData(at: url, configuration: .with { $0.persistence = .appending })
    var diagnostics = first.diagnostics.makeAsyncIterator()
    let same = GlobalData(at: url, configuration: .with { $0.persistence = .appending })
    #expect(same.engine === first.engine)
    let second = GlobalData(
      at: url,
      configuration: .with {
        $0.durability = .processCrash
        $0.registry = registry
      })
    #expect(second.engine === first.engine)
    #expect(second.configuration.persistence == .appending)
    #expect(second.configuration.durability == .powerLoss)
    #expect(second.configuration.registry === registry)
    let diagnostic = await diagnostics.next()
    #expect(diagnostic?.kind == .configuration)
    #expect(diagnostic?.message.contains("durability, persistence") == true)
  }

  @Test func storesInMemoryShareNothing() {
    let first = GlobalData.inMemory(configuration: .with { $0.persistence = .appending })
    let second = GlobalData.inMemory()
    #expect(first.configuration.persistence == .appending)
    #expect(second.configuration.persistence == .rewriting)
  }

  #if !canImport(Darwin)
  @Test(
    arguments: [
      (["XDG_DATA_HOME": "/data", "HOME": "/home/me"], "/data"),
      (["HOME": "/home/me"], "/home/me/.local/share"),
      (["XDG_DATA_HOME": "relative", "HOME": "/home/me"], "/home/me/.local/share"),
      (["XDG_DATA_HOME": "", "HOME": "/home/me"], "/home/me/.local/share"),
    ])
  func theEnvironmentDeterminesTheDataFolder(environment: [String: String], path: String) {
    #expect(StoreLocation.dataFolder(environment: environment).path == path)
  }

  @Test(arguments: [[:], ["HOME": ""], ["HOME": "relative"]] as [[String: String]])
  func withoutAnAbsolutePathDataIsInTheUsersHome(environment: [String: String]) {
    let home = FileManager.default.homeDirectoryForCurrentUser
    #expect(StoreLocation.dataFolder(environment: environment).path == home.path + "/.local/share")
  }
  #endif
}
