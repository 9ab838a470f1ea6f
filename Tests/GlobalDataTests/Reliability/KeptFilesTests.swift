import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// The folder and the lock's file of a store that appends stay open between commits, and nothing else changes by that.
@Suite struct KeptFilesTests {
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
    try await withTemporaryDirectory { folder in
      let system = FaultySystemCalls()
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
  }

  @Test(arguments: Durability.allCases) func theLockIsGivenBackAfterEachCommit(_ durability: Durability) async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
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
  }

  /// As when somebody tidies up: the lock that is held would lock nobody out.
  @Test func aLockFileThatWasRemovedIsMadeAnew() async throws {
    try await withTemporaryDirectory { folder in
      let url = folder.file("store")
      let system = FaultySystemCalls()
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
  }

  @Test func aFolderThatWasMovedAwayIsNotWrittenTo() async throws {
    try await withTemporaryDirectory { folder in
      let (home, away) = (folder.file("home"), folder.file("away"))
      let url = home.appendingPathComponent("store")
      let system = FaultySystemCalls()
      let store = GlobalData(at: url, configuration: configuration(), system: system)
      try await store.set("one", forKey: "a")
      try await store.set("two", forKey: "a")
      try FileManager.default.moveItem(at: home, to: away)
      let moved = try Data(contentsOf: away.appendingPathComponent("store"))
      // A copy that was made before, put in its place.
      try FileManager.default.copyItem(at: away, to: home)
      try await store.set("three", forKey: "b")
      #expect(try Data(contentsOf: away.appendingPathComponent("store")) == moved)
      let fresh = GlobalData(at: url, system: POSIXSystemCalls())
      #expect(try fresh.texts() == ["a": "two", "b": "three"])
      try await store.close()
      #expect(system.openDescriptors == 0 && system.strayCloses == 0)
    }
  }

  /// Appends, rewrites, clears and what other processes do, in an order of chance.
  @Test(arguments: 0..<8) func eachDescriptorIsClosedOnce(seed: UInt64) async throws {
    try await withTemporaryDirectory { folder in
      var random = SeededGenerator(seed: seed)
      let system = FaultySystemCalls()
      let url = folder.file("store")
      let durability = try #require(Durability.allCases.randomElement(using: &random))
      let store = GlobalData(at: url, configuration: configuration(durability), system: system)
      for step in 0..<150 {
        let other = GlobalData(at: url, configuration: configuration(), system: POSIXSystemCalls())
        switch random.below(12) {
        case 0:
          try await other.set("\(step)", forKey: "other")
          try await other.refresh()  // Behind a compaction, during which it has the lock.
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
        // Behind a file that is written anew ahead of time.
        try await store.refresh()
        #expect([0, 2].contains(system.openDescriptors))
        #expect(system.strayCloses == 0)
        #expect(try other.texts() == store.texts())
      }
      try await store.close()
      #expect(system.openDescriptors == 0)
    }
  }
}
