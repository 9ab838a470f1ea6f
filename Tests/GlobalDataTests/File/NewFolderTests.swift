import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// A new folder lasts once the folder that contains it is synced, whichever store of the process created it.
@Suite struct NewFolderTests {
  @TemporaryFolder private var folder

  private func configuration(
    _ durability: Durability, _ persistence: GlobalData.Persistence = .rewriting
  ) -> GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.durability = durability
    configuration.persistence = persistence
    return configuration
  }

  private func syncs(_ system: FaultySystemCalls, of folder: URL) -> Int {
    system.records.count { $0.call == .fsync && $0.isFolder && $0.name == folder.path }
  }

  @Test(arguments: [Durability.ordered, .processCrash], ["store", "other"])
  func aFolderOfALessDurableStoreIsSyncedByADurableOne(durability: Durability, name: String) async throws {
    for persistence in [GlobalData.Persistence.rewriting, .appending] {
      let inner = folder.appending(path: "\(persistence)/inner")
      let system = FaultySystemCalls()
      let first = GlobalData(
        at: inner.file("store"), configuration: configuration(durability, persistence), system: system)
      try await first.set(1, forKey: "a")
      try await first.close()
      #expect(syncs(system, of: folder) == 0)
      let second = GlobalData(
        at: inner.file(name), configuration: configuration(.powerLoss, persistence), system: system)
      try await second.set(2, forKey: "a")
      #expect(syncs(system, of: folder) == 1)
      #expect(syncs(system, of: inner.deletingLastPathComponent()) == 1)
      try await second.set(3, forKey: "a")
      #expect(syncs(system, of: folder) == 1, "once is enough")
    }
  }

  @Test func aFolderWhoseNameOnlyBeginsTheSameIsNotSynced() async throws {
    let system = FaultySystemCalls()
    system.fail(.error(EIO)) { $0.call == .fsync && $0.name == folder.file("a").path }
    for name in ["a", "ab"] {
      try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
    }
    let store = GlobalData(at: folder.appending(path: "a/new/store"), configuration: .init(), system: system)
    let error = try await requireError(GlobalDataError.self) { try await store.set(1, forKey: "a") }
    #expect(error.systemCall == "fsync")
    let other = GlobalData(at: folder.appending(path: "ab/store"), configuration: .init(), system: system)
    try await other.set(1, forKey: "a")
  }

  /// The first store syncs the parent before the second one's folder exists.
  @Test func aFolderThatIsCreatedDuringTheSyncOfItsParentIsSyncedAgain() async throws {
    let (system, sync, creation) = (FaultySystemCalls(), CallPause(), CallPause())
    system.fail(.pause(sync), times: 1) { $0.call == .fsync && $0.name == folder.path }
    system.fail(.pause(creation), skipping: 1, times: 1) { $0.call == .mkdir && $0.name.hasSuffix("second/inner") }
    let first = GlobalData(at: folder.appending(path: "first/store"), configuration: .init(), system: system)
    let second = GlobalData(at: folder.appending(path: "second/inner/store"), configuration: .init(), system: system)
    async let one: Void = first.set(1, forKey: "a")
    #expect(await sync.reached())
    async let two: Void = second.set(2, forKey: "a")
    // The attempt to create the inner folder comes first, and fails for want of the outer one.
    #expect(await creation.reached())
    sync.end()
    try await one
    creation.end()
    try await two
    let calls = system.records.filter { $0.call == .mkdir || $0.call == .fsync && $0.name == folder.path }
    let made = try #require(calls.lastIndex { $0.call == .mkdir && $0.name.hasSuffix("second") })
    #expect(calls[made...].contains { $0.call == .fsync }, "\(calls)")
  }
}
