import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// Updates: what their closures see, how often they run, and in which order.
@Suite struct UpdateTurnTests {
  @TemporaryFolder private var folder
  private static let count = GlobalData.Key("count", default: 0)

  /// A store like that of another process.
  private func otherProcess(_ url: URL, _ configuration: GlobalData.Configuration = .init()) -> GlobalData {
    GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
  }

  /// Writes immediately, for code that cannot wait.
  private func set(_ number: Int, forKey key: String, in store: GlobalData) throws {
    let entry = try StoredEntry(key: key, store.configuration, in: store.url) { try $0.encodeItem(number, $1) }
    _ = store.engine.queue.add(.set(entry))
    if let failure = withWriter(of: store, { $0.commitQueue() }) { throw failure }
  }

  /// Works with the writer on this thread, as soon as no other thread does.
  private func withWriter<Outcome>(of store: GlobalData, _ work: (StoreWriter) -> Outcome) -> Outcome {
    while true {
      if let outcome = store.engine.withWriterImmediately(work) { return outcome }
      sched_yield()
    }
  }

  // MARK: Other processes

  @Test(arguments: GlobalData.Persistence.allCases)
  func theClosureRunsAgainIfAnotherProcessChangedWhatItRead(_ persistence: GlobalData.Persistence) async throws {
    var configuration = GlobalData.Configuration()
    configuration.persistence = persistence
    let (store, other) = (
      otherProcess(folder.file("a"), configuration), otherProcess(folder.file("a"), configuration)
    )
    try await store.set(1, for: Self.count)
    try await other.set(10, for: Self.count)
    var seen: [Int] = []
    let result = try await store.update { data in
      seen.append(data[Self.count])
      data[Self.count] += 1
      return data[Self.count]
    }
    #expect(seen == [1, 10] && result == 11)
    #expect(try otherProcess(folder.file("a")).value(for: Self.count) == 11)
  }

  /// An insert reads that the element does not exist, even if the closure does nothing else.
  @Test(arguments: GlobalData.Persistence.allCases)
  func anInsertRunsAgainIfAnotherProcessInsertedTheSame(_ persistence: GlobalData.Persistence) async throws {
    struct Item: Codable, Identifiable, Sendable {
      var id: Int
    }
    var configuration = GlobalData.Configuration()
    configuration.persistence = persistence
    let (store, other) = (
      otherProcess(folder.file("a"), configuration), otherProcess(folder.file("a"), configuration)
    )
    let (items, others) = (
      store.collection(of: Item.self, named: "items"), other.collection(of: Item.self, named: "items")
    )
    try await items.insert(Item(id: 0))
    try await others.insert(Item(id: 1))
    var runs = 0
    let error = try await requireError(GlobalDataError.self) {
      try await store.update { data in
        runs += 1
        try data.insert((1..<20).lazy.map(Item.init), into: items)
      }
    }
    #expect(error.code == .duplicateElement)
    #expect(runs == 2)
    try await store.update { data in
      runs += 1
      try data.insert((2..<20).lazy.map(Item.init), into: items)
    }
    #expect(runs == 3, "nothing was inserted, and another process wrote nothing")
    try await other.refresh()
    #expect(others.all.map(\.id) == Array(0..<20))
    try await others.delete(5)
    // The element was there when the file was last read, but is not there anymore.
    try await items.insert(Item(id: 5))
    #expect(items.all.map(\.id) == Array(0..<5) + Array(6..<20) + [5])
  }

