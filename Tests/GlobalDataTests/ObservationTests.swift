import Foundation
import GlobalDataTesting
import KeyedArchive
import Observation
import TestSupport
import Testing

@testable import GlobalData

extension GlobalData.Keys {
  fileprivate static let visits = GlobalData.Key("visits", default: 0)
}

@Suite struct ObservationTests {
  @TemporaryFolder private var folder
  private let store = GlobalData.inMemory()

  @Test func anObserverThatEndsLeavesTheOthers() async throws {
    let calls = Locked((first: 0, second: 0))
    let first = store.engine.observers.add { _ in calls.withLock { $0.first += 1 } }
    do {
      let second = store.engine.observers.add { _ in calls.withLock { $0.second += 1 } }
      try await store.set(1, forKey: "a")
      withExtendedLifetime(second) {}
    }
    try await store.set(2, forKey: "a")
    #expect(calls.withLock { $0 } == (2, 1))
    withExtendedLifetime(first) {}
  }

  @Test func anObserverOfAKeyIsSeldomCalledForOtherKeys() async throws {
    let calls = Locked((expected: 0, others: 0))
    let others = (0..<1000).map { number in
      store.observers.add(of: "\(number)") { _ in calls.withLock { $0.others += 1 } }
    }
    let expected = ["a/1", "a/", nil].map { name in
      store.observers.add(of: name) { _ in calls.withLock { $0.expected += 1 } }
    }
    try await store.set(1, forKey: "a/1")
    #expect(calls.withLock { $0.expected } == 3)
    #expect(calls.withLock { $0.others } < 200)
    withExtendedLifetime((others, expected)) {}
  }

  @Test func changesThatAreTakenTogetherHaveTheOldValuesOfAllTheirKeys() async throws {
    try await store.set("old a", forKey: "a")
    try await store.set("old b", forKey: "b")
    var changes = store.changes.makeAsyncIterator()
    try await store.set("new a", forKey: "a")
    try await store.set("new b", forKey: "b")
    try await store.set("newer a", forKey: "a")
    let change = try #require(await changes.next())
    #expect(change.keys == ["a", "b"])
    #expect(try change.oldValue(String.self, forKey: "a") == "old a")
    #expect(try change.oldValue(String.self, forKey: "b") == "old b")
  }

  @Test func valuesBeginWithTheCurrentOneAndFollowEachChange() async throws {
    try await store.set(1, for: .visits)
    var values = store.updates(of: .visits).makeAsyncIterator()
    #expect(await values.next() == 1)
    try await store.set(2, for: .visits)
    #expect(await values.next() == 2)
    try await store.set("else", forKey: "other")
    try await store.removeObject(forKey: "visits")
    #expect(await values.next() == 0)
    try await store.update { $0[.visits] = 7 }
    #expect(await values.next() == 7)
    try await store.clear()
    #expect(await values.next() == 0)
  }

  @Test func valuesUnderATextAreWatchedAsAType() async throws {
    var values = store.updates(of: Int.self, forKey: "n").makeAsyncIterator()
    #expect(await values.next() == .some(nil))
    try await store.set(1, forKey: "n")
    #expect(await values.next() == .some(1))
    var diagnostics = store.diagnostics.makeAsyncIterator()
    try await store.set("no number", forKey: "n")
    #expect(await values.next() == .some(nil))
    #expect(await diagnostics.next()?.key == "n")
  }

  @Test func aSlowReaderGetsTheNewestValue() async throws {
    var values = store.updates(of: .visits).makeAsyncIterator()
    for number in 1...100 { try await store.set(number, for: .visits) }
    #expect(await values.next() == 100)
  }

  @Test func aValueIsNotReturnedTwiceIfItWasReadBeforeItsNotification() async throws {
    var values = store.updates(of: .visits).makeAsyncIterator()
    try await store.set(1, for: .visits)
    #expect(await values.next() == 1)
    // A notification for a value that a reader has already read.
    let number = store.engine.memory.publicationCount
    store.observers.notify(GlobalData.Change(keys: ["visits"], origin: .thisStore, number: number))
    let pending = values.pending
    #expect(pending.count == 1)
    let writing = Task {
      while pending.count > 0 { await Task.yield() }
      try await store.set(2, for: .visits)
    }
    #expect(await values.next() == 2)
    try await writing.value
  }

