import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// The files that a session has open, and those that the previous session left open.
@Suite struct FileSessionTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.file("store") }

  private func configuration(
    _ durability: Durability = .ordered, isShared: Bool = true, _ persistence: GlobalData.Persistence = .appending
  ) -> GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.persistence = persistence
    configuration.durability = durability
    configuration.isShared = isShared
    configuration.lockTimeout = .milliseconds(50)
    return configuration
  }

  /// The lock is taken, but then the system does not report whether its file is still the one that others lock.
  @Test(arguments: 1...4) func aLockWhoseFileCannotBeExaminedIsReleased(failures: Int) async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: configuration(), system: system)
    for number in 0..<3 { try await store.set(number, forKey: "key") }
    system.fail(.error(EIO), times: failures) { $0.call == .lstat && $0.name.hasSuffix(".lock") }
    do {
      try await store.set("new", forKey: "key")
    } catch let error as GlobalDataError {
      #expect(error.code == .writeFailed && error.errorNumber == EIO, "not busy: the lock was its own")
    }
    // First with the file that stayed open, then with the file opened again. The caller gets the second failure.
    #expect(system.faults == min(failures, 2))
    // Nothing holds the lock between commits.
    try #require(try ArchiveFile(url: url).lock(timeout: .zero, makingFolder: false, .powerLoss)).release()
    system.recover()
    try await store.set("last", forKey: "key")
    try await store.close()
    #expect(system.openDescriptors == 0 && system.strayCloses == 0)
  }

  @Test(arguments: [GlobalData.Persistence.rewriting, .appending])
  func theFileThatWasExaminedIsTheOneThatIsSynced(_ persistence: GlobalData.Persistence) async throws {
    try await GlobalData(at: url, configuration: configuration(.processCrash), system: POSIXSystemCalls())
      .set("value", forKey: "key")
    let system = FaultySystemCalls()
    let store = GlobalData(
      at: url, configuration: configuration(.powerLoss, isShared: true, persistence), system: system)
    try await store.open()
    let before = system.records.count
    try await store.set("value", forKey: "key")
    let records = system.records[before...]
    #expect(records.filter { $0.call == .openat && $0.name == "store" }.count == 1)
    #expect(records.contains { $0.call == .fsync && $0.name == "store" }, "another process may not have synced it")
  }

  /// During the time in which an open file counts as the store's file, in a store that no other process writes.
  @Test func aFileThatWasNotReadIsNotReplaced() async throws {
    let store = GlobalData(at: url, configuration: configuration(isShared: false), system: POSIXSystemCalls())
    try await store.set("first", forKey: "other")
    for number in 0..<20 {
      try await store.set(number, forKey: "key")
      let copy = try Data(contentsOf: url)
      try await store.set("later", forKey: "key")
      try copy.write(to: url, options: .atomic)
      try await store.clear(keeping: ["key"])
      let fresh = GlobalData(at: url, system: POSIXSystemCalls())
      #expect(try fresh.object(Int.self, forKey: "key") == number)
      #expect(try store.object(Int.self, forKey: "key") == number)
    }
  }

  /// A person moves the file while the store syncs what another process has appended.
  @Test func aFileThatIsMovedDuringASyncIsNotAppendedTo() async throws {
    let other = GlobalData(at: url, configuration: configuration(.processCrash), system: POSIXSystemCalls())
    for text in ["one", "two", "three"] { try await other.set(text, forKey: "other") }
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults, configuration: configuration(.powerLoss))
    try store.openNow()
    try await faults.stop(at: .sync) {
      try await store.set("new", forKey: "key")
    } while: {
      try FileManager.default.moveItem(at: url, to: folder.file("away"))
    }
    #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == ["key": "new"])
    #expect(try GlobalData(at: folder.file("away"), system: POSIXSystemCalls()).texts() == ["other": "three"])
  }

  @Test func theLockHasTheAccessRightsOfTheFile() async throws {
    let store = GlobalData(at: url, configuration: configuration(), system: POSIXSystemCalls())
    try await store.set(0, forKey: "key")
    let lock = try #require(try folder.names().first { $0.hasSuffix(".lock") })
    for permissions in [0o600, 0o660, 0o600, 0o666, 0o660, 0o600] {
      try url.setPermissions(permissions)
      for number in 0..<3 { try await store.set(number, forKey: "key") }
      #expect(try folder.file(lock).permissions == permissions)
    }
  }
}
