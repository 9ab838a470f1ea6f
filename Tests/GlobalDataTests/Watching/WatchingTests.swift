import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Observers of a store receive the writes of another process, without a call of the store.
///
/// The other process is another store at the same path that shares nothing with the first one.
@Suite(.timeLimit(.minutes(20))) struct WatchingTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.file("store") }

  private func other(_ url: URL, _ persistence: GlobalData.Persistence = .rewriting) -> GlobalData {
    var configuration = GlobalData.Configuration()
    configuration.persistence = persistence
    configuration.durability = .processCrash  // The tests wait for the write, not for the disk.
    configuration.watchesFile = false
    return GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
  }

  /// Waits for a value in a stream. The suite's time limit ends a wait in vain.
  private func expect<Value: Equatable>(_ value: Value, in updates: inout GlobalData.Updates<Value>.AsyncIterator) async
  {
    while let next = await updates.next() { if next == value { return } }
    Issue.record("the stream ended")
  }

  @Test(arguments: [GlobalData.Persistence.rewriting, .appending])
  func aValueOfAnotherProcessArrives(persistence: GlobalData.Persistence) async throws {
    let writer = other(url, persistence)
    try await writer.set(0, forKey: "count")
    let store = GlobalData(at: url, configuration: .with { $0.persistence = persistence })
    var updates = store.updates(of: Int.self, forKey: "count").makeAsyncIterator()
    for number in 1...20 {
      try await writer.set(number, forKey: "count")
      await expect(number, in: &updates)
    }
    try await store.close()
  }

  @Test func aChangeHasItsKeysAndItsOrigin() async throws {
    let writer = other(url)
    try await writer.set("old", forKey: "same")
    try await writer.set("old", forKey: "removed")
    let store = GlobalData(at: url)
    var changes = store.changes.makeAsyncIterator()
    #expect(store.allKeys == ["same", "removed"])
    try await writer.update { data in
      try data.set("new", forKey: "added")
      data.removeObject(forKey: "removed")
    }
    let change = try #require(await changes.next())
    #expect(change.keys == ["added", "removed"] && change.origin == .otherProcess)
    #expect(try change.oldValue(String.self, forKey: "removed") == "old")
  }

  @Test func theArticlesExampleRuns() async throws {
    let group = GlobalData(at: folder.file("store"))
    try await other(folder.file("store")).set("old", forKey: "a")
    #expect(group.allKeys == ["a"])
    let printed = Locked<Set<String>>([])
    @Sendable func print(_: String, _ keys: Set<String>) { printed.withLock { $0 = keys } }
    let observing = Task {
      for await change in group.changes where change.origin == .otherProcess {
        print("another process changed", change.keys)
      }
    }
    while await !group.isWatching { await Task.yield() }
    try await other(folder.file("store")).set("new", forKey: "a")
    while printed.withLock({ $0 }) != ["a"] { await Task.yield() }
    observing.cancel()
  }

  @Test func aMissingStoreIsWatchedAlsoInNewFolders() async throws {
    let url = folder.file("outer/inner/store")
    let store = GlobalData(at: url)
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    #expect(await updates.next() == .some(nil))
    try await other(url).set("first", forKey: "a")
    await expect("first", in: &updates)
  }

  @Test func aFileThatIsClearedAndCreatedAgainIsFollowed() async throws {
    let writer = other(url)
    try await writer.set("old", forKey: "a")
    let store = GlobalData(at: url)
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    try await writer.clear()
    await expect(nil, in: &updates)
    try await writer.set("new", forKey: "a")
    await expect("new", in: &updates)
  }

  @Test func aFolderThatIsReplacedIsFollowed() async throws {
    let url = folder.file("data/store")
    try await other(url).set("old", forKey: "a")
    try await other(folder.file("next/store")).set("new", forKey: "a")
    let store = GlobalData(at: url)
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    try FileManager.default.moveItem(at: folder.file("data"), to: folder.file("away"))
    try FileManager.default.moveItem(at: folder.file("next"), to: folder.file("data"))
    await expect("new", in: &updates)
    // So are values that are written there later.
    try await other(url).set("newer", forKey: "a")
    await expect("newer", in: &updates)
  }

  @Test func aLinkThatIsSwitchedIsFollowed() async throws {
    try await other(folder.file("one")).set("old", forKey: "a")
    try await other(folder.file("two")).set("new", forKey: "a")
    try folder.file("link").makeLink(to: "one")
    let store = GlobalData(at: folder.file("link"))
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    try folder.file("next").makeLink(to: "two")
    #expect(rename(folder.file("next").path, folder.file("link").path) == 0)
    await expect("new", in: &updates)
  }

  @Test func whatIsWrittenWhereASwitchedLinkLeadsIsFollowed() async throws {
    let url = folder.file("data/store")
    try await other(url).set("file", forKey: "a")
    let store = GlobalData(at: url)
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("file", in: &updates)
    #expect(await store.isWatching)
    // The path becomes a link, then another one, and then leads to nothing for some time.
    for target in ["one", "two", "three"] {
      try FileManager.default.createDirectory(at: folder.file(target), withIntermediateDirectories: true)
      if target != "three" { try await other(folder.file("\(target)/file")).set(target, forKey: "a") }
      try folder.file("next").makeLink(to: "\(folder.path)/\(target)/file")
      #expect(rename(folder.file("next").path, url.path) == 0)
      if target != "three" { await expect(target, in: &updates) }
      try await other(folder.file("\(target)/file")).set("later in \(target)", forKey: "a")
      await expect("later in \(target)", in: &updates)
    }
    // The path becomes a file again.
    try await other(folder.file("next")).set("file again", forKey: "a")
    #expect(rename(folder.file("next").path, url.path) == 0)
    await expect("file again", in: &updates)
    try await other(url).set("later", forKey: "a")
    await expect("later", in: &updates)
  }

  @Test func aClosedStoreIsWatchedAgainFromItsNextUse() async throws {
    let writer = other(url)
    try await writer.set("old", forKey: "a")
    let store = GlobalData(at: url)
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    try await store.close()
    #expect(await !store.isWatching)
    try store.openNow()
    try await writer.set("new", forKey: "a")
    await expect("new", in: &updates)
  }

  @Test func aClosedStoreIsWatchedAgainForANewObserver() async throws {
    let writer = other(url)
    try await writer.set("old", forKey: "a")
    let store = GlobalData(at: url)
    var earlier = store.changes.makeAsyncIterator()
    #expect(try store.object(String.self, forKey: "a") == "old")
    try await store.close()
    var changes = store.changes.makeAsyncIterator()
    try await writer.set("new", forKey: "a")
    #expect(await changes.next()?.keys == ["a"])
    #expect(await earlier.next()?.keys == ["a"])
  }

  @MainActor @Test func changesDuringAClosedStoreAreReportedAtItsNextUse() async throws {
    let writer = other(url)
    try await writer.set("old", forKey: "a")
    try await writer.set("same", forKey: "same")
    let store = GlobalData(at: url)
    let value = store.observable(GlobalData.Key<String?>("a"))
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    var changes = store.changes.makeAsyncIterator()
    for number in 0..<3 {
      try await store.close()
      try await writer.set("new \(number)", forKey: "a")
      switch number {
      case 0: try store.openNow()
      case 1: try await store.set(1, forKey: "else")
      default: try await store.refresh()
      }
      await expect("new \(number)", in: &updates)
      while value.value != "new \(number)" { await Task.yield() }
      var change = try #require(await changes.next())
      if change.keys == ["else"] { change = try #require(await changes.next()) }
      #expect(change.keys == ["a"] && change.origin == .otherProcess)
      #expect(try change.oldValue(String.self, forKey: "a") == (number == 0 ? "old" : "new \(number - 1)"))
    }
  }

  /// A change that another process makes while a store is being opened does not hide the changes from before.
  @Test func changesAreReportedThoughALaterOneIsReadFirst() async throws {
    let writer = other(url)
    try await writer.set("old", forKey: "a")
    try await writer.set("old", forKey: "b")
    try await writer.set("whole", forKey: "c")
    let (diagnostics, continuation) = AsyncStream.makeStream(of: GlobalData.Diagnostic.self)
    let isRead = DispatchSemaphore(value: 0)
    var configuration = GlobalData.Configuration()
    configuration.watchesFile = false
    configuration.recoveryPolicy = .keepIntactEntries
    configuration.diagnosticHandler = { diagnostic in
      continuation.yield(diagnostic)
      if diagnostic.kind == .recovered { isRead.wait() }
    }
    let store = GlobalData(at: url, configuration: configuration)
    var changes = store.changes.makeAsyncIterator()
    #expect(try store.object(String.self, forKey: "a") == "old")
    try await store.close()

    try await writer.set("new", forKey: "a")
    var bytes = try Data(contentsOf: url)
    let damaged = try #require(bytes.firstRange(of: Data("whole".utf8)))
    bytes.replaceSubrange(damaged, with: Data("wrong".utf8))
    try bytes.write(to: url)
    let reading = Task.detached(executorPreference: OwnThread()) { try store.object(String.self, forKey: "a") }
    #expect(await diagnostics.first { _ in true }?.kind == .recovered)
    configuration.diagnosticHandler = { _ in }
    try await GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls()).set("new", forKey: "b")
    try await store.refresh()
    isRead.signal()
    #expect(try await reading.value == "new")
    try await store.set("end", forKey: "end")
    var keys: Set<String> = []
    while !keys.contains("end"), let change = await changes.next() { keys.formUnion(change.keys) }
    #expect(keys == ["a", "b", "c", "end"])
  }

  /// A commit that opens the store may do the same as the other process did before. Its own changes are then fewer.
  @Test(arguments: [true, false]) func aCommitThatOpensTheStoreHidesNoChange(isClear: Bool) async throws {
    let writer = other(url)
    try await writer.set("old", forKey: "x")
    try await writer.set("kept", forKey: "k")
    let store = GlobalData(at: url, configuration: .with { $0.watchesFile = false })
    var changes = store.changes.makeAsyncIterator()
    #expect(try store.object(String.self, forKey: "x") == "old")
    try await store.close()
    try await writer.update { data in
      if isClear { data.removeObject(forKey: "x") } else { try data.set("new", forKey: "x") }
      try data.set("z", forKey: "z")
    }
    if isClear {
      try await store.clear(keeping: ["k"])
    } else {
      try await store.update { data in
        try data.set("new", forKey: "x")
        try data.set(1, forKey: "y")
      }
    }
    try await store.set("end", forKey: "end")
    var reported: [GlobalData.Change] = []
    while reported.last?.keys.contains("end") != true, let change = await changes.next() { reported.append(change) }
    #expect(reported.contains { $0.keys.isSuperset(of: ["x", "z"]) && $0.origin == .otherProcess })
  }

  @Test func reopeningAnUnchangedStoreReportsNothing() async throws {
    let store = GlobalData(at: folder.file("store"))
    try await store.set("old", forKey: "a")
    var changes = store.changes.makeAsyncIterator()
    try await store.close()
    try store.openNow()
    try await store.set("new", forKey: "b")
    #expect(await changes.next()?.keys == ["b"])
  }

  @MainActor @Test func aFileThatBecomesReadableIsReported() async throws {
    try await other(url).set(["old"], forKey: "a")
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    faults.fail(.open, times: .max, with: StorageFailure(errorNumber: EACCES))
    let key = GlobalData.Key("a", default: [String]())
    let value = store.observable(key)
    var updates = store.updates(of: key).makeAsyncIterator()
    #expect(await updates.next() == [] && value.value.isEmpty && store.state == .locked)
    faults.reset()
    #expect(store[key] == ["old"])
    #expect(await updates.next() == ["old"])
    while value.value != ["old"] { await Task.yield() }
  }

  /// An observer that is created while the file cannot be read has not seen the earlier values.
  @MainActor @Test func aFileThatBecomesReadableAgainIsReportedEvenIfItIsUnchanged() async throws {
    try await other(url).set("old", forKey: "a")
    try await other(url).set("removed", forKey: "b")
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    let earlier = store.observable(GlobalData.Key<String?>("b"))
    #expect(earlier.value == "removed")
    try await store.close()
    faults.fail(.open, times: .max, with: StorageFailure(errorNumber: EACCES))
    let key = GlobalData.Key<String?>("a")
    let value = store.observable(key)
    var updates = store.updates(of: key).makeAsyncIterator()
    #expect(await updates.next() == .some(nil) && value.value == nil && store.state == .locked)
    try await other(url).removeObject(forKey: "b")
    faults.reset()
    #expect(store[key] == "old")
    #expect(await updates.next() == "old")
    while value.value != "old" || earlier.value != nil { await Task.yield() }
  }

  @MainActor @Test func aFileThatBecomesReadableIsReadByAnUnusedStore() async throws {
    try await other(url).set("old", forKey: "a")
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    faults.fail(.open, times: .max, with: StorageFailure(errorNumber: EACCES))
    let value = store.observable(GlobalData.Key<String?>("a"))
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    #expect(await updates.next() == .some(nil) && value.value == nil && store.state == .locked)
    faults.reset()
    #expect(await updates.next() == "old")
    while value.value != "old" { await Task.yield() }
  }

  @Test func aChangeThatCouldNotBeReadIsReadLater() async throws {
    let faults = FaultInjector()
    // The test takes the place of the system's events, which could otherwise arrive before the fault.
    var configuration = GlobalData.Configuration()
    configuration.watchesFile = false
    let reported = Locked<[GlobalData.Diagnostic]>([])
    configuration.diagnosticHandler = { diagnostic in reported.withLock { $0.append(diagnostic) } }
    let store = GlobalData.faulty(at: url, faults, configuration: configuration)
    try await store.set("old", forKey: "a")
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    try await other(url).set("new", forKey: "a")
    faults.fail(.open, times: .max, with: StorageFailure(errorNumber: EMFILE))
    await store.readForObservers()
    #expect(try store.object(String.self, forKey: "a") == "old")
    faults.reset()
    faults.fail(.open, times: 1, with: StorageFailure(errorNumber: EMFILE))  // The next attempt fails, too.
    await expect("new", in: &updates)
    #expect(reported.withLock { $0 }.map(\.kind) == [.readFailed])
  }

  @Test func aFolderIsWatchedAgainOnceItIsBack() async throws {
    let url = folder.file("data/store")
    try await other(url).set("old", forKey: "a")
    let (diagnostics, continuation) = AsyncStream.makeStream(of: GlobalData.Diagnostic.self)
    var configuration = GlobalData.Configuration()
    configuration.diagnosticHandler = { continuation.yield($0) }
    let store = GlobalData(at: url, configuration: configuration)
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    try FileManager.default.moveItem(at: folder.file("data"), to: folder.file("away"))
    try Data().write(to: folder.file("data"))
    let refusal = await diagnostics.first { $0.message.contains("cannot be watched") }
    #expect(refusal?.kind == .concession && refusal?.error != nil)
    #expect(await !store.isWatching)  // The attempt is over, which reads the file once more.
    try FileManager.default.removeItem(at: folder.file("data"))
    try FileManager.default.moveItem(at: folder.file("away"), to: folder.file("data"))
    try await other(url).set("new", forKey: "a")
    await expect("new", in: &updates)
    #expect(await store.isWatching)
  }

  @Test func aFolderThatIsRemovedWhileItIsOpenIsWatchedAgain() async throws {
    let url = folder.file("data/store")
    try await other(url).set("old", forKey: "a")
    let store = GlobalData(at: url)
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    #expect(await store.isWatching)
    // For example, as the folder of a shell or of an idle store that appends.
    let descriptor = open(folder.file("data").path, O_RDONLY)
    #expect(descriptor >= 0)
    defer { close(descriptor) }
    try FileManager.default.removeItem(at: folder.file("data"))
    await expect(nil, in: &updates)
    try await other(url).set("new", forKey: "a")
    await expect("new", in: &updates)
  }

  @Test func aLinkToTheFolderThatIsSwitchedIsFollowed() async throws {
    try await other(folder.file("one/store")).set("old", forKey: "a")
    try await other(folder.file("two/store")).set("new", forKey: "a")
    try folder.file("current").makeLink(to: "one")
    let store = GlobalData(at: folder.file("current/store"))
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    #expect(await store.isWatching)
    try folder.file("next").makeLink(to: "two")
    #expect(rename(folder.file("next").path, folder.file("current").path) == 0)
    await expect("new", in: &updates)
    try await other(folder.file("two/store")).set("newer", forKey: "a")
    await expect("newer", in: &updates)
  }

  private struct Note: Identifiable, Codable, Sendable {
    var id: Int
  }

  @MainActor @Test(arguments: [GlobalData.Persistence.rewriting, .appending])
  func anElementThatWasMovedIsReported(persistence: GlobalData.Persistence) async throws {
    let writer = other(url, persistence)
    let others = writer.collection(of: Note.self, named: "notes")
    try await others.insert((1...4).map { Note(id: $0) })
    let store = GlobalData(at: url)
    let notes = store.collection(of: Note.self, named: "notes")
    let observed = store.observable(notes)
    #expect(observed.elements.map(\.id) == [1, 2, 3, 4])
    let before = try store.snapshot()
    var changes = store.changes.makeAsyncIterator()
    try await writer.update { data in
      data.delete(2, from: others)
      try data.insert(Note(id: 2), into: others)
    }
    #expect(await changes.next()?.keys == ["notes/2"])
    while observed.elements.map(\.id) != [1, 3, 4, 2] { await Task.yield() }
    try await store.restore(before)
    #expect(await changes.next()?.origin == .restore)
    while observed.elements.map(\.id) != [1, 2, 3, 4] { await Task.yield() }
  }

  @Test func nothingIsWatchedWithoutObserversOrWhenTurnedOff() async throws {
    let store = GlobalData(at: folder.file("store"))
    try await store.set("old", forKey: "a")
    #expect(await store.isWatching == false)
    do {
      let changes = store.changes
      #expect(await store.isWatching == true)
      withExtendedLifetime(changes) {}
    }
    while await store.isWatching { await Task.yield() }

    for turnOff in [\GlobalData.Configuration.watchesFile, \.isShared] {
      var configuration = GlobalData.Configuration()
      configuration[keyPath: turnOff] = false
      let silent = GlobalData(at: folder.file("silent"), configuration: configuration)
      let changes = silent.changes
      #expect(await silent.isWatching == false)
      withExtendedLifetime(changes) {}
    }
  }

  @Test func aRefusedWatchIsTriedAgainAtTheNextWriteOrRead() async throws {
    for isWrite in [true, false] {
      try await withTemporaryDirectory { folder in
        let store = GlobalData(at: folder.file("store"))
        try await store.set("old", forKey: "a")
        let changes = store.changes
        #expect(await store.isWatching == true)
        await store.refuseWatch()
        #expect(await store.isWatching == false)
        if isWrite { try await store.set("new", forKey: "a") } else { try await store.refresh() }
        #expect(await store.isWatching == true)
        withExtendedLifetime(changes) {}
      }
    }
  }

  #if os(Linux)

  /// As in a container that has only this file mounted. Its folder has no events of the file.
  @Test(.enabled(if: TinyDisk.isAvailable, "mounting needs root and its permission"))
  func aFileThatIsMountedByItselfIsReadOnceASecond() async throws {
    try await other(folder.file("mounted")).set("old", forKey: "a")
    try Data().write(to: url)
    try URL.run("/bin/mount", "--bind", folder.file("mounted").path, url.path)
    defer { unmount(url) }
    let reports = Locked<[GlobalData.Diagnostic]>([])
    var configuration = GlobalData.Configuration()
    configuration.diagnosticHandler = { report in reports.withLock { $0.append(report) } }
    let store = GlobalData(at: url, configuration: configuration)
    var updates = store.updates(of: String.self, forKey: "a").makeAsyncIterator()
    await expect("old", in: &updates)
    #expect(await store.isWatching == false)
    try await other(url, .appending).set("new", forKey: "a")
    await expect("new", in: &updates)
    #expect(reports.withLock { $0.first?.error as? GlobalDataError }?.errorNumber == EBUSY)
    try await store.close()
  }

  private func unmount(_ url: URL) {
    do {
      try URL.run("/bin/umount", "--lazy", url.path)
    } catch {
      Issue.record(error)
    }
  }

  #endif

  @Test func theStatesOfABurstAreReportedInTheirOrderAndItsEndAlways() async throws {
    let writer = other(url, .appending)
    try await writer.set(0, forKey: "count")
    let store = GlobalData(at: url, configuration: .with { $0.persistence = .appending })
    var updates = store.updates(of: Int.self, forKey: "count").makeAsyncIterator()
    await expect(0, in: &updates)
    for number in 1...500 { try await writer.set(number, forKey: "count") }
    var seen = 0
    while seen < 500, let next = await updates.next() {
      let number = try #require(next)
      #expect(number > seen, "states may be passed over, and come in their order")
      seen = number
    }
    #expect(seen == 500)
  }
}

extension GlobalData {
  /// Whether the file is watched, once everything that was requested earlier is done.
  fileprivate var isWatching: Bool {
    engine.withWriter(self) { $0.watch != nil }
  }

  /// Does what the store does after an event.
  fileprivate func readForObservers() {
    engine.withWriter(self) { $0.readForObservers() }
  }

  /// Leaves the store like one whose process had too many open files.
  fileprivate func refuseWatch() {
    engine.withWriter(self) { writer in
      writer.watch = nil
      writer.isWatchRefused = true
    }
  }
}
