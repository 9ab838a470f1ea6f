import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// Several writes in one commit: each has the same outcome as on its own.
@Suite struct SharedCommitTests {
  @TemporaryFolder private var folder

  /// Queues a write of a text, as `set` does.
  private func set(
    _ text: String, forKey key: String, _ number: UInt64? = nil, in store: GlobalData
  ) throws -> StoreTicket {
    let entry = try StoredEntry(key: key, store.configuration, in: store.url) { try $0.encodeItem(text, $1) }
    return store.engine.queue.add(.set(entry), number: number).ticket
  }

  /// Queues a write of a text, like an update whose closure reads nothing.
  private func update(_ text: String, forKey key: String, in store: GlobalData) throws -> StoreTicket {
    let entry = try StoredEntry(key: key, store.configuration, in: store.url) { try $0.encodeItem(text, $1) }
    var draft = StoreDraft()
    draft.set(entry)
    return store.engine.queue.add(.update(StoreUpdate(draft: draft, basis: .init()))).ticket
  }

  /// Commits the queue as one, and returns the outcome of each write.
  private func outcomes(_ tickets: [StoreTicket], in store: GlobalData) async -> [GlobalDataError.Code?] {
    do {
      try await store.close()
    } catch {
      // Each outcome is requested separately.
    }
    var codes: [GlobalDataError.Code?] = []
    for ticket in tickets {
      do {
        try await ticket.wait()
        codes.append(nil)
      } catch {
        codes.append((error as? GlobalDataError)?.code)
      }
    }
    return codes
  }

  @Test func aWriteThatIsTooLargeFailsAlone() async throws {
    var configuration = GlobalData.Configuration()
    configuration.limits.maximumFileSize = 2000
    let store = GlobalData(at: folder.file("store"), configuration: configuration, system: POSIXSystemCalls())
    let tickets = [
      try set("small", forKey: "a", in: store),
      try set(String(repeating: "large", count: 1000), forKey: "b", in: store),
      try update("too large", forKey: "small too", in: store),
      try set("small too", forKey: "c", in: store),
    ]
    #expect(await outcomes(tickets, in: store) == [nil, .fileTooLarge, nil, nil])
    #expect(try store.texts() == ["a": "small", "small too": "too large", "c": "small too"])
  }

  @Test func closingReportsAFailedCommitAndNotAWriteThatFailedAlone() async throws {
    let faults = FaultInjector()
    var configuration = GlobalData.Configuration()
    configuration.limits.maximumFileSize = 2000
    let store = GlobalData.faulty(at: folder.file("store"), faults, configuration: configuration)
    let tickets = [
      try set("small", forKey: "a", in: store),
      try set(String(repeating: "large", count: 1000), forKey: "b", in: store),
    ]
    try await store.close()
    #expect(await outcomes(tickets, in: store) == [nil, .fileTooLarge])

    faults.fail(.rename, with: .inputOutput)
    let failing = try set("other", forKey: "a", in: store)
    let error = await expectError(GlobalDataError.self) { try await store.close() }
    #expect(error?.code == .writeFailed)
    #expect(await outcomes([failing], in: store) == [.writeFailed])
  }

  @Test func anUpdateBeforeAClearOfAnUnreadableFileFailsAlone() async throws {
    let store = GlobalData(at: folder.file("store"))
    try await store.set("earlier", forKey: "a")
    try await store.close()
    try Data(contentsOf: folder.file("store")).prefix(30).write(to: folder.file("store"))
    let tickets = [
      try update("new", forKey: "b", in: store), try set("new", forKey: "c", in: store),
      store.engine.queue.add(.clear(keeping: [])).ticket,
    ]
    #expect(await outcomes(tickets, in: store) == [.damaged, nil, nil])
    #expect(store.state != .damaged && store.allKeys.isEmpty)
  }

