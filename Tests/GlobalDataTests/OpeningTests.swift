import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// The time at which a store reads its file, and its state before and after.
@Suite struct OpeningTests {
  @TemporaryFolder private var folder

  @Test func readingTheStateDoesNotOpenTheStore() async throws {
    let url = folder.file("store")
    try await GlobalData(at: url).set(1, forKey: "a")
    let system = FaultInjector()
    let store = GlobalData.faulty(at: url, system)
    system.fail(.read, with: .inputOutput)
    #expect(store.state == .notOpened && store.recovery == nil)
    system.reset()
    try await store.open()
    #expect(store.state == .ready)
    try await store.close()
    #expect(store.state == .notOpened)
    #expect(store.contains("a"), "the first use opens it, too")
    #expect(store.state == .ready)
  }

  /// An app can show that its store is being opened.
  @Test(.timeLimit(.minutes(5))) func readingTheStateDoesNotWaitForATaskThatOpensTheStore() async throws {
    let url = folder.file("store")
    try await GlobalData(at: url).set(1, forKey: "a")
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    try await faults.stop(at: .read) {
      try await store.open()
    } while: {
      #expect(store.state == .notOpened)
    }
    #expect(store.state == .ready)
  }

  @Test func openingReportsTheState() async throws {
    let absent = GlobalData(at: folder.file("absent"))
    try await absent.open()
    #expect(absent.state == .absent)
    try Data("no store".utf8).write(to: folder.file("other"))
    let other = GlobalData(at: folder.file("other"))
    await #expect(throws: GlobalDataError.self) { try await other.open() }
    #expect(other.state == .unavailable)
    try FileManager.default.removeItem(at: folder.file("other"))
    try await other.open()
    #expect(other.state == .absent)
    #expect(GlobalData.inMemory().state == .ready)
    let invalid = GlobalData(named: "a/b")
    #expect(invalid.state == .notOpened)
    await #expect(throws: GlobalDataError.self) { try await invalid.open() }
    #expect(invalid.state == .unavailable)
    await #expect(throws: GlobalDataError.self) { try await invalid.recover() }
  }

  @Test func openingReportsDamage() async throws {
    let url = folder.file("store")
    let first = GlobalData(at: url, system: POSIXSystemCalls())
    for key in ["a", "b"] { try await first.set(String(repeating: key, count: 100), forKey: key) }
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count - 40] ^= 0xff
    try bytes.write(to: url)
    let store = GlobalData(at: url, system: POSIXSystemCalls())
    #expect(store.state == .notOpened && store.recovery == nil)
    try await store.open()
    #expect(store.state == .damaged && store.recovery?.lostKeys == ["b"])
  }

  @Test func presetsDifferInHowTheyWrite() {
    #expect(GlobalData.Configuration.settings.persistence == .rewriting)
    #expect(GlobalData.Configuration.settings.durability == .powerLoss)
    #expect(GlobalData.Configuration.history.persistence == .appending)
    #expect(GlobalData.Configuration.history.durability == .powerLoss)
    let cache = GlobalData.Configuration.cache
    #expect(cache.persistence == .appending && cache.durability == .processCrash && cache.isExcludedFromBackup)
  }

  // MARK: Declared keys

  private static let name = GlobalData.Key("name", default: "")
  private static let count = GlobalData.Key("count", default: 0)

  @Test func clearingKeepsDeclaredKeys() async throws {
    let store = GlobalData.inMemory()
    try await store.set("Ada", for: Self.name)
    try await store.set(1, for: Self.count)
    try await store.set(2, forKey: "other")
    try await store.update { data in
      data.clear(keeping: [Self.name, Self.count])
      #expect(data.allKeys == ["name", "count"])
    }
    try await store.clear(keeping: [Self.name])
    #expect(store.allKeys == ["name"])
    try await GlobalData.withStore(store) { try await GlobalData.clear(keeping: [] as [GlobalData.Keys]) }
    #expect(store.allKeys.isEmpty)
  }

  @Test func keysAreEqualByTheirNames() {
    #expect(Self.name == GlobalData.Key("name", default: "another default"))
    #expect(Set<GlobalData.Keys>([Self.name, Self.count, Self.name]).count == 2)
  }

  @Test func changesOfSeveralKeysHaveTheirOldValues() async throws {
    let store = GlobalData.inMemory()
    try await store.set("Ada", for: Self.name)
    var changes = store.changes(of: [Self.name, Self.count]).makeAsyncIterator()
    try await store.set(1, forKey: "other")
    try await store.set("Eve", for: Self.name)
    try await store.set("Eva", for: Self.name)
    try await store.removeObject(forKey: "name")
    try await store.set(5, for: Self.count)
    let change = try #require(await changes.next())
    #expect(change.keys == ["name", "count"] && change.removedKeys == ["name"] && change.setKeys == ["count"])
    #expect(try change.oldValue(for: Self.name) == "Ada", "before all changes that were merged")
    #expect(try change.oldValue(for: Self.count) == 0)
    #expect(try change.oldValue(Int.self, forKey: "count") == nil)
    #expect(throws: GlobalDataError.self) { try change.oldValue(Int.self, forKey: "name") }
  }

  @Test func oneElementIsInsertedInAnUpdateLikeOutside() async throws {
    struct Note: Codable, Identifiable, Equatable {
      var id: Int
      var text = ""
    }
    let store = GlobalData.inMemory()
    let notes = store.collection(of: Note.self)
    try await store.update { data in
      try data.insert(Note(id: 1), into: notes)
      try data.upsert(Note(id: 1, text: "a"), into: notes)
    }
    #expect(notes.all == [Note(id: 1, text: "a")])
    let error = try await requireError(GlobalDataError.self) {
      try await store.update { try $0.insert(Note(id: 1), into: notes) }
    }
    #expect(error.code == .duplicateElement)
  }
}