  /// An iterator has no more elements for a second run.
  @Test func elementsThatCanBeIteratedOnceAreWrittenIfAnotherProcessChangedTheSame() async throws {
    struct Note: Codable, Identifiable, Sendable {
      var id: Int
      var text: String
    }
    let (store, other) = (otherProcess(folder.file("a")), otherProcess(folder.file("a")))
    let (notes, otherNotes) = (store.collection(of: Note.self), other.collection(of: Note.self))
    try await notes.insert(Note(id: 1, text: "old"))
    try await otherNotes.upsert(Note(id: 1, text: "other"))
    try await notes.upsert(AnyIterator([Note(id: 1, text: "new"), Note(id: 2, text: "second")].makeIterator()))
    #expect(notes.all.map(\.text) == ["new", "second"])
    try await otherNotes.insert(Note(id: 3, text: "other"))
    let error = await expectError(GlobalDataError.self) {
      try await notes.insert(AnyIterator([Note(id: 3, text: "new")].makeIterator()))
    }
    #expect(error?.code == .duplicateElement)
  }

  @Test func theClosureRunsOnceIfAnotherProcessChangedSomethingElse() async throws {
    let (store, other) = (otherProcess(folder.file("a")), otherProcess(folder.file("a")))
    try await store.set(1, for: Self.count)
    try await other.set(10, forKey: "other")
    var runs = 0
    try await store.update { data in
      runs += 1
      data[Self.count] += 1
      // The closure only writes this key, and does not read it.
      try data.set(runs, forKey: "other")
    }
    #expect(runs == 1)
    #expect(try store.value(for: Self.count) == 2)
    #expect(try store.object(Int.self, forKey: "other") == 1)
  }

  @Test func theKeysOfAStoreOrACollectionAreReadToo() async throws {
    struct Note: Codable, Identifiable { var id: Int }
    let (store, other) = (otherProcess(folder.file("a")), otherProcess(folder.file("a")))
    try await store.set(1, for: Self.count)
    let (notes, otherNotes) = (store.collection(of: Note.self), other.collection(of: Note.self))
    try await otherNotes.insert(Note(id: 1))
    var counts: [Int] = []
    try await store.update { data in
      counts.append(data.allKeys.count)
      try data.set(counts, forKey: "keys")
    }
    try await otherNotes.insert(Note(id: 2))
    try await store.update { data in
      counts.append(try data.all(of: notes).count)
      try data.set(counts, forKey: "notes")
    }
    #expect(counts == [1, 2, 1, 2])
    #expect(try await notes.delete { _ in true } == 2)
    #expect(notes.isEmpty)
  }

  @Test func aKeyThatAnotherProcessSpellsOtherwiseIsADifferentOne() async throws {
    let (store, other) = (otherProcess(folder.file("a")), otherProcess(folder.file("a")))
    try await store.set(1, forKey: "\u{e9}")
    try await other.removeObject(forKey: "\u{e9}")
    try await other.set(1, forKey: "e\u{301}")
    var lengths: [[Int]] = []
    try await store.update { data in
      lengths.append(data.allKeys.map(\.unicodeScalars.count))
      try data.set(true, forKey: "done")
    }
    #expect(lengths == [[1], [2]])
  }

