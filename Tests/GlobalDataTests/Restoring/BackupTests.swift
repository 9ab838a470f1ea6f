import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// A store's contents in a separate file, and back.
@Suite struct BackupTests {
  @TemporaryFolder private var folder

  private func files(in folder: URL) throws -> [String] {
    try folder.names().filter { !$0.hasSuffix(".lock") }.sorted()
  }

  @Test(arguments: [GlobalData.Persistence.rewriting, .appending])
  func aBackupIsASeparateStore(persistence: GlobalData.Persistence) async throws {
    let store = GlobalData(at: folder.file("store"), configuration: .with { $0.persistence = persistence })
    for number in 0..<20 { try await store.set("value \(number)", forKey: "key \(number % 7)") }
    let expected = try store.texts()
    #expect(try await store.backup(to: folder.file("safe/backup")) == nil)
    try await store.set("later", forKey: "later")
    let backup = GlobalData(at: folder.file("safe/backup"))
    #expect(try backup.texts() == expected && backup.allKeys == (0..<7).map { "key \($0)" })
    #expect(try GlobalData.check(fileAt: folder.file("safe/backup")).isIntact)
    // No other file was left beside it.
    #expect(try folder.file("safe").names() == ["backup"])
  }

  @Test func theArticlesExamplesRun() async throws {
    let (store, url) = (GlobalData(at: folder.file("store")), folder.file("backup"))
    try await store.set("old", forKey: "a")
    try await store.backup(to: url)
    try await store.set("new", forKey: "a")
    let kept = try await store.restore(from: url)
    #expect(kept != nil && store.allKeys == ["a"])
  }

  @Test func aStoreInMemoryIsBackedUpAndRestored() async throws {
    let store = GlobalData.inMemory()
    try await store.set("old", forKey: "a")
    try await store.backup(to: folder.file("backup"))
    try await store.clear()
    #expect(try await store.restore(from: folder.file("backup")) == nil)
    #expect(try store.texts() == ["a": "old"])
  }

  @Test func aBackupWithManyReferencesToOneLargeInstanceIsIntact() async throws {
    let (store, url) = (GlobalData(at: folder.file("store")), folder.file("backup"))
    // With a copy for each reference, 4 MB.
    let animal = Animal(name: String(repeating: "long", count: 10_000))
    try await store.set([Animal](repeating: animal, count: 100), forKey: "animals")
    try await store.backup(to: url)
    #expect(try GlobalData.check(fileAt: url).problems == [])
    try await store.clear()
    try await store.restore(from: url)
    #expect(try store.object([Animal].self, forKey: "animals")?.count == 100)
  }

  @Test func aBackupContainsTheWritesOfAnotherProcess() async throws {
    let store = GlobalData(at: folder.file("store"))
    try await store.set("old", forKey: "a")
    let other = GlobalData(at: folder.file("store"), system: POSIXSystemCalls())
    try await other.set("other", forKey: "b")
    try await store.backup(to: folder.file("backup"))
    #expect(try GlobalData(at: folder.file("backup")).texts() == ["a": "old", "b": "other"])
  }