  @Test func theLastValueIsNeverMissed() async throws {
    for _ in 0..<50 {
      let store = GlobalData.inMemory()
      let writing = Task { for number in 1...20 { try await store.set(number, for: .visits) } }
      var last = -1
      for await value in store.updates(of: .visits) {
        #expect(value > last)
        last = value
        if value == 20 { break }
      }
      try await writing.value
    }
  }

  @Test func aTaskThatIsAlreadyCancelledGetsNoValue() async {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      var values = store.updates(of: .visits).makeAsyncIterator()
      return await values.next()
    }
    task.cancel()
    #expect(await task.value == nil)
  }

  @Test func endingATaskEndsItsStreamAndItsObserver() async throws {
    let task = Task {
      var count = 0
      for await _ in store.updates(of: .visits) { count += 1 }
      return count
    }
    while store.observers.isEmpty { await Task.yield() }
    task.cancel()
    #expect(await task.value <= 1)
    while !store.observers.isEmpty { await Task.yield() }
  }

  @Test func changesHaveTheirKeysAndTheirOrigin() async throws {
    let url = folder.appendingPathComponent("store")
    let store = GlobalData(at: url)
    var changes = store.changes.makeAsyncIterator()
    try await store.update { data in
      try data.set(1, forKey: "a")
      try data.set(2, forKey: "b")
    }
    #expect(await changes.next() == GlobalData.Change(keys: ["a", "b"], origin: .thisStore))
    try await store.set(1, forKey: "a")  // nothing changes
    try await store.removeObject(forKey: "b")
    let removal = try #require(await changes.next())
    #expect(removal == GlobalData.Change(keys: ["b"], removed: ["b"], origin: .thisStore))
    #expect(removal.setKeys.isEmpty)
    #expect(try removal.oldValue(Int.self, forKey: "b") == 2)
    #expect(try removal.oldValue(Int.self, forKey: "a") == nil, "it did not change")

    let other = GlobalData(at: url, system: POSIXSystemCalls())
    try await other.set(3, forKey: "c")
    try await store.refresh()
    #expect(await changes.next() == GlobalData.Change(keys: ["c"], origin: .otherProcess))
    try await store.clear(keeping: ["c"])
    #expect(await changes.next() == GlobalData.Change(keys: ["a"], removed: ["a"], origin: .clear))
    try await store.clear()
    #expect(await changes.next() == GlobalData.Change(keys: ["c"], removed: ["c"], origin: .clear))
  }

  /// A reader may keep a change for a long time.
  @Test func equalChangesAreOneElementOfASet() async throws {
    let change = GlobalData.Change(keys: ["a", "b"], removed: ["b"], origin: .thisStore, number: 1)
    let same = GlobalData.Change(keys: ["b", "a"], removed: ["b"], origin: .thisStore, number: 2)
    let others = [
      GlobalData.Change(keys: ["a", "b"], origin: .thisStore), GlobalData.Change(keys: ["a"], origin: .thisStore),
      GlobalData.Change(keys: ["a", "b"], removed: ["b"], origin: .clear),
    ]
    #expect(Set([change, same] + others).count == 4 && change.hashValue == same.hashValue)
    #expect(others.map(\.hashValue).dropFirst().allSatisfy { $0 != change.hashValue })
  }

  @Test func anOldValueDoesNotKeepTheMemoryOfOtherEntries() async throws {
    let url = folder.file("store")
    try await GlobalData(at: url).update { data in
      for number in 0..<3 { try data.set(number, forKey: "\(number)") }
    }
    let store = GlobalData(at: url, system: POSIXSystemCalls())
    let contents = try store.engine.memory.withContents { $0 }
    let entries = contents.entries.list()
    var memory = entries[0].record
    let isShared = memory.extend(by: entries[1].record)
    #expect(isShared, "entries that are read together follow one another in memory")
    let copies = contents.copies(forKeys: ["0", "1"])
    var copy = try #require(copies["0"]).record
    #expect(copy == entries[0].record)
    let isCopyShared = copy.extend(by: entries[1].record)
    #expect(!isCopyShared)
    let areCopiesShared = copy.extend(by: try #require(copies["1"]).record)
    #expect(!areCopiesShared)
  }

  @Test func anObserverAddedDuringACommitGetsTheOldValue() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.appendingPathComponent("store"), faults)
    try await store.set("old", forKey: "a")
    let changes = try await faults.stop(at: .rename) {
      try await store.set("new", forKey: "a")
    } while: {
      store.changes
    }
    var iterator = changes.makeAsyncIterator()
    let change = try #require(await iterator.next())
    #expect(change.keys == ["a"])
    #expect(try change.oldValue(String.self, forKey: "a") == "old")
  }

  /// It is asked once for observers, with the readers' lock held: an observer that is added later reads the new values.
  @Test func anObservedPublicationReturnsTheOldValues() async throws {
    try await store.set("old", forKey: "a")
    let contents = try store.snapshot().contents
    var draft = StoreDraft()
    draft.set(try StoredEntry(key: "a", store.configuration, in: nil) { try $0.encodeItem("new", $1) })
    let policy = CommitPlan.Policy(
      hasFile: false, persistence: .rewriting, durability: .powerLoss, maximumFileSize: .max)
    var askedCount = 0
    let old = store.engine.memory.publish(CommitPlan(draft, on: contents, policy), nil) {
      askedCount += 1
      return true
    }
    #expect(askedCount == 1)
    #expect(old?["a"]?.record == contents["a"]?.record)
    #expect(try store.object(String.self, forKey: "a") == "new")
  }

  @Test func observersKeepAStoreAlive() async throws {
    let url = folder.appendingPathComponent("store")
    var changes = GlobalData(at: url).changes.makeAsyncIterator()
    try await GlobalData(at: url).set(1, forKey: "a")
    // Otherwise, there is no change to wait for.
    try #require(!GlobalData(at: url).observers.isEmpty)
    #expect(await changes.next()?.keys == ["a"])
  }

  @Test func anObserverMayWrite() async throws {
    let copying = Task {
      for await visits in store.updates(of: .visits) {
        try await store.set(visits, forKey: "copy")
        if visits == 3 { break }
      }
    }
    for number in 1...3 { try await store.set(number, for: .visits) }
    try await copying.value
    #expect(try store.object(Int.self, forKey: "copy") == 3)
  }

  @MainActor @Test func anObservableValueFollowsTheStore() async throws {
    try await store.set(1, for: .visits)
    let visits = store.observable(.visits)
    #expect(visits.value == 1)
    let changed = AsyncStream<Void>.makeStream()
    withObservationTracking {
      _ = visits.value
    } onChange: {
      changed.continuation.yield()
    }
    try await store.set(2, for: .visits)
    for await _ in changed.stream { break }
    while visits.value != 2 { await Task.yield() }
    try await visits.set(3)
    #expect(visits.value == 3)
    #expect(store[.visits] == 3)
  }

  @MainActor @Test func aReleasedObservableValueLeavesNothing() async throws {
    var visits: ObservableValue<Int>? = store.observable(.visits)
    #expect(visits?.value == 0)
    #expect(!store.observers.isEmpty)
    visits = nil
    #expect(store.observers.isEmpty)
  }

  @MainActor @Test(.timeLimit(.minutes(10))) func whatIsShownLaterDoesNotOpenAClosedStore() async throws {
    let (url, counter) = (folder.file("store"), UUID().uuidString)
    let store = GlobalData(at: url, configuration: .with { $0.watchesFile = false })
    let notes = store.collection(of: CountedNote.self)
    try await notes.insert(CountedNote(id: 1, counter: counter))
    let visits = store.observable(.visits)
    let (elsewhere, here) = (store.observable(notes), ObservableElements(of: notes, { $0.all }))
    #expect(elsewhere.elements.count == 1 && here.elements.count == 1)
    var updates = store.updates(of: .visits).makeAsyncIterator()
    #expect(await updates.next() == 0)

    let other = GlobalData(at: url, system: POSIXSystemCalls())
    try await other.set(1, for: .visits)
    try await other.collection(of: CountedNote.self).insert(CountedNote(id: 2, counter: counter))
    // The main actor is busy until the store is closed.
    try store.engine.refresh()
    store.engine.close()
    #expect(visits.value == 0 && here.elements.count == 1)
    while visits.value != 1 || here.elements.count != 2 || elsewhere.elements.count != 2 { await Task.yield() }
    #expect(await updates.next() == 1)
    try #require(store.state == .notOpened)

    try await other.set(2, for: .visits)
    try await other.collection(of: CountedNote.self).delete(1)
    #expect(store[.visits] == 2 && notes.count == 1 && notes.all.map(\.id) == [2])
    while visits.value != 2 || here.elements.count != 1 || elsewhere.elements.count != 1 { await Task.yield() }
    #expect(await updates.next() == 2)
  }

  @MainActor @Test(.timeLimit(.minutes(10))) func aQueryOpensOtherClosedStores() async throws {
    let url = folder.file("visits")
    let visits = GlobalData(at: url, configuration: .with { $0.watchesFile = false })
    let observed = visits.observable(.visits)
    let notes = GlobalData.inMemory().collection(of: CountedNote.self)
    let repeated = ObservableElements(of: notes) { Array(repeating: $0.all, count: visits[.visits] + 1).flatMap { $0 } }
    #expect(observed.value == 0 && repeated.elements.isEmpty)
    try await visits.close()
    try await GlobalData(at: url, system: POSIXSystemCalls()).set(1, for: .visits)
    try await notes.insert(CountedNote(id: 1, counter: UUID().uuidString))
    while repeated.elements.isEmpty { await Task.yield() }
    #expect(repeated.elements.map(\.id) == [1, 1])
  }

  @Test func aNestedReadOfAnotherStoreDoesNotOpenAClosedOne() async throws {
    let store = GlobalData(at: folder.file("store"))
    try await store.set(1, for: .visits)
    let observer = store.observers.add { _ in }
    try await store.close()
    store.engine.memory.withoutOpening {
      GlobalData.inMemory().engine.memory.withoutOpening {}
      #expect(store[.visits] == 1)
    }
    #expect(store.state == .notOpened)
    #expect(store[.visits] == 1 && store.state != .notOpened)
    withExtendedLifetime(observer) {}
  }

  @MainActor @Test func aValueThatCouldNotBeWrittenDoesNotOpenAClosedStore() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.file("store"), faults)
    let visits = store.observable(.visits)
    faults.fail(.create, with: .inputOutput)
    visits.value = 1
    // The main actor is busy until the store is closed. The write may have been tried before.
    _ = Result { try store.engine.commitQueue() }
    store.engine.close()
    await #expect(throws: GlobalDataError.self) { try await visits.waitUntilStored() }
    #expect(visits.value == 0)
    #expect(store.state == .notOpened)
  }

  /// Each row of a long list may have its own key.
  @MainActor @Test(.timeLimit(.minutes(10))) func manyKeysHaveAnObjectEach() {
    for _ in 0..<2 {
      let keys = (0..<40_000).map { GlobalData.Key("row \($0)", default: false) }
      let values = keys.map { store.observable($0) }
      values[7].value = true
      #expect(store.observable(keys[7]).value && !store.observable(keys[8]).value)
    }
  }
}

