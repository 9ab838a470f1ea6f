import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// The contents of a store are kept, read and restored.
@Suite struct SnapshotTests {
  @TemporaryFolder private var folder

  private struct Note: Identifiable, Codable, Equatable, Sendable {
    var id: String
    var text: String
  }

  private static let volume = GlobalData.Key("volume", default: 0.5)

  private static let kinds: [(GlobalData.Persistence, isInMemory: Bool)] = [
    (.rewriting, false), (.appending, false), (.rewriting, true),
  ]

  /// A store of each kind, in its own folder.
  private func withStores(_ body: (GlobalData) async throws -> Void) async throws {
    for (persistence, isInMemory) in Self.kinds {
      try await withTemporaryDirectory { folder in
        let configuration = GlobalData.Configuration.with { $0.persistence = persistence }
        try await body(
          isInMemory
            ? .inMemory(configuration: configuration)
            : GlobalData(at: folder.file("store"), configuration: configuration))
      }
    }
  }

  @Test func aSnapshotDoesNotReplaceAFileThatCannotBeRead() async throws {
    let url = folder.file("store")
    let store = GlobalData(at: url)
    try await store.set("text", forKey: "draft")
    let snapshot = try store.snapshot()
    try await store.close()
    let unreadable = try Data(contentsOf: url).prefix(30)
    try unreadable.write(to: url)
    let error = await expectError(GlobalDataError.self) { try await store.restore(snapshot) }
    #expect(error?.code == .damaged)
    #expect(try Data(contentsOf: url) == unreadable)
  }

  @Test func theReferencesExampleRuns() async throws {
    let store = GlobalData.inMemory()
    try await store.set("text", forKey: "draft")
    let before = try store.snapshot()
    try await store.removeObject(forKey: "draft")
    try await store.restore(before)
    #expect(try store.object(String.self, forKey: "draft") == "text")
  }

  @Test func aSnapshotDescribesItsEntries() async throws {
    try await withStores { store in
      try await store.set("text", forKey: "draft")
      try await store.set(Note(id: "a", text: "b"), forKey: "note")
      let snapshot = try store.snapshot()
      let entries = try store.entries()
      try await store.clear()
      #expect(entries.map(\.type) == ["String", "SnapshotTests.Note"])
      #expect(entries.map { snapshot.entry(forKey: $0.key) } == entries)
      #expect(snapshot.entry(forKey: "other") == nil)
    }
  }

  /// An element whose identifier cannot be stored.
  private final class Nameless: Identifiable, Codable {}

  @Test func elementsOfASnapshotThatCannotBeReadAreReported() async throws {
    let store = GlobalData.inMemory()
    var diagnostics = store.diagnostics.makeAsyncIterator()
    try await store.set("text", forKey: "Note/a")
    let snapshot = try store.snapshot()
    let notes = snapshot.collection(of: Note.self, named: "Note")
    #expect(notes["a"] == nil && notes["b"] == nil && notes.contains("a") && !notes.contains("b"))
    #expect(await diagnostics.next()?.message.contains("\"Note/a\" of a snapshot") == true)
    #expect(throws: GlobalDataError.self) { try notes.element(withID: "a") }
    #expect(notes.all.isEmpty && notes.count == 1)
    let nameless = Nameless()
    #expect(!snapshot.collection(of: Nameless.self).contains(nameless.id))
  }

  @Test func aSnapshotDoesNotChange() async throws {
    try await withStores { store in
      try await store.set("old", forKey: "a")
      try await store.set(0.25, for: Self.volume)
      let snapshot = try store.snapshot()
      try await store.set("new", forKey: "a")
      try await store.removeObject(forKey: "volume")
      try await store.clear()
      #expect(snapshot.allKeys == ["a", "volume"] && snapshot.contains("a") && !snapshot.contains("b"))
      #expect(try snapshot.object(forKey: "a") as? String == "old")
      #expect(try snapshot.object(String.self, forKey: "a") == "old")
      #expect(try snapshot.object(String.self, forKey: "b") == nil)
      #expect(snapshot[Self.volume] == 0.25)
    }
  }