  @Test func restoringKeepsThePreviousFileAndTheStoresIdentity() async throws {
    let url = folder.file("store")
    let store = GlobalData(at: url)
    try await store.set("old", forKey: "a")
    try await store.backup(to: folder.file("backup"))
    try await store.set("new", forKey: "a")
    try await store.set("new", forKey: "b")
    let bytes = try Data(contentsOf: url)
    // Another process that has read the store sees a later state of it, not another store.
    let diagnostics = Locked<[GlobalData.Diagnostic]>([])
    var configuration = GlobalData.Configuration()
    configuration.diagnosticHandler = { diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
    let other = GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
    #expect(try other.texts().count == 2)
    var changes = store.changes.makeAsyncIterator()
    let kept = try #require(try await store.restore(from: folder.file("backup")))
    #expect(try Data(contentsOf: kept) == bytes)
    #expect(kept.lastPathComponent.hasPrefix("store.replaced-"))
    #expect(try store.texts() == ["a": "old"])
    let change = try #require(await changes.next())
    #expect(change.keys == ["a", "b"] && change.removedKeys == ["b"] && change.origin == .restore)
    try await other.refresh()
    #expect(try other.texts() == ["a": "old"])
    #expect(diagnostics.withLock { $0.map(\.kind) } == [])

    // Only the last one is kept. clear() removes it, but not the backup.
    try await store.set("again", forKey: "a")
    let next = try #require(try await store.restore(from: folder.file("backup")))
    #expect(try files(in: folder) == ["backup", "store", next.lastPathComponent])
    try await store.clear()
    #expect(try files(in: folder) == ["backup"])
  }

  @Test func anAbsentStoreIsRestored() async throws {
    let store = GlobalData(at: folder.file("store"))
    try await store.set("old", forKey: "a")
    try await store.backup(to: folder.file("backup"))
    try await store.clear()
    #expect(try await store.restore(from: folder.file("backup")) == nil)
    #expect(try GlobalData(at: folder.file("store"), system: POSIXSystemCalls()).texts() == ["a": "old"])
    // It is a later state of the backup.
    let generations = try ["store", "backup"].map { try GlobalData.contents(ofFileAt: folder.file($0)).generation }
    #expect(generations[0] > generations[1])
  }

  @Test func aDamagedStoreIsNotBackedUpAndCanBeRestored() async throws {
    for policy in [GlobalData.RecoveryPolicy.keepIntactEntries, .refuse] {
      try await withTemporaryDirectory { folder in
        let url = folder.file("store")
        let writer = GlobalData(at: url, system: POSIXSystemCalls())
        try await writer.set("old", forKey: "a")
        try await writer.set("kept", forKey: "b")
        try await writer.backup(to: folder.file("backup"))
        try StoreOperation.damageEntry(folder)
        let (damaged, good) = (try Data(contentsOf: url), try Data(contentsOf: folder.file("backup")))

        let store = GlobalData(at: url, configuration: .with { $0.recoveryPolicy = policy })
        let error = try await requireError(GlobalDataError.self) { try await store.backup(to: folder.file("backup")) }
        #expect(error.code == .damaged)
        #expect(try Data(contentsOf: folder.file("backup")) == good && Data(contentsOf: url) == damaged)

        let kept = try #require(try await store.restore(from: folder.file("backup")))
        #expect(try Data(contentsOf: kept) == damaged)
        #expect(try store.texts() == ["a": "old", "b": "kept"] && store.state == .ready && store.recovery == nil)
      }
    }
  }

  @Test(arguments: [false, true]) func aRestorationThatFailsWithoutAFileLeavesNoLock(fromBackup: Bool) async throws {
    let source = GlobalData(at: folder.file("source"))
    try await source.set(1, forKey: "a")
    let system = FaultySystemCalls()
    let store = GlobalData(at: folder.file("inner/store"), system: system)
    system.fail(.error(ENOSPC)) { $0.call == .write }
    let error = await expectError(GlobalDataError.self) {
      if fromBackup {
        try await store.restore(from: folder.file("source"))
      } else {
        try await store.restore(source.snapshot())
      }
    }
    #expect(error?.code == .writeFailed)
    #expect(try folder.file("inner").names() == [])
  }

  /// The contents of the damaged file are unknown, but not what observers have seen.
  @Test(arguments: [false, true]) func aDamagedFileIsReplacedByTheSameEntries(fromBackup: Bool) async throws {
    let (url, backup) = (folder.file("store"), folder.file("backup"))
    let writer = GlobalData(at: url, system: POSIXSystemCalls())
    try await writer.set("value", forKey: "a")
    try await writer.backup(to: backup)
    let snapshot = try writer.snapshot()
    var bytes = try Data(contentsOf: url)
    bytes[bytes.count - 1] ^= 0xff  // a part of the checksum
    try bytes.write(to: url)
    let store = GlobalData(at: url, system: POSIXSystemCalls())
    #expect(store.stateOnceOpen == .damaged && store.allKeys == ["a"])
    if fromBackup { try await store.restore(from: backup) } else { try await store.restore(snapshot) }
    #expect(store.state == .ready)
    #expect(try GlobalData.check(fileAt: url).isIntact)
  }

  @Test func observersReceiveTheKeysThatARestorationRemovesAfterDamage() async throws {
    let store = GlobalData(at: folder.file("store"))
    try await store.set("old", forKey: "a")
    try await store.backup(to: folder.file("backup"))
    try await store.set("new", forKey: "b")
    var changes = store.changes.makeAsyncIterator()
    try await store.close()
    try Data(count: 100).write(to: folder.file("store"))
    try await store.restore(from: folder.file("backup"))
    let change = try #require(await changes.next())
    #expect(change.keys == ["a", "b"] && change.removedKeys == ["b"] && change.origin == .restore)
  }

  @Test func aBackupOfARecoveredStoreReportsTheLosses() async throws {
    let writer = GlobalData(at: folder.file("store"), system: POSIXSystemCalls())
    try await writer.set("old", forKey: "a")
    try await writer.set("kept", forKey: "b")
    try StoreOperation.damageEntry(folder)
    let store = GlobalData(at: folder.file("store"))
    try await store.recover()
    #expect(try await store.backup(to: folder.file("backup"))?.lostKeys == ["b"])
    #expect(try GlobalData(at: folder.file("backup")).texts() == ["a": "old"])
  }

  @Test func aBackupThatIsNotIntactChangesNothing() async throws {
    let store = GlobalData(at: folder.file("store"))
    try await store.set("old", forKey: "a")
    try await store.backup(to: folder.file("backup"))
    let good = try Data(contentsOf: folder.file("backup"))
    let bytes = try Data(contentsOf: folder.file("store"))
    func expectRefusal(_ code: GlobalDataError.Code) async throws {
      let error = try await requireError(GlobalDataError.self) {
        try await store.restore(from: folder.file("backup"))
      }
      #expect(error.code == code, "\(error)")
      #expect(
        error.advice == (code == .foreignFormat ? "Nothing was changed. Choose another backup." : "Check the path."))
      #expect(try Data(contentsOf: folder.file("store")) == bytes)
      #expect(try files(in: folder).filter { $0 != "backup" } == ["store"])
    }
    for place in good.indices {
      var damaged = good
      damaged[place] ^= 1
      try damaged.write(to: folder.file("backup"))
      let error = try await requireError(GlobalDataError.self) {
        try await store.restore(from: folder.file("backup"))
      }
      #expect([.damaged, .newerFormat, .foreignFormat].contains(error.code), "byte \(place): \(error)")
      // The advice about a store's own file would be wrong here.
      #expect(error.code != .damaged || error.advice == "Nothing was changed. Choose another backup.", "\(error)")
    }
    try Data("no store".utf8).write(to: folder.file("backup"))
    try await expectRefusal(.foreignFormat)
    try FileManager.default.removeItem(at: folder.file("backup"))
    try await expectRefusal(.readFailed)
    #expect(try store.texts() == ["a": "old"])
  }

