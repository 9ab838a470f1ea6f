import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// The folder and the lock file of an appending store stay open between commits. Nothing else changes.
@Suite struct KeptFilesTests {
  @TemporaryFolder private var folder
  private let system = FaultySystemCalls()
  private var url: URL { folder.file("store") }

  private func configuration(_ durability: Durability = .ordered) -> GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.persistence = .appending
    configuration.durability = durability
    configuration.lockTimeout = .milliseconds(20)
    return configuration
  }

  @Test(arguments: Durability.allCases) func twoDescriptorsStayOpenUntilTheStoreIsClosed(
    _ durability: Durability
  ) async throws {
    do {
      let store = GlobalData(at: folder.file("store"), configuration: configuration(durability), system: system)
      try await store.set("one", forKey: "a")
      try await store.set("two", forKey: "a")
      #expect(system.openDescriptors == 2)
      try await store.close()
      #expect(system.openDescriptors == 0)
      try await store.set("three", forKey: "a")
      #expect(system.openDescriptors == 2)
    }
    #expect(system.openDescriptors == 0, "the store is gone")
    #expect(system.strayCloses == 0)
  }

  @Test(arguments: Durability.allCases) func theLockIsReleasedAfterEachCommit(_ durability: Durability) async throws {
    let store = GlobalData(at: url, configuration: configuration(durability), system: POSIXSystemCalls())
    for number in 0..<3 {
      try await store.set(number, forKey: "a")
      let lock = try #require(try ArchiveFile(url: url).lock(timeout: .zero, makingFolder: false, .powerLoss))
      let error = try await requireError(GlobalDataError.self) { try await store.set("busy", forKey: "a") }
      #expect(error.code == .busy)
      lock.release()
      #expect(try store.object(Int.self, forKey: "a") == number)
    }
  }

  /// A cleanup program has removed the lock file: a lock of the open file would exclude no other process.
  @Test func aRemovedLockFileIsCreatedAgain() async throws {
    let store = GlobalData(at: url, configuration: configuration(), system: system)
    for number in 0..<3 {
      try await store.set(number, forKey: "a")
      for name in try folder.names() where name.hasSuffix(".lock") {
        try FileManager.default.removeItem(at: folder.file(name))
      }
      try await store.set(number, forKey: "b")
      #expect(try folder.names().contains { $0.hasSuffix(".lock") })
      let lock = try #require(try ArchiveFile(url: url).lock(timeout: .zero, makingFolder: false, .powerLoss))
      let error = try await requireError(GlobalDataError.self) { try await store.set("busy", forKey: "a") }
      #expect(error.code == .busy)
      lock.release()
    }
    #expect(system.strayCloses == 0)
  }

  @Test func aMovedFolderIsNotWritten() async throws {
    let (home, away) = (folder.file("home"), folder.file("away"))
    let url = home.appendingPathComponent("store")
    let store = GlobalData(at: url, configuration: configuration(), system: system)
    try await store.set("one", forKey: "a")
    try await store.set("two", forKey: "a")
    try FileManager.default.moveItem(at: home, to: away)
    let moved = try Data(contentsOf: away.appendingPathComponent("store"))
    // A copy of the folder takes its place.
    try FileManager.default.copyItem(at: away, to: home)
    try await store.set("three", forKey: "b")
    #expect(try Data(contentsOf: away.appendingPathComponent("store")) == moved)
    let fresh = GlobalData(at: url, system: POSIXSystemCalls())
    #expect(try fresh.texts() == ["a": "two", "b": "three"])
    try await store.close()
    #expect(system.openDescriptors == 0 && system.strayCloses == 0)
  }

  // MARK: A store that no other process writes

  private func unshared(_ durability: Durability = .ordered) -> GlobalData.Configuration {
    var configuration = configuration(durability)
    configuration.isShared = false
    return configuration
  }

  @Test(arguments: [Durability.ordered, .processCrash])
  func anUnsyncedAppendOfAnUnsharedStoreIsOneCall(_ durability: Durability) async throws {
    let store = GlobalData(at: folder.file("store"), configuration: unshared(durability), system: system)
    for number in 0..<2 { try await store.set(number, forKey: "first") }
    // The store's thread made these writes, and may not have ended its turn yet. The next write would then also go
    // there.
    while store.engine.withWriterImmediately({ _ in true }) == nil { await Task.yield() }
    let start = ContinuousClock.now
    var others: [[SystemCall]] = []
    for number in 0..<200 {
      let before = system.records.count
      try await store.set(number, forKey: "key")
      let calls = system.records[before...].map(\.call)
      if calls != [.pwrite] { others.append(calls) }
    }
    // The file is examined every 100 ms. A sync occurs only after 64 KiB, and these writes are shorter.
    let examinations = Int((ContinuousClock.now - start) / .milliseconds(100))
    #expect(others.count <= examinations + 2, "\(others)")
    #expect(
      try GlobalData(at: folder.file("store"), system: POSIXSystemCalls()).object(Int.self, forKey: "key") == 199)
  }

  @Test func syncedAppendsAndSharedStoresKeepNoFileOpen() async throws {
    // The folder and the lock file.
    for (configuration, count) in [(unshared(.powerLoss), 1), (configuration(.ordered), 2)] {
      let system = FaultySystemCalls()
      let store = GlobalData(at: folder.file("store"), configuration: configuration, system: system)
      for number in 0..<3 { try await store.set(number, forKey: "key") }
      #expect(system.openDescriptors == count)
      try await store.close()
      #expect(system.openDescriptors == 0 && system.strayCloses == 0)
    }
  }

  /// A file that is moved away while its store is open, by a person or another program.
  @Test(.timeLimit(.minutes(20)), arguments: ["removed", "moved", "replaced by an older copy"])
  func aMovedFileIsSoonNoLongerWritten(_ deed: String) async throws {
    let store = GlobalData(at: url, configuration: unshared(), system: system)
    for number in 0..<3 { try await store.set(number, forKey: "before") }
    let copy = try Data(contentsOf: url)
    try await store.set("new", forKey: "new")
    switch deed {
    case "removed": try FileManager.default.removeItem(at: url)
    case "moved": try FileManager.default.moveItem(at: url, to: folder.file("away"))
    default: try copy.write(to: url, options: .atomic)
    }
    // Before the file is examined again, at most 100 ms later.
    let fresh = { try GlobalData(at: url, system: POSIXSystemCalls()).object(String.self, forKey: "key") }
    var number = 0
    repeat {
      number += 1
      try await store.set("\(number)", forKey: "key")
    } while try fresh() != "\(number)"
    #expect(try store.object(String.self, forKey: "new") == nil)
    #expect(try store.object(Int.self, forKey: "before") == (deed.hasPrefix("replaced") ? 2 : nil))
    try await store.set("last", forKey: "key")
    #expect(try fresh() == "last")
    try await store.close()
    #expect(system.openDescriptors == 0 && system.strayCloses == 0)
  }

  /// This also holds right after a write, when the open file still counts as the store's file.
  @Test func aRefreshReplacesTheFileThatIsWritten() async throws {
    let store = GlobalData(at: url, configuration: unshared(), system: POSIXSystemCalls())
    for number in 0..<50 {
      try await store.set(number, forKey: "before")
      let copy = try Data(contentsOf: url)
      try await store.set("other", forKey: "before")
      try copy.write(to: url, options: .atomic)
      try await store.refresh()
      try await store.set(number, forKey: "after")
      let fresh = GlobalData(at: url, system: POSIXSystemCalls())
      #expect(try fresh.object(Int.self, forKey: "after") == number)
      #expect(try fresh.object(Int.self, forKey: "before") == number)
    }
  }

  /// Appends, rewrites, clears and writes of other processes, in random order.
  @Test(arguments: (0..<8).oneIn(2)) func eachDescriptorIsClosedOnce(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let durability = try #require(Durability.allCases.randomElement(using: &random))
    let store = GlobalData(at: url, configuration: configuration(durability), system: system)
    for step in 0..<150 {
      let other = GlobalData(at: url, configuration: configuration(), system: POSIXSystemCalls())
      switch random.below(12) {
      case 0:
        try await other.set("\(step)", forKey: "other")
        try await other.refresh()  // Waits for a compaction, which holds the lock.
      case 1: try await store.clear()
      case 2: try await store.clear(keeping: ["1"])
      case 3: try await store.close()
      case 4: try await store.refresh()
      case 5:
        for name in try folder.names() where name.hasSuffix(".lock") {
          try FileManager.default.removeItem(at: folder.file(name))
        }
      default:
        try await store.set(String(repeating: "\(step)", count: 1 + random.below(20_000)), forKey: "\(step % 3)")
      }
      // Waits for a rewrite ahead of time.
      try await store.refresh()
      #expect([0, 2].contains(system.openDescriptors))
      #expect(system.strayCloses == 0)
      #expect(try other.texts() == store.texts())
    }
    try await store.close()
    #expect(system.openDescriptors == 0)
  }
}