/// Changes that wait for a reader do not grow with the number of missed changes.
@Suite struct PendingChangesTests {
  private func change(_ keys: Set<String>, _ origin: GlobalData.Change.Origin) -> GlobalData.Change {
    GlobalData.Change(keys: keys, origin: origin)
  }

  @Test func changesOfOneOriginAreMerged() async {
    let pending = PendingChanges()
    for number in 0..<200_000 { pending.add(change(["\(number % 100)"], .thisStore)) }
    #expect(pending.count == 1)
    #expect(await pending.next() == change(Set((0..<100).map(String.init)), .thisStore))
    #expect(pending.count == 0)
  }

  @Test func theOrderIsThatOfTheLastChangeOfEachOrigin() async {
    let pending = PendingChanges()
    for _ in 0..<100 {
      for origin in GlobalData.Change.Origin.allCases { pending.add(change(["\(origin)"], origin)) }
    }
    pending.add(change(["a"], .clear))
    pending.add(change(["b"], .thisStore))
    #expect(pending.count == GlobalData.Change.Origin.allCases.count)
    for origin in [GlobalData.Change.Origin.otherProcess, .recovery, .restore, .comparison] {
      #expect(await pending.next() == change(["\(origin)"], origin))
    }
    #expect(await pending.next() == change(["clear", "a"], .clear))
    #expect(await pending.next() == change(["thisStore", "b"], .thisStore))
  }

