import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// Writes that wait for nothing, and are therefore made on the caller's thread.
@Suite struct ImmediateCommitTests {
  @TemporaryFolder private var folder

  private func configuration(
    _ durability: Durability = .ordered, _ persistence: GlobalData.Persistence = .appending
  ) -> GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.durability = durability
    configuration.persistence = persistence
    return configuration
  }

  /// A store with one entry that shares nothing with others, as in another process.
  private func store(_ url: URL, _ configuration: GlobalData.Configuration) async throws -> GlobalData {
    let store = GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
    try await store.set("zero", forKey: "zero")
    return store
  }

  /// Queues a write of a text, as `set` does.
  private func queue(_ text: String, forKey key: String = "key", in store: GlobalData) throws -> StoreTicket {
    let entry = try StoredEntry(key: key, store.configuration, in: store.url) { try $0.encodeItem(text, $1) }
    return store.engine.queue.add(.set(entry)).ticket
  }

  /// Commits the queue immediately, if possible.
  ///
  /// A commit resumes its callers before its turn is over, and the store commits nothing immediately in between. This
  /// function waits for the end of the turn.
  private func commitImmediately(in store: GlobalData) async -> Bool {
    while store.engine.executor.runImmediately({}) == nil { await Task.yield() }
    return store.engine.commitQueueImmediately()
  }

  /// Expects that closing the store commits the queue, if nothing did before.
  private func expectLater(_ ticket: StoreTicket, _ texts: [String: String], in store: GlobalData) async throws {
    #expect(!ticket.isDone)
    try await store.close()
    try await ticket.wait()
    #expect(ticket.isDone)
    #expect(try store.texts() == texts)
  }

  @Test(arguments: [Durability.ordered, .processCrash])
  func anAppendWithoutASyncIsMadeImmediately(_ durability: Durability) async throws {
    let store = try await store(folder.file("store"), configuration(durability))
    let tickets = [try queue("one", in: store), try queue("two", forKey: "other", in: store)]
    #expect(await commitImmediately(in: store))
    for ticket in tickets {
      #expect(ticket.isDone)
      try await ticket.wait()
    }
    let expected = ["zero": "zero", "key": "one", "other": "two"]
    #expect(try store.texts() == expected)
    let fresh = GlobalData(at: folder.file("store"), system: POSIXSystemCalls())
    #expect(try fresh.texts() == expected)
  }

  @Test func aStoreInMemoryWritesImmediately() async throws {
    let store = GlobalData.inMemory()
    let ticket = try queue("one", in: store)
    #expect(await commitImmediately(in: store) && ticket.isDone)
    #expect(try store.texts() == ["key": "one"])
  }

  @Test func settingTheCurrentValueReturnsImmediatelyWithoutAWrite() async throws {
    let store = try await store(folder.file("store"), configuration())
    let before = try Data(contentsOf: folder.file("store"))
    let ticket = try queue("zero", forKey: "zero", in: store)
    #expect(await commitImmediately(in: store) && ticket.isDone)
    #expect(try Data(contentsOf: folder.file("store")) == before)
  }

  @Test func syncsAndRewritesAreLeftToTheStoresOwnThread() async throws {
    let configurations = [configuration(.powerLoss)] + Durability.allCases.map { configuration($0, .rewriting) }
    for configuration in configurations {
      try await withTemporaryDirectory { folder in
        let store = try await store(folder.file("store"), configuration)
        let ticket = try queue("one", in: store)
        #expect(await !commitImmediately(in: store))
        try await expectLater(ticket, ["zero": "zero", "key": "one"], in: store)
      }
    }
  }

  @Test func anImmediateCommitDoesNotOpenTheStore() async throws {
    let store = try await store(folder.file("store"), configuration())
    try await store.close()
    let ticket = try queue("one", in: store)
    #expect(await !commitImmediately(in: store))
    try await expectLater(ticket, ["zero": "zero", "key": "one"], in: store)
  }

  @Test func anImmediateCommitDoesNotWaitForALock() async throws {
    let store = try await store(folder.file("store"), configuration())
    let file = ArchiveFile(url: folder.file("store"))
    let lock = try #require(try file.lock(timeout: .zero, makingFolder: false, .powerLoss))
    let ticket = try queue("one", in: store)
    #expect(await !commitImmediately(in: store))
    lock.release()
    try await expectLater(ticket, ["zero": "zero", "key": "one"], in: store)
  }

  /// A writer whose lock file was removed meanwhile still has the lock of the store's file.
  @Test func anImmediateCommitDoesNotWaitForTheLockOfTheFile() async throws {
    let store = try await store(folder.file("store"), configuration())
    let file = try StoreFolder(folder.path, POSIXSystemCalls()).openExisting("store")
    // A child process that another test starts has the store's locked file, too, until it starts its program.
    try #require(try file.waitForLock(until: SteadyClock.now + .seconds(60), during: nil))
    let ticket = try queue("one", in: store)
    #expect(await !commitImmediately(in: store))
    file.discard()
    try await expectLater(ticket, ["zero": "zero", "key": "one"], in: store)
  }

  @Test func anImmediateCommitDoesNotReadTheWritesOfAnotherProcess() async throws {
    let store = try await store(folder.file("store"), configuration())
    let other = GlobalData(at: folder.file("store"), configuration: configuration(), system: POSIXSystemCalls())
    try await other.set("other", forKey: "other")
    let ticket = try queue("one", in: store)
    #expect(await !commitImmediately(in: store))
    try await expectLater(ticket, ["zero": "zero", "key": "one", "other": "other"], in: store)
  }

  @Test func slowWorkIsLeftToTheStoresOwnThread() async throws {
    let store = try await store(folder.file("store"), configuration())
    let large = String(repeating: "large", count: 20_000)
    let ticket = try queue(large, in: store)
    #expect(await !commitImmediately(in: store))
    try await expectLater(ticket, ["zero": "zero", "key": large], in: store)
    let clear = store.engine.queue.add(.clear(keeping: ["key"])).ticket
    #expect(await !commitImmediately(in: store))
    try await expectLater(clear, ["key": large], in: store)
  }

  @Test func observersAreNotCalledOnTheThreadOfTheWriter() async throws {
    let store = GlobalData.inMemory()
    var values = store.updates(of: GlobalData.Key("key", default: "")).makeAsyncIterator()
    #expect(await values.next() == "")
    let ticket = try queue("one", in: store)
    #expect(await !commitImmediately(in: store))
    try await store.close()
    try await ticket.wait()
    #expect(await values.next() == "one")
  }

  /// Whether a change fails depends on the contents of the file. Such a change waits together with the others that are
  /// still queued.
  @Test(.timeLimit(.minutes(10))) func anIndividualFailureIsReportedAfterTheOtherChangesAreMade() async throws {
    let store = try await store(folder.file("store"), configuration())
    try await store.set("one", forKey: "caf\u{e9}")
    // This makes half of the file outdated, so that it has to be rewritten.
    try await store.set(String(repeating: "x", count: 60_000), forKey: "key")
    try await store.set(String(repeating: "y", count: 60_000), forKey: "key")
    let first = try queue(String(repeating: "z", count: 60_000), in: store)
    let failing = try queue("two", forKey: "cafe\u{301}", in: store)
    #expect(await !commitImmediately(in: store))
    #expect(!first.isDone && !failing.isDone)
    try await store.close()
    let error = try await requireError(GlobalDataError.self) { try await failing.wait() }
    #expect(error.code == .invalidKey)
    try await first.wait()
    #expect(try store.texts()["key"]?.first == "z")
  }

  @Test func aRemovalWithoutAFileLeavesNoTrace() async throws {
    let store = try await store(folder.file("store"), configuration())
    try await store.set("one", forKey: "a")
    try await GlobalData(at: folder.file("store"), system: POSIXSystemCalls()).clear()
    #expect(try folder.names() == [])
    try await store.removeObject(forKey: "a")
    #expect(try folder.names() == [])
    #expect(store.allKeys == [])
  }

  /// Calls after an update whose closure has not run yet wait for it.
  @Test func nothingIsCommittedBeforeAnEarlierUpdateHasRun() async throws {
    for store in [try await store(folder.file("store"), configuration()), GlobalData.inMemory()] {
      try await store.set("zero", forKey: "zero")
      let update = store.engine.queue.add(nil).ticket
      let ticket = try queue("one", in: store)
      _ = await commitImmediately(in: store)
      #expect(!update.isDone && !ticket.isDone)
      var draft = StoreDraft()
      draft.remove("zero")
      #expect(store.engine.queue.close(update, StoreUpdate(draft: draft, basis: .init())))
      #expect(await commitImmediately(in: store))
      #expect(update.isDone && ticket.isDone)
      #expect(try store.texts() == ["key": "one"])
    }
  }

  @Test func aWriteDoesNotOvertakeThoseThatWait() async throws {
    let store = GlobalData.inMemory()
    let ticket = try queue("first", in: store)
    let entry = try StoredEntry(key: "key", store.configuration, in: nil) { try $0.encodeItem("second", $1) }
    #expect(try store.engine.commitImmediately(.set(entry), number: store.engine.queue.takeNumber()) == nil)
    try await expectLater(ticket, ["key": "first"], in: store)
  }

  /// A value that took long to encode comes before an update whose closure has already run.
  @Test func anUpdateThatAnEarlierWriteOvertookIsNotMade() async throws {
    let store = GlobalData.inMemory()
    let entry = try StoredEntry(key: "key", store.configuration, in: nil) { try $0.encodeItem("slow", $1) }
    let number = store.engine.queue.takeNumber()
    let update = store.engine.queue.add(nil).ticket
    let log = ReadLog(try store.engine.contents(before: update), store.configuration, store.engine)
    log.record(nil, forKey: "key")
    var draft = StoreDraft()
    draft.set(try StoredEntry(key: "key", store.configuration, in: nil) { try $0.encodeItem("first", $1) })
    let ticket = store.engine.queue.add(.set(entry), number: number).ticket
    _ = store.engine.queue.close(update, StoreUpdate(draft: draft, basis: log.basis))
    #expect(await !commitImmediately(in: store))
    try store.engine.commitQueue()
    try await ticket.wait()
    #expect(try store.texts() == ["key": "slow"])
    #expect(!update.isDone, "its closure runs again")
    _ = store.engine.queue.withdraw(update, CancellationError())
  }

  @Test func aHalfOutdatedFileIsRewrittenBetweenImmediateAppends() async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: folder.file("store"), configuration: configuration(), system: system)
    for round in 0..<200 { try await store.set(String(repeating: "\(round % 10)", count: 2000), forKey: "key") }
    try await store.close()
    #expect(system.count(of: .renameat) > 1, "it was rewritten meanwhile")
    let expected = ["key": String(repeating: "9", count: 2000)]
    #expect(try store.texts() == expected)
    let fresh = GlobalData(at: folder.file("store"), system: POSIXSystemCalls())
    #expect(try fresh.texts() == expected)
  }

  /// While the store's own thread works, no other thread commits.
  @Test func nothingIsCommittedImmediatelyDuringOtherWork() async throws {
    let stores = [GlobalData.inMemory(), try await store(folder.file("store"), configuration())]
    for store in stores {
      while store.engine.executor.runImmediately({ #expect(!store.engine.commitQueueImmediately()) }) == nil {
        await Task.yield()
      }
      #expect(await commitImmediately(in: store), "the queue is empty, and no commit is running")
    }
  }

  @Test func aFailedImmediateAppendIsReportedAndTheNextWriteRepairsTheFile() async throws {
    let system = FaultySystemCalls()
    let url = folder.file("store")
    let store = GlobalData(at: url, configuration: configuration(), system: system)
    try await store.set("zero", forKey: "zero")
    system.fail(.pwrite, .error(ENOSPC))
    let error = try await requireError(GlobalDataError.self) { try await store.set("one", forKey: "key") }
    #expect(error.code == .writeFailed)
    #expect(try store.texts() == ["zero": "zero"])
    system.recover()
    try await store.set("two", forKey: "key")
    let fresh = GlobalData(at: url, system: POSIXSystemCalls())
    #expect(try fresh.texts() == ["zero": "zero", "key": "two"])
  }

  @Test func concurrentWritesOfManyTasksAllArrive() async throws {
    let store = try await store(folder.file("store"), configuration())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<500 {
        group.addTask {
          if number % 50 == 0 {
            try await store.update { try $0.set("\(number)", forKey: "update \(number)") }
          } else {
            try await store.set("\(number)", forKey: "\(number)")
            #expect(try store.object(String.self, forKey: "\(number)") == "\(number)")
          }
        }
      }
      try await group.waitForAll()
    }
    let fresh = GlobalData(at: folder.file("store"), system: POSIXSystemCalls())
    #expect(try fresh.texts() == store.texts())
    #expect(try fresh.texts().count == 501)
  }
}
