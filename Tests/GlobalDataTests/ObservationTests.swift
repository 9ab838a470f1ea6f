import Foundation
import Observation
import TestSupport
import Testing

@testable import GlobalData

extension GlobalData.Keys {
  fileprivate static let visits = GlobalData.Key("visits", default: 0)
}

@Suite struct ObservationTests {
  @Test func valuesBeginWithTheCurrentOneAndFollowEachChange() async throws {
    let store = GlobalData.inMemory()
    try await store.set(1, for: .visits)
    var values = store.values(for: .visits).makeAsyncIterator()
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
    let store = GlobalData.inMemory()
    var values = store.values(of: Int.self, forKey: "n").makeAsyncIterator()
    #expect(await values.next() == .some(nil))
    try await store.set(1, forKey: "n")
    #expect(await values.next() == .some(1))
    var diagnostics = store.diagnostics.makeAsyncIterator()
    try await store.set("no number", forKey: "n")
    #expect(await values.next() == .some(nil))
    #expect(await diagnostics.next()?.key == "n")
  }

  @Test func aSlowReaderGetsTheNewestValue() async throws {
    let store = GlobalData.inMemory()
    var values = store.values(for: .visits).makeAsyncIterator()
    for number in 1...100 { try await store.set(number, for: .visits) }
    #expect(await values.next() == 100)
  }

  @Test func theLastValueIsNeverMissed() async throws {
    for _ in 0..<50 {
      let store = GlobalData.inMemory()
      let writing = Task { for number in 1...20 { try await store.set(number, for: .visits) } }
      var last = -1
      for await value in store.values(for: .visits) {
        #expect(value >= last)
        last = value
        if value == 20 { break }
      }
      try await writing.value
    }
  }

  @Test func endingATaskEndsItsStreamAndItsObserver() async throws {
    let store = GlobalData.inMemory()
    let task = Task {
      var count = 0
      for await _ in store.values(for: .visits) { count += 1 }
      return count
    }
    while store.observers.isEmpty { await Task.yield() }
    task.cancel()
    #expect(await task.value <= 1)
    while !store.observers.isEmpty { await Task.yield() }
  }

  @Test func changesTellTheirKeysAndTheirOrigin() async throws {
    try await withTemporaryDirectory { (folder) async throws in
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
      #expect(await changes.next() == GlobalData.Change(keys: ["b"], origin: .thisStore))

      let other = GlobalData(at: url, system: POSIXSystemCalls())
      try await other.set(3, forKey: "c")
      try await store.refresh()
      #expect(await changes.next() == GlobalData.Change(keys: ["c"], origin: .otherProcess))
      try await store.clear(keeping: ["c"])
      #expect(await changes.next() == GlobalData.Change(keys: ["a"], origin: .clear))
      try await store.clear()
      #expect(await changes.next() == GlobalData.Change(keys: ["c"], origin: .clear))
    }
  }

  @Test func changesAreToldOfAStoreThatNobodyElseHolds() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.appendingPathComponent("store")
      var changes = GlobalData(at: url).changes.makeAsyncIterator()
      try await GlobalData(at: url).set(1, forKey: "a")
      // Else there is no change to wait for.
      try #require(!GlobalData(at: url).observers.isEmpty)
      #expect(await changes.next()?.keys == ["a"])
    }
  }

  @Test func anObserverMayWrite() async throws {
    let store = GlobalData.inMemory()
    let copying = Task {
      for await visits in store.values(for: .visits) {
        try await store.set(visits, forKey: "copy")
        if visits == 3 { break }
      }
    }
    for number in 1...3 { try await store.set(number, for: .visits) }
    try await copying.value
    #expect(try store.object(Int.self, forKey: "copy") == 3)
  }

  @MainActor @Test func anObservableValueFollowsTheStore() async throws {
    let store = GlobalData.inMemory()
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

  @MainActor @Test func anObservableValueThatIsGoneLeavesNothing() async throws {
    let store = GlobalData.inMemory()
    var visits: ObservableValue<Int>? = store.observable(.visits)
    #expect(visits?.value == 0)
    #expect(!store.observers.isEmpty)
    visits = nil
    #expect(store.observers.isEmpty)
  }
}