  @Test func aMergedChangeDoesNotReportAKeyAsRemovedThatWasSetAgain() async throws {
    let pending = PendingChanges()
    func removal(_ keys: Set<String>, _ origin: GlobalData.Change.Origin) -> GlobalData.Change {
      GlobalData.Change(keys: keys, removed: keys, origin: origin)
    }
    pending.add(removal(["a"], .thisStore))
    pending.add(change(["a", "b"], .otherProcess))
    pending.add(removal(["b"], .clear))
    pending.add(change(["c"], .thisStore))
    let others = try #require(await pending.next())
    #expect(others.setKeys == ["a"] && others.removedKeys == ["b"])
    #expect(await pending.next() == removal(["b"], .clear))
    let own = try #require(await pending.next())
    #expect(own.origin == .thisStore && own.setKeys == ["a", "c"] && own.removedKeys.isEmpty)
  }

  @MainActor @Test func aWaitingReaderGetsTheNextChangeAndTheEnd() async {
    let pending = PendingChanges()
    var isReading = false
    let reading = Task {
      isReading = true
      return [await pending.next(), await pending.next()]
    }
    // The reader does not leave the main actor before it waits.
    while !isReading { await Task.yield() }
    pending.add(change(["a"], .thisStore))
    pending.finish()
    pending.add(change(["b"], .thisStore))
    #expect(pending.count == 0)
    #expect(await reading.value == [change(["a"], .thisStore), nil])
    #expect(await pending.next() == nil)
  }

