import Foundation
import TestSupport
import Testing

@testable import GlobalData

/// The values that `stress-writer number` stores.
private struct Stamp: Codable, Sendable {
  var number: Int
  var time: UInt64
}

/// Another process writes while this one observes, and restores. `Violence/run.sh` does the same at length.
@Suite(.enabled(if: ChildProcess.isPossible), .serialized, .timeLimit(.minutes(20))) struct OtherProcessTests {
  @TemporaryFolder private var folder

  private func numbers(_ store: GlobalData) throws -> [String: Int] {
    try store.allKeys.filter { $0.hasPrefix("key ") }.reduce(into: [:]) { numbers, key in
      numbers[key] = try store.object(Stamp.self, forKey: key)?.number
    }
  }

  @Test(arguments: [[], ["--appending"]])
  func itsWritesAreReportedInOrderAndOnlyOnce(options: [String]) async throws {
    let url = folder.file("store")
    let store = GlobalData(at: url)
    try await store.open()
    let changes = store.changes
    try await store.refresh()  // The file is watched from now on.
    let arguments = options + ["--durability", "processCrash", "number", url.path, "400", "5"]
    let victim = try ChildProcess("stress-writer", arguments, outputIn: folder)
    async let end = followed(by: arguments, victim, in: folder)
    var before: [String: Int] = [:]
    var reported: [String: Int] = [:]
    let last = ["key 0": 400, "key 1": 400, "key 2": 397, "key 3": 398, "key 4": 399]
    for await change in changes {
      #expect(change.origin == .otherProcess)
      for key in change.keys {
        let old = try change.oldValue(Stamp.self, forKey: key)?.number ?? 0
        let new = try #require(try store.object(Stamp.self, forKey: key)).number
        #expect(old > before[key] ?? -1 && new > old && new >= reported[key] ?? 0)
        // Number n is under the key n modulo 5, and each tenth also under the next key.
        #expect(["key \(new % 5)", new % 10 == 0 ? "key \((new + 1) % 5)" : nil].contains(key))
        (before[key], reported[key]) = (old, new)
      }
      // A value may be newer than the change that announced it: more changes wait when the last number is there.
      if reported == last { break }
    }
    #expect(try await end == 0)
    #expect(reported == last)
    let fresh = GlobalData(at: url, system: POSIXSystemCalls())
    #expect(try numbers(fresh) == reported)
  }

  /// Kills the writer, and starts another one that continues.
  private func followed(by arguments: [String], _ victim: ChildProcess, in folder: URL) async throws -> Int32 {
    try await victim.waitForOutput { $0.contains("ACK 100 ") }
    victim.kill()
    _ = try await victim.outcome()
    return try await ChildProcess.run("stress-writer", arguments, outputIn: folder).status
  }

  @Test(arguments: [[], ["--appending"]])
  func aBackupIsRestoredInTheMiddleOfItsWrites(options: [String]) async throws {
    let url = folder.file("store")
    let store = GlobalData(at: url)
    try await store.set("before", forKey: "mark")
    let arguments = options + ["--durability", "processCrash", "number", url.path, "1000000", "5"]
    let writer = try ChildProcess("stress-writer", arguments, outputIn: folder)
    var isRunning = true
    defer { if isRunning { writer.kill() } }
    try await writer.waitForOutput { $0.contains("ACK 20 ") }
    try await store.backup(to: folder.file("backup"))
    let backup = GlobalData(at: folder.file("backup"), system: POSIXSystemCalls())
    let saved = try numbers(backup)
    // The state of one moment: the numbers of the five keys are consecutive, except for numbers that are written
    // under two keys.
    let latest = try #require(saved.values.max())
    #expect(saved.count == 5 && saved.values.allSatisfy { $0 > latest - 5 })

    try await writer.waitForOutput { $0.contains("ACK \(latest + 20) ") }
    try await store.set("after", forKey: "mark")
    let kept = try #require(try await store.restore(from: folder.file("backup")))
    // This store has the restored values, or later ones of the other process, and nothing from in between.
    #expect(try store.object(String.self, forKey: "mark") == "before")
    let earlier = GlobalData(at: kept, system: POSIXSystemCalls())
    #expect(try earlier.object(String.self, forKey: "mark") == "after")
    #expect(try #require(try numbers(earlier).values.max()) >= latest + 20)
    let now = WriterReport(try writer.output()).acknowledged
    try await writer.waitForOutput { $0.contains("ACK \(now + 20) ") }
    writer.kill()
    isRunning = false
    let report = WriterReport(try await writer.outcome().output)
    // The other process continued on the restored values, and its acknowledged writes are there.
    try await store.refresh()
    let found = try numbers(store)
    #expect(try store.object(String.self, forKey: "mark") == "before")
    #expect(found.count == 5)
    let last = try #require(found.values.max())
    #expect((report.acknowledged...report.started).contains(last))
    #expect(found.values.allSatisfy { $0 > last - 5 })
    let fresh = GlobalData(at: url, system: POSIXSystemCalls())
    #expect(try numbers(fresh) == found)
    #expect(try GlobalData.check(fileAt: url).isIntact)
  }
}
