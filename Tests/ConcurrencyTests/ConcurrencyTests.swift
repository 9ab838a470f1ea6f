import Dispatch
import Foundation
import GlobalData
import TestSupport
import Testing

@Suite struct ConcurrencyTests {
  @TemporaryFolder private var folder

  @Test func manyConcurrentWritesShareAHandfulOfCommits() async throws {
    let url = folder.appendingPathComponent("store.archive")
    let store = GlobalData(at: url)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask { try await store.set(number, forKey: "key \(number)") }
      }
      try await group.waitForAll()
    }
    try await store.close()
    #expect(store.allKeys.count == 1000)
    for number in 0..<1000 { #expect(try store.object(Int.self, forKey: "key \(number)") == number) }
    #expect(try generation(of: url) < 100)
  }

  @Test func readersAlwaysSeeAWholeValueWhileWritersWrite() async throws {
    let store = GlobalData(at: folder.appendingPathComponent("store.archive"))
    try await store.set([0, 0, 0, 0], forKey: "numbers")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for round in 0..<25 {
            try await store.set(Array(repeating: writer * 1000 + round, count: 4), forKey: "numbers")
          }
        }
      }
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<200 {
            let numbers = try #require(try store.object([Int].self, forKey: "numbers"))
            #expect(Set(numbers).count == 1)
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func aWriterSeesItsOwnValueAfterAwait() async throws {
    let store = GlobalData.inMemory()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<50 {
        group.addTask {
          for round in 0..<20 {
            try await store.set(round, forKey: "task \(task)")
            #expect(try store.object(Int.self, forKey: "task \(task)") == round)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// All calls concurrently, for ThreadSanitizer: readers, writers, updates, collections, observers, another engine for
  /// the file, clearing and closing.
  @Test func allCallsConcurrentlyLeaveAReadableStore() async throws {
    let url = folder.appendingPathComponent("store.archive")
    let store = GlobalData(at: url)
    let visits = GlobalData.Key("visits", default: 0)
    let cars = store.collection(of: NumberedCar.self)
    let watching = Task {
      var last = 0
      for await value in store.updates(of: visits) { last = value }
      return last
    }
    let listening = Task { for await change in store.changes { _ = change.keys } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<40 {
            try await store.set(number, forKey: "key \(task)")
            try await store.update { $0[visits] += 1 }
          }
        }
        group.addTask {
          for number in 0..<20 { try await cars.upsert(NumberedCar(id: number % 5, speed: task)) }
        }
        group.addTask {
          for _ in 0..<200 {
            _ = store[visits]
            _ = cars.all
            _ = try store.object(forKey: "key \(task)")
            await Task.yield()
          }
        }
      }
      group.addTask {
        for round in 0..<10 {
          if round % 3 == 0 { try await store.clear() } else { try await store.clear(keeping: ["visits"]) }
          try await store.close()
          try await store.refresh()
        }
      }
      try await group.waitForAll()
    }
    watching.cancel()
    listening.cancel()
    _ = await watching.value
    await listening.value
    try await store.set("last", forKey: "last")
    try await store.close()
    #expect(try store.object(String.self, forKey: "last") == "last")
    #expect(store.state == .ready && store.recovery == nil)
  }

  @Test(arguments: [false, true]) func noValueSetBeforeAClearReappearsAfterIt(isInUpdate: Bool) async throws {
    let store = GlobalData(at: folder.appendingPathComponent("store.archive"))
    for _ in 0..<20 {
      // A value whose encoding begins before the clear is requested, and ends after the clear is done.
      let gate = Gate()
      let write = Task(executorPreference: OwnThread()) { try await store.set(Slow(gate: gate), forKey: "user") }
      await gate.waitUntilEntered()
      if isInUpdate { try await store.update { $0.clear() } } else { try await store.clear() }
      gate.open()
      try await write.value
      #expect(store.allKeys.isEmpty)
      #expect(try folderContents(folder).isEmpty)
    }
  }

  @Test func closingWhileOthersReadAndWriteLosesNothing() async throws {
    let store = GlobalData(at: folder.appendingPathComponent("store.archive"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<40 {
        group.addTask { try await store.set(number, forKey: "key \(number)") }
        group.addTask { _ = store.allKeys }
        group.addTask { try await store.close() }
      }
      try await group.waitForAll()
    }
    #expect(Set(store.allKeys) == Set((0..<40).map { "key \($0)" }))
  }

  @Test func cancellingATaskDoesNotUndoOrTearItsWrite() async throws {
    let store = GlobalData.inMemory()
    let task = Task { try await store.set("whole", forKey: "a") }
    task.cancel()
    try await task.value
    #expect(try store.object(String.self, forKey: "a") == "whole")
  }

  /// The number of commits to a file, read from its bytes.
  private func generation(of url: URL) throws -> Int {
    let archive = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: try Data(contentsOf: url))
    return try #require(archive[3]?.int)
  }
}

/// Pauses an encoding until a test resumes it.
private final class Gate: Sendable {
  private let entered = AsyncStream.makeStream(of: Void.self)
  private let opened = DispatchSemaphore(value: 0)

  func pass() {
    entered.continuation.yield()
    opened.wait()
  }

  func open() { opened.signal() }

  func waitUntilEntered() async {
    for await _ in entered.stream { return }
  }
}

private struct Slow: Codable, Sendable {
  var gate: Gate?

  init(gate: Gate) { self.gate = gate }

  init(from decoder: any Decoder) throws { gate = nil }

  func encode(to encoder: any Encoder) throws {
    gate?.pass()
    var container = encoder.singleValueContainer()
    try container.encode("slow")
  }
}

private struct NumberedCar: Identifiable, Codable, Sendable {
  var id: Int
  var speed: Int
}