  @Test func anIdleReaderOfAStoreGetsAllKeysAtOnce() async throws {
    let store = GlobalData.inMemory()
    var changes = store.changes.makeAsyncIterator()
    for number in 0..<1000 { try await store.set(number, forKey: "\(number % 10)") }
    #expect(await changes.next() == change(Set((0..<10).map(String.init)), .thisStore))
    try await store.set(1, forKey: "last")
    #expect(await changes.next() == change(["last"], .thisStore))
  }

  @Test func valuesAreReadWhenTheReaderAsks() async throws {
    let store = GlobalData.inMemory()
    var values = store.updates(of: CountedNote.self, forKey: "note").makeAsyncIterator()
    #expect(await values.next()??.id == nil)
    let counter = UUID().uuidString
    for number in 0..<100 { try await store.set(CountedNote(id: number, counter: counter), forKey: "note") }
    #expect(CountedNote.decoded(counter) == 0)
    #expect(await values.next()??.id == 99)
    #expect(CountedNote.decoded(counter) == 1)
  }

  /// Generic code written before Swift 6.0 calls `next()`.
  @Test func genericCodeThatCallsNextReceivesTheValues() async throws {
    func next<Iterator: AsyncIteratorProtocol>(_ iterator: inout Iterator) async throws -> Iterator.Element? {
      try await iterator.next()
    }
    let store = GlobalData.inMemory()
    var values = store.updates(of: Int.self, forKey: "number").makeAsyncIterator()
    #expect(try await next(&values) == .some(nil))
    try await store.set(1, forKey: "number")
    #expect(try await next(&values) == 1)
  }
}

/// An element that counts its decodings, separately for each test.
private struct CountedNote: Codable, Identifiable, Sendable, NotReadBack {
  private static let counts = Locked<[String: (decoded: Int, onMain: Int)]>([:])

  var id: Int
  var counter: String
  var text = ""

  init(id: Int, counter: String) {
    self.id = id
    self.counter = counter
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    counter = try container.decode(String.self, forKey: .counter)
    text = try container.decode(String.self, forKey: .text)
    let isMain = MainActorQueue.isCurrent
    CountedNote.counts.withLock { [counter] counts in
      counts[counter, default: (0, 0)].decoded += 1
      if isMain { counts[counter, default: (0, 0)].onMain += 1 }
    }
  }

  static func decoded(_ counter: String) -> Int { counts.withLock { $0[counter]?.decoded ?? 0 } }
  static func decodedOnMain(_ counter: String) -> Int { counts.withLock { $0[counter]?.onMain ?? 0 } }
}

@MainActor @Suite struct ObservableElementsTests {
  /// Runs the query of a collection. Counts its runs and those on the main thread.
  private final class Query: Sendable {
    private let counts = Locked((runs: 0, onMain: 0))

    func callAsFunction(_ collection: GlobalData.ModelCollection<CountedNote>) -> [CountedNote] {
      let isMain = MainActorQueue.isCurrent
      counts.withLock {
        $0.runs += 1
        if isMain { $0.onMain += 1 }
      }
      return collection.filter { $0.text.isEmpty }
    }

    var runs: Int { counts.withLock { $0.runs } }
    var onMain: Int { counts.withLock { $0.onMain } }
  }

