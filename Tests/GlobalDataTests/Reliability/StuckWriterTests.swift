import Foundation
import GlobalData
import GlobalDataTesting
import KeyedArchive
import TestSupport
import Testing
import ThrownErrors

/// A disk that does not respond blocks the writes that wait for it, and nothing else.
@Suite struct StuckWriterTests {
  @TemporaryFolder private var folder

  @MainActor @Test func theMainThreadReadsDuringABlockedCommit() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.appendingPathComponent("store"), faults)
    try await store.set("old", forKey: "a")
    for operation in [StorageOperation.write, .sync, .rename, .syncFolder] {
      try await store.set("old", forKey: "a")
      try await faults.stop(at: operation) {
        try await store.set("new", forKey: "a")
      } while: { () async throws in
        // A value that is not yet durable is not visible.
        #expect(try store.object(String.self, forKey: "a") == "old")
        #expect(store.allKeys == ["a"])
      }
      #expect(try store.object(String.self, forKey: "a") == "new")
    }
  }

  /// More writers than there are cores wait for a disk. All other tasks continue.
  @Test func noCooperativeThreadWaitsForTheDisk() async throws {
    let faults = (0..<2 * ProcessInfo.processInfo.activeProcessorCount + 2).map { _ in FaultInjector() }
    let written = Locked(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, faults) in faults.enumerated() {
        let store = GlobalData.faulty(at: folder.appendingPathComponent("store \(number)"), faults)
        faults.pause(.sync, atMost: .seconds(600))
        group.addTask {
          try await store.set(number, forKey: "a")
          written.withLock { $0 += 1 }
        }
      }
      for faults in faults { try await faults.reached(.sync) }
      // All writers are blocked now. Tasks of the pool still run.
      let sum = await withTaskGroup(of: Int.self) { tasks in
        for number in 0..<1000 {
          tasks.addTask {
            await Task.yield()
            return number
          }
        }
        return await tasks.reduce(0, +)
      }
      #expect(sum == 499_500)
      #expect(written.withLock { $0 } == 0, "the tasks did not wait until the pauses had timed out")
      for faults in faults { faults.resume() }
      try await group.waitForAll()
    }
  }

  @Test func writersThatArriveDuringACommitShareTheNextOne() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.appendingPathComponent("store"), faults)
    try store.openNow()
    try await withThrowingTaskGroup(of: Void.self) { group in
      faults.pause(.sync, atMost: .seconds(600))
      group.addTask { try await store.set(0, forKey: "first") }
      try await faults.reached(.sync)
      let asked = Locked(0)
      for number in 1...100 {
        group.addTask {
          asked.withLock { $0 += 1 }
          try await store.set(number, forKey: "key \(number)")
        }
      }
      while asked.withLock({ $0 }) < 100 { await Task.yield() }
      #expect(store.allKeys.isEmpty)
      faults.resume()
      try await group.waitForAll()
    }
    #expect(store.allKeys.count == 101)
    let renames = faults.calls.filter { $0.operation == .rename }.count
    #expect(renames >= 2 && renames <= 5, "\(renames) rewrites for 101 writes")
  }

  @Test func aFailedCommitFailsItsOwnWritersOnly() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.appendingPathComponent("store"), faults)
    try await store.set("kept", forKey: "a")
    faults.fail(.sync, with: .inputOutput)
    let error = await expectError(GlobalDataError.self) { try await store.set("lost", forKey: "a") }
    #expect(error?.systemCall == "fsync")
    #expect(error?.errorNumber == EIO)
    #expect(try store.object(String.self, forKey: "a") == "kept")
    try await store.set("next", forKey: "b")
    try await store.close()
    #expect(try store.object(String.self, forKey: "a") == "kept")
    #expect(try store.object(String.self, forKey: "b") == "next")
    // Bytes whose sync failed are not synced again: each file is synced once.
    let synced = faults.calls.filter { $0.operation == .sync }.map(\.name)
    #expect(Set(synced).count == synced.count)
  }
}