  @Test func aFailedClearDoesNotAffectLaterWrites() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.file("store"), faults)
    try await store.set("earlier", forKey: "a")
    faults.fail(.remove, with: .inputOutput)
    let tickets = [store.engine.queue.add(.clear(keeping: [])).ticket, try set("later", forKey: "b", in: store)]
    #expect(await outcomes(tickets, in: store) == [.removeFailed, nil])
    #expect(try store.texts() == ["a": "earlier", "b": "later"])
  }

  @Test func writesAfterAClearOfUnknownDurabilityAreStored() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.file("store"), faults)
    try await store.set("earlier", forKey: "a")
    faults.fail(.syncFolder, with: .inputOutput)
    let tickets = [store.engine.queue.add(.clear(keeping: [])).ticket, try set("later", forKey: "b", in: store)]
    #expect(await outcomes(tickets, in: store) == [.durabilityUnknown, nil])
    #expect(try store.texts() == ["b": "later"])
  }

  /// A write that was requested before a clear but queued after it, because its value took long to encode.
  @Test(arguments: [[], ["kept"]] as [Set<String>], [false, true])
  func aWriteBeforeAClearIsStoredIfTheClearFails(keeping: Set<String>, isOneCommit: Bool) async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.file("store"), faults)
    try await store.set("earlier", forKey: "a")
    let number = store.engine.queue.takeNumber()
    let clear = store.engine.queue.add(.clear(keeping: keeping)).ticket
    faults.fail(keeping.isEmpty ? .remove : .rename, with: .inputOutput)
    if !isOneCommit { #expect(await outcomes([clear], in: store) != [nil]) }
    let write = try set("slow", forKey: "b", number, in: store)
    let outcome = await outcomes([write], in: store)
    await #expect(throws: GlobalDataError.self) { try await clear.wait() }
    #expect(try store.texts() == (outcome == [nil] ? ["a": "earlier", "b": "slow"] : ["a": "earlier"]))
    #expect(outcome == [nil] || isOneCommit && !keeping.isEmpty, "one rewrite fails as a whole")
  }

  @Test(arguments: [false, true]) func aWriteBeforeTwoClearsIsStoredOnlyIfBothKeepIt(isOneCommit: Bool) async throws {
    for (first, second, isKept) in [
      ([], ["slow"], false), (["slow"], [], false), (["other"], ["slow"], false), (["slow"], ["other", "slow"], true),
    ] as [(Set<String>, Set<String>, Bool)] {
      let store = GlobalData.inMemory()
      try await store.set("earlier", forKey: "a")
      let number = store.engine.queue.takeNumber()
      let clears = [
        store.engine.queue.add(.clear(keeping: first)).ticket, store.engine.queue.add(.clear(keeping: second)).ticket,
      ]
      if !isOneCommit { #expect(await outcomes(clears, in: store) == [nil, nil]) }
      let write = try set("slow", forKey: "slow", number, in: store)
      #expect(await outcomes([write], in: store) == [nil])
      #expect(store.allKeys == (isKept ? ["slow"] : []), "\(first), \(second)")
    }
  }

  /// The update of a closure that clears, then sets other values.
  @Test(arguments: [false, true]) func aWriteBeforeAnUpdateThatClearsIsNotStored(isOneCommit: Bool) async throws {
    let store = GlobalData.inMemory()
    for key in ["a", "kept"] { try await store.set("earlier", forKey: key) }
    let number = store.engine.queue.takeNumber()
    var draft = StoreDraft()
    draft.clear(keeping: ["kept"])
    draft.set(try StoredEntry(key: "guest", store.configuration, in: nil) { try $0.encodeItem("new", $1) })
    let update = store.engine.queue.add(.update(StoreUpdate(draft: draft, basis: .init()))).ticket
    if !isOneCommit { #expect(await outcomes([update], in: store) == [nil]) }
    let writes = try ["a", "guest", "kept"].map { try set("slow", forKey: $0, number, in: store) }
    #expect(await outcomes(writes, in: store) == [nil, nil, nil])
    #expect(try store.texts() == ["kept": "slow", "guest": "new"])
  }

  /// The same after a clear that removes all values, some values, or none.
  @Test(arguments: [[], ["kept"], ["kept", "other"]], Durability.allCases)
  func aWriteBeforeAFinishedClearIsNotStored(stored: [String], durability: Durability) async throws {
    let configuration = GlobalData.Configuration.with { $0.durability = durability }
    let earlier = GlobalData(at: folder.file("store"), configuration: configuration, system: POSIXSystemCalls())
    for key in stored { try await earlier.set("earlier", forKey: key) }
    let stores = [
      GlobalData(at: folder.file("store"), configuration: configuration, system: POSIXSystemCalls()),
      GlobalData.inMemory(configuration: configuration),
    ]
    for store in stores {
      let number = store.engine.queue.takeNumber()
      try await store.clear(keeping: ["kept"])
      let write = try set("slow", forKey: "slow", number, in: store)
      #expect(await outcomes([write], in: store) == [nil])
      #expect(store.allKeys == (store.url == nil ? [] : stored.filter { $0 == "kept" }))
    }
  }

  @Test func anUpdateMovesAKeyBehindAnEarlierWriteOfTheCommit() async throws {
    let store = GlobalData.inMemory()
    for key in ["a", "b"] { try await store.set("earlier", forKey: key) }
    var draft = StoreDraft()
    draft.remove("a")
    draft.set(try StoredEntry(key: "a", store.configuration, in: nil) { try $0.encodeItem("new", $1) })
    let tickets = [
      try set("new", forKey: "c", in: store),
      store.engine.queue.add(.update(StoreUpdate(draft: draft, basis: .init()))).ticket,
    ]
    #expect(await outcomes(tickets, in: store) == [nil, nil])
    #expect(store.allKeys == ["b", "c", "a"])
  }

  @Test func ofTwoSpellingsOfOneKeyTheFirstIsStored() async throws {
    let store = GlobalData.inMemory()
    let tickets = [
      try set("composed", forKey: "caf\u{e9}", in: store), try set("decomposed", forKey: "cafe\u{301}", in: store),
      try update("decomposed", forKey: "cafe\u{301}", in: store),
    ]
    #expect(await outcomes(tickets, in: store) == [nil, .invalidKey, .invalidKey])
    #expect(try store.texts() == ["caf\u{e9}": "composed"])
  }

  @Test func aRemovedKeyIsFreeForAnotherSpellingInTheSameCommit() async throws {
    let store = GlobalData.inMemory()
    try await store.set("composed", forKey: "caf\u{e9}")
    let tickets = [
      store.engine.queue.add(.remove("caf\u{e9}")).ticket, try set("decomposed", forKey: "cafe\u{301}", in: store),
      store.engine.queue.add(.clear(keeping: [])).ticket, try update("again", forKey: "caf\u{e9}", in: store),
    ]
    #expect(await outcomes(tickets, in: store) == [nil, nil, nil, nil])
    #expect(try store.texts() == ["caf\u{e9}": "again"])
    #expect(store.allKeys.map { Array($0.utf8) } == [Array("caf\u{e9}".utf8)])
  }

  @Test func anUpdateMaySetAnotherSpellingOfAKeyWhoseRemovalIsQueued() async throws {
    let store = GlobalData.inMemory()
    try store.openNow()  // As nothing uses the store's thread, the update commits what is queued immediately.
    try await store.set("composed", forKey: "caf\u{e9}")
    let removal = store.engine.queue.add(.remove("caf\u{e9}")).ticket
    try await store.update { try $0.set("again", forKey: "cafe\u{301}") }
    #expect(await outcomes([removal], in: store) == [nil])
    #expect(store.allKeys.map { Array($0.utf8) } == [Array("cafe\u{301}".utf8)])
  }

  @Test func anUpdateFindsTheSpellingOfAKeyWhoseValueIsQueued() async throws {
    let store = GlobalData.inMemory()
    try store.openNow()  // As nothing uses the store's thread, the update commits what is queued immediately.
    let earlier = try set("queued", forKey: "caf\u{e9}", in: store)
    try await store.update { data in
      let error = try requireError(GlobalDataError.self) { try data.set("other", forKey: "cafe\u{301}") }
      #expect(error.code == .invalidKey)
    }
    #expect(await outcomes([earlier], in: store) == [nil])
    #expect(try store.texts() == ["caf\u{e9}": "queued"])
  }

  @Test func aWriteSucceedsAlthoughAClearingUpdateLeavesAnItem() async throws {
    let kinds = Locked<[GlobalData.Diagnostic.Kind]>([])
    var configuration = GlobalData.Configuration()
    configuration.diagnosticHandler = { diagnostic in kinds.withLock { $0.append(diagnostic.kind) } }
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.file("store"), faults, configuration: configuration)
    try await store.set("earlier", forKey: "a")
    faults.fail(.list, times: .max, with: .inputOutput)
    var draft = StoreDraft()
    draft.clear(keeping: [])
    draft.set(try StoredEntry(key: "b", store.configuration, in: store.url) { try $0.encodeItem("new", $1) })
    let tickets = [
      store.engine.queue.add(.update(StoreUpdate(draft: draft, basis: .init()))).ticket,
      try set("later", forKey: "c", in: store),
    ]
    #expect(await outcomes(tickets, in: store) == [nil, nil])
    faults.reset()
    #expect(try store.texts() == ["b": "new", "c": "later"])
    #expect(kinds.withLock { $0 } == [.leftovers])
  }

  // If the durability of a commit is unknown, only the changes of that commit have this outcome.

  @Test func aRefusedWriteIsNotReportedAsMadeWithUnknownDurability() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: folder.file("store"), faults)
    try await store.set("earlier", forKey: "a")
    faults.fail(.syncFolder, with: .inputOutput)
    let tickets = [
      try set("composed", forKey: "caf\u{e9}", in: store), try set("decomposed", forKey: "cafe\u{301}", in: store),
    ]
    #expect(await outcomes(tickets, in: store) == [.durabilityUnknown, .invalidKey])
    #expect(try store.texts() == ["a": "earlier", "caf\u{e9}": "composed"])
  }

  @MainActor @Test(arguments: GlobalData.Persistence.allCases)
  func anUpdateThatThrowsKeepsItsErrorInACommitOfUnknownDurability(_ persistence: GlobalData.Persistence) async throws {
    struct OutOfStock: Error {}
    let store = try await storeWithUnknownDurability(at: folder.file("store"), persistence) { store in
      await #expect(throws: OutOfStock.self) { try await store.update { _ in throw OutOfStock() } }
    }
    #expect(try store.texts() == ["first": "first", "a": "a"])
  }

  @MainActor @Test(arguments: GlobalData.Persistence.allCases)
  func anUpdateRunsAgainAfterACommitOfUnknownDurability(_ persistence: GlobalData.Persistence) async throws {
    let url = folder.file("store")
    let other = GlobalData(at: url, system: POSIXSystemCalls())
    try await other.set("old", forKey: "read")
    let store = try await storeWithUnknownDurability(at: url, persistence) { store in
      try await store.update { data in
        let read = try data.object(String.self, forKey: "read")
        try data.set("from \(read ?? "nothing")", forKey: "written")
      }
    } whenQueued: {
      try await other.set("new", forKey: "read")
    }
    #expect(try store.texts() == ["read": "new", "first": "first", "a": "a", "written": "from new"])
  }

  /// Makes a write and an update in one commit whose durability is unknown. Calls `whenQueued` before that commit.
  @MainActor private func storeWithUnknownDurability(
    at url: URL, _ persistence: GlobalData.Persistence, update: @escaping @MainActor (GlobalData) async throws -> Void,
    whenQueued: @MainActor () async throws -> Void = {}
  ) async throws -> GlobalData {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults, configuration: .with { $0.persistence = persistence })
    try await store.open()
    // All other calls are queued until the first commit, whose writes are fixed, continues.
    let (write, running) = try await faults.stop(at: .lock) {
      try await store.set("first", forKey: "first")
    } while: {
      var areQueued = false
      let write = Task { @MainActor in try await store.set("a", forKey: "a") }
      let running = Task { @MainActor in
        areQueued = true  // The closure of the update has run before the main actor does anything else.
        try await update(store)
      }
      while !areQueued { await Task.yield() }
      try await whenQueued()
      faults.fail(persistence == .rewriting ? .syncFolder : .sync, after: 1, with: .inputOutput)
      return (write, running)
    }
    let error = await expectError(GlobalDataError.self) { try await write.value }
    #expect(error?.code == .durabilityUnknown)
    try await running.value
    return store
  }
}