  @Test func theQueryRunsOnceHereAndElsewhereAfterAChange() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let configuration = GlobalData.Configuration.with { $0.durability = .processCrash }
      let url = folder.appendingPathComponent("store.archive")
      let counter = UUID().uuidString
      do {
        let store = GlobalData(at: url, configuration: configuration)
        let notes = (0..<5000).map { CountedNote(id: $0, counter: counter) }
        try await store.collection(of: CountedNote.self).insert(notes)
        try await store.close()
      }
      let store = GlobalData(at: url, configuration: configuration)
      let notes = store.collection(of: CountedNote.self)
      let query = Query()
      let observed = store.observable(notes) { query($0) }
      #expect(query.runs == 0, "not before somebody looks")
      #expect(observed.elements.count == 5000)
      #expect(observed.elements.count == 5000)
      #expect(query.runs == 1)
      #expect(CountedNote.decoded(counter) == 5000)
      try await notes.upsert(CountedNote(id: 7, counter: counter))  // nothing changes
      let mainBefore = CountedNote.decodedOnMain(counter)
      var hidden = CountedNote(id: 7, counter: counter)
      hidden.text = "hidden"
      try await notes.upsert(hidden)
      while observed.elements.count != 4999 { await Task.yield() }
      #expect(query.runs == 2)
      #expect(query.onMain == 1, "only the first one")
      #expect(CountedNote.decoded(counter) == 5001, "the one that changed")
      #expect(CountedNote.decodedOnMain(counter) == mainBefore)
      try await store.set(1, forKey: "something else")
      await Task.yield()
      #expect(query.runs == 2)
    }
  }

  @Test func theQuerySeesTheStoreThatWasCurrentForItsObserver() async throws {
    let (store, other) = (GlobalData.inMemory(), GlobalData.inMemory())
    let name = GlobalData.Key("name", default: "")
    try await store.set("mine", for: name)
    try await other.set("theirs", for: name)
    let notes = store.collection(of: CountedNote.self)
    let query: @Sendable (GlobalData.ModelCollection<CountedNote>) -> [CountedNote] = { notes in
      notes.all.map { note in
        var note = note
        note.text = GlobalData[name]
        return note
      }
    }
    let (elsewhere, here) = await GlobalData.withStore(store) {
      (GlobalData.observable(notes, query: query), ObservableElements(of: notes, query))
    }
    #expect(elsewhere.elements.isEmpty && here.elements.isEmpty)
    try await GlobalData.withStore(other) { try await notes.insert(CountedNote(id: 1, counter: "")) }
    while elsewhere.elements.isEmpty || here.elements.isEmpty { await Task.yield() }
    #expect(elsewhere.elements.map(\.text) == ["mine"] && here.elements.map(\.text) == ["mine"])
  }

  @Test func unvisitedElementsCostNothing() async throws {
    let store = GlobalData.inMemory()
    let notes = store.collection(of: CountedNote.self)
    let query = Query()
    // Like SwiftUI with the initial value of a state, whenever it creates a view's value.
    let all = (0..<100).map { _ in store.observable(notes) { query($0) } }
    #expect(store.observers.isEmpty)
    try await notes.insert(CountedNote(id: 1, counter: UUID().uuidString))
    #expect(query.runs == 0)
    #expect(all[50].elements.map(\.id) == [1])
    #expect(query.runs == 1)
  }

  @Test func manyChangesAreTakenTogetherAndTheLastIsNotMissed() async throws {
    let store = GlobalData.inMemory()
    let counter = UUID().uuidString
    let notes = store.collection(of: CountedNote.self)
    let query = Query()
    let observed = GlobalData.observable(notes) { query($0) }
    #expect(observed.elements.isEmpty)
    for id in 0..<300 { try await notes.insert(CountedNote(id: id, counter: counter)) }
    while observed.elements.count != 300 { await Task.yield() }
    #expect(observed.elements.map(\.id) == Array(0..<300))
    #expect(query.runs <= 301)
  }

  @Test func releasedElementsAreNotFollowed() async throws {
    let store = GlobalData.inMemory()
    let notes = store.collection(of: CountedNote.self)
    var observed: ObservableElements<CountedNote>? = store.observable(notes)
    #expect(observed?.elements.isEmpty == true)
    try await notes.insert(CountedNote(id: 1, counter: UUID().uuidString))
    observed = nil
    while !store.observers.isEmpty { await Task.yield() }
  }
}
