import Foundation
import GlobalData
import TestSupport
import Testing

/// Commands that read change nothing, need no write access, and wait for no process.
@Suite(.enabled(if: ChildProcess.isPossible)) struct LeavingNoTraceTests {
  private let bench = ToolBench()

  private static let readingCommands: [[String]] = [
    ["list"], ["list", "--json"], ["get"], ["check"], ["check", "--json"], ["diff"], ["export"], ["export", "--html"],
  ]

  private func arguments(_ command: [String], _ bench: ToolBench) -> [String] {
    let last = ["get": ["a"], "diff": [bench.file.path]][command[0]] ?? []
    return command + [bench.file.path] + last
  }

  @Test(arguments: readingCommands)
  func aReadingCommandLeavesTheFolderAsItIs(_ command: [String]) async throws {
    let store = bench.appendingStore()
    try await store.set(1, forKey: "a")
    try await store.set(2, forKey: "b")
    // The temporary file of a process that ended long ago, which opening a store would remove.
    let leftover = bench.url(".as-000000010000abcd.tmp")
    try Data([1]).write(to: leftover)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: leftover.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: bench.folder.path)
    defer { restore(bench.folder) }
    let before = try bench.snapshot()
    let outcome = try await bench.run(arguments(command, bench))
    let after = try bench.snapshot()
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(after == before)
  }

  private func restore(_ folder: URL) {
    do {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
    } catch {
      Issue.record(error)
    }
  }

  @Test(arguments: readingCommands)
  func aReadingCommandDoesNotWaitForAProcessThatHoldsTheLock(_ command: [String]) async throws {
    let store = bench.appendingStore()
    try await store.set(1, forKey: "a")
    let lock = try #require(
      FileManager.default.contentsOfDirectory(atPath: bench.folder.path).first { $0.hasSuffix(".lock") })
    let handle = try FileHandle(forUpdating: bench.url(lock))
    // This does not wait: no other process can have the lock.
    #expect(flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
    // A command that needs the lock waits ten seconds for it, and then fails.
    let outcome = try await bench.run(arguments(command, bench))
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    try handle.close()
  }

  @Test func aFileThatAnAppWritesAllTheTimeIsRead() async throws {
    let store = bench.appendingStore()
    try await store.set(0, forKey: "a")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var number = 0
        while !Task.isCancelled {
          number += 1
          try await store.set(number, forKey: "a")
        }
      }
      for command in Self.readingCommands where command[0] != "diff" {
        let outcome = try await bench.run(arguments(command, bench))
        #expect(outcome.status == 0, "\(command): \(outcome.errors)")
      }
      group.cancelAll()
      try await group.waitForAll()
    }
  }
}