  @Test func aMalformedValueWithARightChecksumIsRefused() async throws {
    let entry = [UInt8]([0x82, 0x01]).withUnsafeBytes { StoredEntry(key: "a", content: $0, sharesInstances: false) }
    try ArchiveImage(identity: .random(), generation: 1, entries: [entry]).data.write(to: folder.file("backup"))
    let store = GlobalData(at: folder.file("store"))
    try await store.set("old", forKey: "b")
    let error = try await requireError(GlobalDataError.self) { try await store.restore(from: folder.file("backup")) }
    let message =
      "\(folder.file("backup").path) cannot be restored: the value under the key \"a\" cannot be decoded: "
      + "The bytes are not a well-formed archive: "
    #expect(error.code == .damaged && error.message.hasPrefix(message), "\(error)")
    #expect(error.advice == "Nothing was changed. Choose another backup." && !"\(error)".contains(".."))
    #expect(try store.texts() == ["b": "old"])
  }

  @Test func aBackupThatExceedsTheLimitsIsNotCalledDamagedAndCanBeRestoredWithHigherOnes() async throws {
    var configuration = GlobalData.Configuration()
    configuration.limits.maximumDepth = 300
    let deep = (0..<290).reduce(ArchiveValue.int(1)) { value, _ in [value] }
    let writer = GlobalData(at: folder.file("first"), configuration: configuration)
    try await writer.set(deep, forKey: "a")
    try await writer.backup(to: folder.file("backup"))

    let store = GlobalData(at: folder.file("second"))
    try await store.set("old", forKey: "b")
    let error = try await requireError(GlobalDataError.self) { try await store.restore(from: folder.file("backup")) }
    #expect(error.code == .decodingFailed && !error.message.contains("damaged"), "\(error)")
    #expect(error.advice == "Nothing was changed. Raise the store's limits if the backup is trusted.")
    #expect(try store.texts() == ["b": "old"])

    let other = GlobalData(at: folder.file("third"), configuration: configuration)
    try await other.restore(from: folder.file("backup"))
    #expect(try other.object(ArchiveValue.self, forKey: "a") == deep)
  }

  /// A store in memory may hold more than the limit of its file.
  @Test func aBackupThatCouldNotBeReadIsNotWritten() async throws {
    var configuration = GlobalData.Configuration()
    configuration.limits.maximumFileSize = 1_000
    let (store, url) = (GlobalData.inMemory(configuration: configuration), folder.file("backup"))
    try await store.set("small", forKey: "a")
    try await store.backup(to: url)
    try await store.set(String(repeating: "large", count: 1_000), forKey: "a")
    let error = try await requireError(GlobalDataError.self) { try await store.backup(to: url) }
    #expect(error.code == .fileTooLarge && error.fileURL == url)
    try await store.restore(from: url)
    #expect(try store.texts() == ["a": "small"])
  }

  @Test func aStoreCannotBeBackedUpToItsOwnFile() async throws {
    let store = GlobalData(at: folder.file("store"))
    // This also holds before the file exists.
    let early = try await requireError(GlobalDataError.self) { try await store.backup(to: folder.file("store")) }
    #expect(early.code == .writeFailed && early.message.contains("own file"))
    try await store.set("old", forKey: "a")
    try FileManager.default.linkItem(at: folder.file("store"), to: folder.file("second"))
    try folder.file("link").makeLink(to: "store")
    for name in ["store", "second", "link", "./store"] {
      let error = try await requireError(GlobalDataError.self) { try await store.backup(to: folder.file(name)) }
      #expect(error.message.contains("own file"), "\(name): \(error)")
    }
    let folderError = try await requireError(GlobalDataError.self) { try await store.backup(to: folder) }
    #expect(folderError.code == .notAFile)
  }

  @Test func theStaticCallsGoToTheCurrentStore() async throws {
    try await GlobalData.withStore(.inMemory()) {
      try await GlobalData.set("old", forKey: "a")
      try await GlobalData.backup(to: folder.file("backup"))
      try await GlobalData.clear()
      try await GlobalData.restore(from: folder.file("backup"))
      #expect(try GlobalData.object(String.self, forKey: "a") == "old")
    }
  }
}