  /// An error may be caused by a value that is no longer there.
  @Test func aClosureThatThrewOnAnOutdatedValueRunsAgain() async throws {
    struct Empty: Error {}
    let (store, other) = (otherProcess(folder.file("a")), otherProcess(folder.file("a")))
    try await store.set(0, for: Self.count)
    try await other.set(2, for: Self.count)
    for expected in [1, 0] {
      let left = try await store.update { data in
        guard data[Self.count] > 0 else { throw Empty() }
        data[Self.count] -= 1
        return data[Self.count]
      }
      #expect(left == expected)
    }
    await #expect(throws: Empty.self) {
      try await store.update { data in if data[Self.count] == 0 { throw Empty() } }
    }
    #expect(try store.value(for: Self.count) == 0)
  }

  @Test func noLockIsHeldWhileTheClosureRuns() async throws {
    var configuration = GlobalData.Configuration()
    configuration.lockTimeout = .zero
    let store = otherProcess(folder.file("a"))
    let other = otherProcess(folder.file("a"), configuration)
    try await store.set(1, for: Self.count)
    try await store.update { data in
      try set(5, forKey: "other", in: other)
      data[Self.count] += 1
    }
    #expect(try store.value(for: Self.count) == 2)
    #expect(try store.object(Int.self, forKey: "other") == 5)
  }

  // On the main actor, which has a thread of its own: if all threads of tasks are busy, the closure would not run in
  // time.
  @MainActor @Test(arguments: GlobalData.Persistence.allCases)
  func theClosureHasTheLockFromTheThirdRunOn(_ persistence: GlobalData.Persistence) async throws {
    var configuration = GlobalData.Configuration()
    configuration.persistence = persistence
    configuration.lockTimeout = .seconds(120)
    let store = otherProcess(folder.file("a"), configuration)
    configuration.lockTimeout = .zero
    let other = otherProcess(folder.file("a"), configuration)
    try await store.set(1, for: Self.count)
    var runs = 0
    var isLocked = false
    try await store.update { data in
      runs += 1
      do {
        try set(10 * runs, forKey: "count", in: other)
      } catch let error as GlobalDataError where error.code == .busy {
        isLocked = true
      }
      data[Self.count] += 1
    }
    // If this task does not get a thread within 50 ms, the lock is released, and a later run holds it.
    #expect(runs >= 3 && isLocked)
    // The lock is free again.
    try await other.set(0, forKey: "other")
    try await store.refresh()
    #expect(try store.value(for: Self.count) == 10 * (runs - 1) + 1)
  }

  @Test func closingAStoreReleasesTheLockOfAnUpdate() async throws {
    let store = otherProcess(folder.file("a"))
    var configuration = GlobalData.Configuration()
    configuration.lockTimeout = .zero
    let other = otherProcess(folder.file("a"), configuration)
    try await store.set(1, for: Self.count)
    var runs = 0
    try await store.update { data in
      runs += 1
      data[Self.count] += 1
      if runs == 3 { withWriter(of: store) { $0.close() } }
      if runs <= 3 { try set(10 * runs, forKey: "count", in: other) }
    }
    #expect(runs == 4)
    #expect(try store.value(for: Self.count) == 31)
  }

  @Test func anAlwaysOvertakenUpdateEndsWithAnError() async throws {
    var configuration = GlobalData.Configuration()
    configuration.lockTimeout = .milliseconds(20)
    let store = otherProcess(folder.file("a"), configuration)
    let other = otherProcess(folder.file("a"))
    try await store.set(1, for: Self.count)
    var runs = 0
    let error = try await requireError(GlobalDataError.self) {
      try await store.update { data in
        runs += 1
        let count = data[Self.count]
        try set(count + 1, forKey: "count", in: other)
        data[Self.count] = -1
      }
    }
    #expect(error.code == .busy && runs >= 10)
    #expect(error.description.contains("\(runs) times in a row"))
    try await store.refresh()
    #expect(try store.value(for: Self.count) == runs + 1)
    // Later calls are not delayed.
    try await store.set(0, for: Self.count)
    #expect(try store.value(for: Self.count) == 0)
  }

  @Test(.timeLimit(.minutes(20)), arguments: [(processes: 2, tasks: 1), (3, 3)])
  func processesThatUpdateOneKeyAllFinish(processes: Int, tasks: Int) async throws {
    var configuration = GlobalData.Configuration()
    // While hundreds of other tests run, a task may wait a second for a thread.
    configuration.lockTimeout = .seconds(120)
    let stores = (0..<processes).map { _ in otherProcess(folder.file("a"), configuration) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores {
        for _ in 0..<tasks {
          group.addTask { for _ in 0..<10 { try await store.update { $0[Self.count] += 1 } } }
        }
      }
      try await group.waitForAll()
    }
    try await stores[0].refresh()
    #expect(try stores[0].value(for: Self.count) == processes * tasks * 10)
  }

  // MARK: This process

  @Test func closuresOfOneProcessRunOnceEach() async throws {
    let store = otherProcess(folder.file("a"))
    let runs = Locked(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask {
          try await store.update { data in
            runs.withLock { $0 += 1 }
            data[Self.count] += 1
            try data.set(number, forKey: "\(number)")
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(runs.withLock { $0 } == 300)
    #expect(try store.value(for: Self.count) == 300)
    #expect(store.allKeys.count == 301)
  }

  @Test func anUpdateAfterAFailedWriteReadsTheEarlierValue() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.file("a"), faults)
    try await store.set(1, for: Self.count)
    faults.fail(.rename, with: .inputOutput)
    let first = Task { try await store.set(10, for: Self.count) }
    await #expect(throws: GlobalDataError.self) { try await first.value }
    faults.reset()
    try await store.update { $0[Self.count] += 1 }
    #expect(try store.value(for: Self.count) == 2)
  }

  @Test func anUpdateThatMovesKeysAndClearsKeepsTheOrderOfKeys() async throws {
    let store = GlobalData.inMemory()
    for key in ["a", "b", "c"] { try await store.set(key, forKey: key) }
    try await store.update { data in
      data.removeObject(forKey: "a")
      try data.set("new", forKey: "d")
      try data.set("again", forKey: "a")
      #expect(data.allKeys == ["b", "c", "d", "a"])
    }
    #expect(store.allKeys == ["b", "c", "d", "a"])
    try await store.update { data in
      data.clear(keeping: ["c"])
      try data.set("first", forKey: "b")
      #expect(data.allKeys == ["c", "b"])
      #expect(try data.object(String.self, forKey: "a") == nil)
    }
    #expect(store.allKeys == ["c", "b"])
  }

  // MARK: The queue

  @Test func closuresTakeTurnsInTheOrderOfTheirCalls() async throws {
    let queue = WriteQueue()
    let (first, second) = (queue.add(nil), queue.add(nil))
    #expect(queue.hasTurn(first.ticket) && !queue.hasTurn(second.ticket))
    #expect(!first.mustCommit && !second.mustCommit)
    let waiting = Task { await queue.waitForTurn(of: second.ticket) }
    let write = queue.add(.remove("a"))
    #expect(!write.mustCommit, "an update before it is open")
    #expect(queue.takeReady().isEmpty)
    #expect(queue.close(first.ticket, StoreUpdate(draft: StoreDraft(), basis: .init())))
    await waiting.value
    #expect(queue.takeReady().map { $0 === first.ticket } == [true])
    #expect(queue.withdraw(second.ticket, CancellationError()), "this caller must run the write after it")
    #expect(queue.takeReady().map { $0 === write.ticket } == [true])
    await #expect(throws: CancellationError.self) { try await second.ticket.wait() }
  }

  @Test func anUpdateThatRunsAgainKeepsItsPosition() async throws {
    let queue = WriteQueue()
    let update = queue.add(nil).ticket
    #expect(queue.close(update, StoreUpdate(draft: StoreDraft(), basis: .init())))
    let write = queue.add(.remove("a"))
    let tickets = queue.takeReady()
    #expect(tickets.count == 2)
    let waiting = Task { try await update.wait() }
    queue.endCommit(puttingBack: tickets[...])
    await #expect(throws: StoreTicket.MustRunAgain.self) { try await waiting.value }
    #expect(queue.hasTurn(update) && queue.takeReady().isEmpty)
    #expect(queue.close(update, StoreUpdate(draft: StoreDraft(), basis: .init())))
    #expect(queue.takeReady().map { $0 === update } == [true, false])
    #expect(!write.ticket.isDone)
  }

  @Test func closingAStoreWaitsForUpdatesThatWaitForTheirTurn() async throws {
    let store = otherProcess(folder.file("a"))
    let blocker = store.engine.queue.add(nil).ticket
    let update = Task { try await store.update { $0[Self.count] += 1 } }
    let later = StoreTicket(nil, number: .max)
    while store.engine.queue.tickets(before: later).count < 2 { await Task.yield() }
    let closing = Task { try await store.close() }
    #expect(store.engine.queue.withdraw(blocker, CancellationError()) == false)
    try await update.value
    try await closing.value
    #expect(!store.engine.memory.isOpen)
    #expect(try store.value(for: Self.count) == 1)
  }
}