  @Test func collectionsOfASnapshotAreRead() async throws {
    try await withStores { store in
      let notes = store.collection(of: Note.self, named: "Note")
      try await notes.insert([Note(id: "1", text: "milk"), Note(id: "2", text: "eggs")])
      let snapshot = try store.snapshot()
      try await notes.delete("1")
      let before = snapshot.collection(of: Note.self, named: "Note")
      #expect(before.all == [Note(id: "1", text: "milk"), Note(id: "2", text: "eggs")])
      #expect(before["1"]?.text == "milk" && before["3"] == nil && before.contains("2") && !before.contains("3"))
      #expect(before.count == 2 && !before.isEmpty && before.name == "Note")
      #expect(snapshot.collection(of: Note.self, named: "others").isEmpty)
      #expect(snapshot.collection(of: Note.self).name == store.collection(of: Note.self).name)
    }
  }

  @Test func anUnreadableValueInASnapshotIsADiagnostic() async throws {
    let store = GlobalData.inMemory()
    try await store.set("text", forKey: "volume")
    try await store.set("text", forKey: "Note/1")
    let snapshot = try store.snapshot()
    var diagnostics = store.diagnostics.makeAsyncIterator()
    #expect(snapshot[Self.volume] == 0.5)
    #expect(await diagnostics.next()?.kind == .readFailed)
    #expect(
      snapshot.collection(of: Note.self, named: "Note").all.isEmpty
        && snapshot.collection(of: Note.self, named: "Note").count == 1)
    #expect(await diagnostics.next()?.kind == .readFailed)
  }

  @Test func restoringRestoresValuesAndTheirOrder() async throws {
    try await withStores { store in
      for key in ["a", "b", "c"] { try await store.set("old \(key)", forKey: key) }
      let before = try store.snapshot()
      try await store.removeObject(forKey: "a")
      try await store.set("new", forKey: "b")
      try await store.set("new", forKey: "d")
      try await store.set("old a", forKey: "a")
      try await store.restore(before)
      #expect(store.allKeys == ["a", "b", "c"])
      #expect(try store.texts() == ["a": "old a", "b": "old b", "c": "old c"])
      guard store.url != nil else { return }
      try await store.close()
      #expect(store.allKeys == ["a", "b", "c"])
      #expect(try store.object(String.self, forKey: "b") == "old b")
    }
  }

  @Test func restoringAnEmptySnapshotRemovesAllValues() async throws {
    try await withStores { store in
      let empty = try store.snapshot()
      try await store.set("a", forKey: "a")
      try await store.restore(empty)
      #expect(store.allKeys.isEmpty)
      try await store.close()
      #expect(store.allKeys.isEmpty)
    }
  }

  @Test func observersReceiveTheKeysThatDiffer() async throws {
    try await withStores { store in
      for key in ["same", "changed", "removed"] { try await store.set("old", forKey: key) }
      let before = try store.snapshot()
      try await store.set("new", forKey: "changed")
      try await store.removeObject(forKey: "removed")
      try await store.set("new", forKey: "added")
      var changes = store.changes.makeAsyncIterator()
      try await store.restore(before)
      let change = try #require(await changes.next())
      #expect(change.keys == ["changed", "removed", "added"] && change.removedKeys == ["added"])
      #expect(change.origin == .restore)
      #expect(try change.oldValue(String.self, forKey: "changed") == "new")
    }
  }

  @Test func restoringTheCurrentStateWritesNothing() async throws {
    let store = GlobalData(at: folder.file("store"))
    try await store.set("old", forKey: "a")
    let bytes = try Data(contentsOf: folder.file("store"))
    try await store.restore(try store.snapshot())
    #expect(try Data(contentsOf: folder.file("store")) == bytes)
  }

  /// A store is recognized by its identity, and its state by the generation.
  @Test func aStateRestoredAfterAClearIsNotMistakenForAnEarlierOne() async throws {
    let url = folder.file("store")
    func identityAndGeneration() throws -> Data { try Data(contentsOf: url)[19..<44] }
    let store = GlobalData(at: url)
    try await store.set("old", forKey: "a")
    let snapshot = try store.snapshot()
    try await store.set("new", forKey: "a")
    let earlier = try identityAndGeneration()
    try await store.clear()
    try await store.restore(snapshot)
    #expect(try store.texts() == ["a": "old"])
    #expect(try identityAndGeneration() != earlier)
  }

  @Test func aSnapshotCanBeRestoredInAnotherStore() async throws {
    let other = GlobalData.inMemory()
    try await other.set([1, 2, 3], forKey: "numbers")
    try await withStores { store in
      try await store.set("old", forKey: "a")
      try await store.restore(try other.snapshot())
      #expect(store.allKeys == ["numbers"])
      #expect(try store.object([Int].self, forKey: "numbers") == [1, 2, 3])
    }
  }

  @Test func aRestorationReplacesEarlierWritesAndKeepsLaterOnes() async throws {
    try await withStores { store in
      try await store.set("old", forKey: "a")
      let before = try store.snapshot()
      // One actor's calls take effect in the order in which they are made.
      await MainActor.run {}
      try await Task { @MainActor in
        async let earlier: Void = store.set("earlier", forKey: "b")
        try await earlier
        try await store.restore(before)
        try await store.set("later", forKey: "c")
      }.value
      #expect(try store.texts() == ["a": "old", "c": "later"])
    }
  }

  /// A write that was requested before a restoration but queued after it, because its value took long to encode.
  @Test func aSlowWriteBeforeARestorationIsReplaced() async throws {
    try await withStores { store in
      try await store.set("old", forKey: "a")
      let before = try store.snapshot()
      for change in ["new", "old"] {
        try await store.set(change, forKey: "a")
        let number = store.engine.queue.takeNumber()
        try await store.restore(before)
        let entry = try StoredEntry(key: "a", store.configuration, in: nil) { try $0.encodeItem("slow", $1) }
        let (ticket, mustCommit) = store.engine.queue.add(.set(entry), number: number)
        #expect(mustCommit)
        try await store.close()  // Commits all that is queued.
        try await ticket.wait()
        #expect(try store.texts() == ["a": "old"], "after the same state, too")
      }
    }
  }

  @Test(arguments: [false, true]) func restorationsKeepTheirPositionAmongTheCallsOfAnActor(isBackup: Bool) async throws
  {
    let backup = folder.file("backup")
    try await withStores { store in
      try await store.set("old", forKey: "a")
      let before = try store.snapshot()
      try await store.backup(to: backup)
      try await Task { @MainActor in
        for round in 0..<50 {
          let tasks = [
            Task { try await store.set("earlier", forKey: "b") },
            Task { if isBackup { try await store.restore(from: backup) } else { try await store.restore(before) } },
            Task { try await store.set("later", forKey: "a") },
            Task { try await store.update { try $0.set("\($0.contains("b")) \(round)", forKey: "c") } },
          ]
          for task in tasks { try await task.value }
          #expect(try store.texts() == ["a": "later", "c": "false \(round)"])
        }
      }.value
    }
  }

  @Test func theChangesBetweenTwoSnapshotsAreReported() async throws {
    try await withStores { store in
      for key in ["same", "changed", "removed"] { try await store.set("old", forKey: key) }
      let before = try store.snapshot()
      try await store.set("new", forKey: "changed")
      try await store.removeObject(forKey: "removed")
      try await store.set("new", forKey: "added")
      let after = try store.snapshot()
      let change = after.changes(since: before)
      #expect(change.keys == ["changed", "removed", "added"] && change.removedKeys == ["removed"])
      #expect(change.origin == .comparison)
      #expect(try change.oldValue(String.self, forKey: "removed") == "old")
      #expect(before.changes(since: before).keys.isEmpty)
    }
  }

  @Test func aRestorationReplacesTheWritesOfAnotherProcess() async throws {
    let url = folder.file("store")
    let store = GlobalData(at: url)
    try await store.set("old", forKey: "a")
    let before = try store.snapshot()
    let other = GlobalData(at: url, system: POSIXSystemCalls())
    try await other.set("other", forKey: "b")
    try await store.restore(before)
    #expect(store.allKeys == ["a"])
    try await other.refresh()
    #expect(other.allKeys == ["a"])
  }

  @Test func theStaticCallsGoToTheCurrentStore() async throws {
    try await GlobalData.withStore(.inMemory()) {
      try await GlobalData.set("old", forKey: "a")
      let before = try GlobalData.snapshot()
      try await GlobalData.clear()
      try await GlobalData.restore(before)
      #expect(try GlobalData.object(String.self, forKey: "a") == "old")
    }
  }
}
