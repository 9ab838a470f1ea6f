import Foundation
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

@Suite struct StoreLocationTests {
  @TemporaryFolder private var folder

  private func url(_ location: GlobalData.Location) -> URL? {
    GlobalData(GlobalData.Configuration(location: location)).url
  }

  @Test func aConfigurationSetsTheLocation() async throws {
    var configuration = GlobalData.Configuration(location: .file(folder.appendingPathComponent("store")))
    configuration.durability = .processCrash
    let store = GlobalData(configuration)
    try await store.set(1, forKey: "a")
    #expect(store.url == folder.appendingPathComponent("store"))
    #expect(store.configuration.durability == .processCrash)
    #expect(GlobalData.Configuration().location == .named("GlobalData"))
    #expect(SharedStore().make(in: HostProcess(name: "App")).configuration.location == .named("GlobalData"))
    #expect(url(.memory) == nil)
    #expect(url(.named("a"))?.lastPathComponent == "a.archive")
  }

  @Test func anInitializerWithALocationOverridesTheConfiguration() throws {
    let configuration = GlobalData.Configuration(location: .memory)
    let url = URL(fileURLWithPath: "/nowhere/store")
    #expect(GlobalData(at: url, configuration: configuration).configuration.location == .file(url))
    #expect(GlobalData(named: "b", configuration: configuration).url?.lastPathComponent == "b.archive")
    #expect(GlobalData.inMemory(configuration: GlobalData.Configuration()).url == nil)
  }

  @Test func aStoreOfAnAppGroupIsInTheGroupsFolder() throws {
    let url = try #require(GlobalData(inAppGroup: "group.org.example").url)
    #expect(url.lastPathComponent == "GlobalData.archive")
    let other = try #require(GlobalData(inAppGroup: "group.org.example", named: "other").url)
    #expect(other.lastPathComponent == "other.archive")
    #expect(other.deletingLastPathComponent() == url.deletingLastPathComponent())
    #expect(url.pathComponents.contains("group.org.example"))
    #expect(url.deletingLastPathComponent() != GlobalData(named: "GlobalData").url?.deletingLastPathComponent())
  }

  @Test(arguments: ["", ".hidden", "a/b", "..", "a\0b", "x\u{301}/y", String(repeating: "x", count: 201)])
  func namesThatCannotBeFileNamesAreRefusedAtEachUse(name: String) async throws {
    for store in [GlobalData(named: name), GlobalData(inAppGroup: name), GlobalData(inAppGroup: "g", named: name)] {
      #expect(store.url == nil)
      let reading = expectError(GlobalDataError.self) { try store.object(forKey: "a") }
      #expect(reading?.code == .notAFile)
      let writing = await expectError(GlobalDataError.self) { try await store.set(1, forKey: "a") }
      #expect(writing?.code == .notAFile)
      #expect(store.stateOnceOpen == .unavailable)
    }
  }

  private static let protections: [GlobalData.FileProtection?] = [nil] + GlobalData.FileProtection.allCases

  @Test(arguments: protections)
  func theFileGetsTheProtectionThatTheConfigurationNames(protection: GlobalData.FileProtection?) async throws {
    let system = RecordingSystemCalls(storeFolder: folder)
    let configuration = GlobalData.Configuration.with { $0.fileProtection = protection }
    let store = GlobalData(
      at: folder.appendingPathComponent("store"), configuration: configuration, system: system)
    try await store.set(1, forKey: "a")
    try await store.set(2, forKey: "a")
    // For each commit: the protection of the lock file, which has nothing to protect, and that of the file.
    #expect(system.protections == [.unprotected, protection, .unprotected, protection])
  }
}
