import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// Damage to a file affects only the damaged entries, and the damaged file is never lost.
@Suite struct RecoveryTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.appendingPathComponent("store") }

  private static let values: [(key: String, value: String)] = (0..<6).map {
    ("key \($0)", String(repeating: "value \($0) ", count: 3 + $0))
  }

  /// A store's file with six entries, and the ranges of the entries in it.
  private func writeFile(_ url: URL) async throws -> (bytes: Data, entries: [Range<Int>]) {
    let store = GlobalData(at: url)
    try await store.update { data in
      for (key, value) in RecoveryTests.values { try data.set(value, forKey: key) }
    }
    try await store.close()
    let bytes = try Data(contentsOf: url)
    let entries = try ArchiveImage.parse(bytes).image.entries
    return (bytes, try entries.map { try #require(bytes.range(of: $0.recordData)) })
  }

  /// Writes the file with one changed bit in the last byte of an entry, and returns its bytes.
  private func writeFile(_ url: URL, damaging entry: Int) async throws -> Data {
    var (bytes, entries) = try await writeFile(url)
    bytes[entries[entry].upperBound - 1] ^= 1
    try bytes.write(to: url)
    return bytes
  }

  @Test func aChangedByteAffectsAtMostItsOwnEntry() async throws {
    let (bytes, entries) = try await writeFile(folder.appendingPathComponent("store"))
    for (index, entry) in entries.enumerated() {
      for place in entry {
        for bits: UInt8 in [0x01, 0x10, 0x11, 0x83] {
          var damaged = bytes
          damaged[place] ^= bits
          let found = try ArchiveImage.parse(damaged)
          #expect(!found.damage.isEmpty)
          // A single bit outside of the value is corrected.
          let valueStart = entry.upperBound - (RecoveryTests.values[index].value.utf8.count + 2)
          let isRepaired = bits.nonzeroBitCount == 1 && place < valueStart
          var expected = RecoveryTests.values.map(\.key)
          if !isRepaired { expected.remove(at: index) }
          #expect(found.image.entries.map(\.key) == expected, "bits \(bits) of byte \(place), entry \(index)")
        }
      }
    }
  }

  /// The head of the entries gives their number, even if the file ends exactly between two of them.
  @Test func eachEntryOfATruncatedFileIsKeptOrCountedAsLost() async throws {
    let (bytes, entries) = try await writeFile(folder.appendingPathComponent("store"))
    for end in entries[0].upperBound..<(entries[5].upperBound + 9) {
      let found = try ArchiveImage.parse(Data(bytes.prefix(end)))
      let kept = entries.count { $0.upperBound <= end }
      #expect(found.image.entries.count == kept, "cut at \(end)")
      #expect(found.losses.lostCount == entries.count - kept, "cut at \(end)")
    }
  }

  /// What is left of the file has room for fewer entries than were lost.
  @Test func allEntriesOfAFileOfWhichLittleIsLeftAreCountedAsLost() async throws {
    let url = folder.file("store")
    let store = GlobalData(at: url)
    try await store.update { data in
      for index in 0..<300 { try data.set(index, forKey: "key \(index)") }
    }
    try await store.close()
    let bytes = try Data(contentsOf: url)
    let found = try ArchiveImage.parse(bytes.prefix(110))
    #expect(found.image.entries.count == 2)
    #expect(found.losses.lostCount == 298)
  }

  @Test(arguments: GlobalData.RecoveryPolicy.allCases)
  func observersReceiveTheChangesOfARecovery(policy: GlobalData.RecoveryPolicy) async throws {
    let url = folder.file("store")
    let (bytes, entries) = try await writeFile(url)
    var configuration = GlobalData.Configuration()
    configuration.recoveryPolicy = policy
    configuration.watchesFile = false
    let store = GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
    try await store.open()
    var changes = store.changes.makeAsyncIterator()
    var damaged = bytes
    damaged[entries[2].upperBound - 1] ^= 0xff
    try damaged.write(to: url)
    let expected: GlobalData.Change.Origin
    if policy == .refuse {
      // The earlier contents remain until the recovery.
      await #expect(throws: GlobalDataError.self) { try await store.refresh() }
      expected = .recovery
    } else {
      try await store.refresh()
      expected = .otherProcess
    }
    try await store.recover()
    try await store.set("new", forKey: "new")
    let change = try #require(await changes.next())
    #expect(change == GlobalData.Change(keys: ["key 2"], removed: ["key 2"], origin: expected))
    #expect(try change.oldValue(String.self, forKey: "key 2") == RecoveryTests.values[2].value)
    #expect(await changes.next() == GlobalData.Change(keys: ["new"], origin: .thisStore))
  }

  /// If the file system does not support hard links, the damaged file is copied. By default, a copy has the folder's
  /// protection.
  @Test func aCopyThatIsSetAsideHasTheProtectionOfTheStore() async throws {
    let url = folder.file("store")
    let (bytes, entries) = try await writeFile(url)
    var damaged = bytes
    damaged[entries[2].upperBound - 1] ^= 0xff
    try damaged.write(to: url)
    let system = FaultySystemCalls()
    system.fail(.linkat, .error(EPERM))
    let store = GlobalData(at: url, system: system)
    try await store.set("new", forKey: "new")
    let aside = try #require(store.recoveryOnceOpen?.setAsideURL)
    #expect(try Data(contentsOf: aside) == damaged)
    let calls = system.records.filter { $0.name == aside.lastPathComponent }.map(\.call)
    let protection = try #require(calls.firstIndex(of: .protect))
    // The protection is set before the file has contents.
    let firstWrite = try #require(calls.firstIndex(of: .write))
    #expect(protection < firstWrite)
    // The copy survives a power cut before the file is replaced.
    #expect(calls.lastIndex(of: .fsync) ?? -1 > firstWrite)
  }

  /// On Apple's systems, temporary folders and app groups are behind a link to `/private`.
  @Test(arguments: ["link/store", "link/x/store", "link/../link/store"])
  func theSetAsideFileHasTheSpellingOfTheStore(path: String) async throws {
    let files = FileManager.default
    try files.createDirectory(at: folder.file("real/x"), withIntermediateDirectories: true)
    try folder.file("link").makeLink(to: "real")
    let url = URL(fileURLWithPath: "\(folder.path)/\(path)")
    let (bytes, entries) = try await writeFile(url)
    var damaged = bytes
    damaged[entries[2].upperBound - 1] ^= 0xff
    try damaged.write(to: url)
    let store = GlobalData(at: url)
    try await store.set("new", forKey: "new")
    let aside = try #require(store.recoveryOnceOpen?.setAsideURL)
    #expect(aside.deletingLastPathComponent().path == url.deletingLastPathComponent().path)
    #expect(store.recoveryOnceOpen?.fileURL.path == url.path)
    #expect(try Data(contentsOf: aside) == damaged)
  }

  @Test(arguments: [1, 2, 7, 30])
  func missingOrAdditionalBytesAffectOneEntryOnly(count: Int) async throws {
    let (bytes, entries) = try await writeFile(folder.appendingPathComponent("store"))
    for (index, entry) in entries.enumerated() {
      var expected = RecoveryTests.values.map(\.key)
      expected.remove(at: index)
      let middle = entry.lowerBound + entry.count / 2
      let shorter = bytes[..<middle] + bytes[min(middle + count, entry.upperBound)...]
      #expect(try keys(Data(shorter)) == expected)
      let longer = bytes[..<middle] + Data(repeating: 0x61, count: count) + bytes[middle...]
      #expect(try keys(Data(longer)) == expected)
    }
  }

  private func keys(_ bytes: Data) throws -> [String] {
    try ArchiveImage.parse(bytes).image.entries.map(\.key)
  }

  @Test func anArchiveInsideADamagedValueAddsNoEntries() async throws {
    let (inner, _) = try await writeFile(folder.appendingPathComponent("inner"))
    let store = GlobalData(at: url)
    try await store.update { data in
      try data.set("first", forKey: "first")
      try data.set(inner, forKey: "archive")
      try data.set("last", forKey: "last")
    }
    try await store.close()
    let bytes = try Data(contentsOf: url)
    let entry = try Array(ArchiveImage.parse(bytes).image.entries)[1]
    let record = try #require(bytes.range(of: entry.recordData))
    for place in record.lowerBound..<record.lowerBound + 30 {
      var damaged = bytes
      damaged[place] ^= 0x05
      #expect(try keys(damaged) == ["first", "last"], "byte \(place)")
    }
    // Cut off inside the value: nothing after it can belong to the store.
    #expect(try keys(bytes[..<(record.upperBound - 20)]) == ["first"])
  }

  @Test func theStoreKeepsTheIntactEntriesAndSetsTheFileAside() async throws {
    let bytes = try await writeFile(url, damaging: 2)

    let store = GlobalData(at: url)
    #expect(store.stateOnceOpen == .damaged)
    #expect(store.allKeys == ["key 0", "key 1", "key 3", "key 4", "key 5"])
    #expect(try store.object(String.self, forKey: "key 5") == RecoveryTests.values[5].value)
    #expect(try store.object(forKey: "key 2") == nil)
    let recovery = try #require(store.recoveryOnceOpen)
    #expect(recovery.fileURL.path == url.path)
    #expect(recovery.keptKeys == store.allKeys)
    #expect(recovery.lostKeys == ["key 2"])
    #expect(recovery.lostEntryCount == 1)
    #expect(recovery.problems.contains { $0.contains("\"key 2\"") })
    #expect(recovery.setAsideURL == nil)
    // Reading changes nothing.
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try folderContents(folder) == ["store"])

    try await store.set("new", forKey: "key 2")
    #expect(store.stateOnceOpen == .ready)
    let aside = try #require(store.recoveryOnceOpen?.setAsideURL)
    #expect(aside.lastPathComponent.hasPrefix("store.damaged-"))
    #expect(try Data(contentsOf: aside) == bytes)
    #expect(try GlobalData.check(fileAt: url).isIntact)
    try await store.set("newer", forKey: "key 2")
    #expect(try folderContents(folder).count == 2, "the file is set aside once")
    try await store.close()
    #expect(store.allKeys == ["key 0", "key 1", "key 3", "key 4", "key 5", "key 2"])
    #expect(store.stateOnceOpen == .ready)
  }

  @Test func logoutRemovesSetAsideFiles() async throws {
    _ = try await writeFile(url, damaging: 0)
    let other = folder.appendingPathComponent("store.damaged-notes")
    try Data("mine".utf8).write(to: other)
    let store = GlobalData(at: url)
    try await store.set(1, forKey: "a")
    #expect(try folderContents(folder).count == 3)
    try await store.clear()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.damaged-notes"])
  }

  /// Another process removes one of them at the same time.
  @Test func allSetAsideFilesAreRemovedAlthoughOneIsGone() async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, system: system)
    for _ in 0..<2 {
      _ = try await writeFile(url, damaging: 0)
      _ = try await store.recover()
    }
    #expect(try folder.names().count { $0.contains(".damaged-") } == 2)
    system.fail(.error(ENOENT), times: 1) { $0.call == .unlinkat && $0.name.contains(".damaged-") }
    try await store.clear()
    #expect(try folder.names().count == 1, "only the one that counts as gone remains")
    try await store.clear()
    #expect(try folder.names() == [])
  }

  @Test func aStoreThatIsClearedDuringARecoveryLeavesNoLock() async throws {
    _ = try await writeFile(url, damaging: 0)
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, system: system)
    system.fail(.interlude { unlink(url.path) }, times: 1) { $0.call == .create && $0.name.hasSuffix(".lock") }
    #expect(try await store.recover() == nil)
    #expect(system.faults == 1)
    #expect(try folder.names() == [])
  }

  @Test(arguments: [Data(), Data(count: 100), Data([0xd9, 0xd9, 0xf7, 0x88, 0x6a])])
  func aFileWithoutItsBeginningIsRefusedUntilItIsRecovered(bytes: Data) async throws {
    try bytes.write(to: url)
    let store = GlobalData(at: url)
    #expect(store.stateOnceOpen == .damaged)
    let reading = expectError(GlobalDataError.self) { try store.object(forKey: "a") }
    #expect(reading?.code == .damaged)
    let writing = await expectError(GlobalDataError.self) { try await store.set(1, forKey: "a") }
    #expect(writing?.code == .damaged)
    #expect(try Data(contentsOf: url) == bytes)

    let recovery = try #require(try await store.recover())
    #expect(recovery.keptKeys.isEmpty && recovery.lostEntryCount == 0)
    #expect(try Data(contentsOf: try #require(recovery.setAsideURL)) == bytes)
    #expect(store.stateOnceOpen == .ready)
    try await store.set(1, forKey: "a")
    try await store.close()
    #expect(try store.object(Int.self, forKey: "a") == 1)
    #expect(try await store.recover() == nil)
  }

  @Test func clearingAnUnreadableStoreWorksAndRemovesEarlierWrites() async throws {
    try Data().write(to: url)
    let store = GlobalData(at: url)
    try await store.clear()
    #expect(store.stateOnceOpen == .absent)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    try await store.set(1, forKey: "a")
    #expect(store.allKeys == ["a"])
  }

  @Test(arguments: [true, false]) func aFileOfAnotherFormatIsNotCleared(isShared: Bool) async throws {
    let url = folder.file("store")
    try Data("[1]".utf8).write(to: url)
    let store = GlobalData(at: url, configuration: .with { $0.isShared = isShared })
    let all = await expectError(GlobalDataError.self) { try await store.clear() }
    let others = await expectError(GlobalDataError.self) { try await store.clear(keeping: ["a"]) }
    #expect(all?.code == .foreignFormat && others?.code == .foreignFormat)
    #expect(try Data(contentsOf: url) == Data("[1]".utf8))
    #expect(try folder.names() == ["store"])
  }

  @Test func aFileThatCannotBeSetAsideIsNotReplaced() async throws {
    let bytes = try await writeFile(url, damaging: 1)
    let system = FaultySystemCalls()
    system.fail(.linkat, .error(EIO))
    system.fail(.create, nth: 2, .error(ENOSPC))  // the first one opens the lock
    let store = GlobalData(at: url, system: system)
    let error = await expectError(GlobalDataError.self) { try await store.set(1, forKey: "a") }
    #expect(error?.code == .writeFailed)
    #expect(error?.errorNumber == ENOSPC)
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try folderContents(folder) == ["store"])
    #expect(store.stateOnceOpen == .damaged)

    // Without links, the bytes are copied.
    system.recover()
    system.fail(.linkat, .error(EPERM))
    try await store.set(1, forKey: "a")
    #expect(try Data(contentsOf: try #require(store.recoveryOnceOpen?.setAsideURL)) == bytes)
    #expect(store.stateOnceOpen == .ready)
    // The lock, the copy, the new file.
    #expect(system.count(of: .protect) == 3)
  }

  @Test func aFailedRecoveryLeavesNoSecondFile() async throws {
    let bytes = try await writeFile(url, damaging: 1)
    let system = FaultySystemCalls()
    system.fail(.write, .error(ENOSPC))
    let store = GlobalData(at: url, system: system)
    let error = await expectError(GlobalDataError.self) { try await store.recover() }
    #expect(error?.errorNumber == ENOSPC)
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try folderContents(folder) == ["store"])

    system.recover()
    let recovery = try #require(try await store.recover())
    #expect(try Data(contentsOf: try #require(recovery.setAsideURL)) == bytes)
  }

  @Test func aRecoveryThatMayNotSurviveAPowerFailureIsSeen() async throws {
    let bytes = try await writeFile(url, damaging: 1)
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    #expect(store.stateOnceOpen == .damaged)
    faults.fail(.syncFolder, after: 1, with: .inputOutput)  // the first one keeps the damaged file
    let error = await expectError(GlobalDataError.self) { try await store.recover() }
    #expect(error?.code == .durabilityUnknown)
    #expect(store.state == .ready)
    #expect(try Data(contentsOf: try #require(store.recovery?.setAsideURL)) == bytes)
  }

  @Test func aClearKeepsFilesWhoseNamesOnlyBeginLikeThatOfAFileSetAside() async throws {
    let bytes = try await writeFile(url, damaging: 2)
    let store = GlobalData(at: url)
    let recovery = try await store.recover()
    let aside = try #require(recovery?.setAsideURL)
    let copy = folder.appendingPathComponent(aside.lastPathComponent + "-copy")
    try bytes.write(to: copy)
    try await store.clear()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [copy.lastPathComponent])
  }

  @Test func aRecoveredFileIsALaterState() async throws {
    _ = try await writeFile(url)
    let generation = try GlobalData.contents(ofFileAt: url).generation
    _ = try await writeFile(url, damaging: 2)
    try await GlobalData(at: url).recover()
    #expect(try GlobalData.contents(ofFileAt: url).generation > generation)
  }

  @Test func damageIsForgottenOnlyIfTheSameFileIsIntact() async throws {
    let bytes = try await writeFile(url).bytes
    var damaged = bytes
    damaged[bytes.count - 15] ^= 0xff
    // Like an append within the room of a file, which changes neither its size nor, perhaps, its time.
    func overwrite(_ data: Data) throws {
      let file = try FileHandle(forWritingTo: url)
      try file.write(contentsOf: data)
      try file.close()
      let time = Date(timeIntervalSince1970: 1_700_000_000)
      try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: url.path)
    }
    try overwrite(damaged)
    let store = GlobalData(at: url)
    #expect(store.stateOnceOpen == .damaged && store.recovery != nil)
    try overwrite(bytes)
    try await store.refresh()
    #expect(store.state == .ready && store.recovery == nil)

    try overwrite(damaged)
    try await store.close()
    #expect(store.stateOnceOpen == .damaged)
    try bytes.write(to: url, options: .atomic)
    try await store.refresh()
    #expect(store.state == .ready && store.recovery != nil)
  }

  @Test func aNewerFileIsReadAndNotWritten() async throws {
    let (bytes, _) = try await writeFile(url)
    let image = try ArchiveImage.parse(bytes).image
    let newer = image.encoded(version: 2).pieces.reduce(Data(), +)
    try newer.write(to: url)
    let store = GlobalData(at: url)
    #expect(store.stateOnceOpen == .newer)
    #expect(try store.object(String.self, forKey: "key 1") == RecoveryTests.values[1].value)
    let error = await expectError(GlobalDataError.self) { try await store.set(1, forKey: "a") }
    #expect(error?.code == .newerFormat)
    await #expect(throws: GlobalDataError.self) { try await store.clear(keeping: ["key 1"]) }
    await #expect(throws: GlobalDataError.self) { try await store.recover() }
    #expect(try Data(contentsOf: url) == newer)
    try await store.clear()
    #expect(store.stateOnceOpen == .absent)
  }

  @Test func aDamagedNewerFileIsNotRead() async throws {
    let (bytes, _) = try await writeFile(url)
    try ArchiveImage.parse(bytes).image.encoded(version: 2).pieces.reduce(Data(), +).dropLast(1).write(to: url)
    let inspected = expectError(GlobalDataError.self) { try GlobalData.contents(ofFileAt: url) }
    let opened = expectError(GlobalDataError.self) { try GlobalData(at: url).openNow() }
    #expect(inspected?.code == .newerFormat && opened?.code == .newerFormat)
  }

  @Test func statesAreDistinguished() async throws {
    let store = GlobalData(at: url)
    #expect(store.stateOnceOpen == .absent)
    try await store.set(1, forKey: "a")
    #expect(store.stateOnceOpen == .ready)
    #expect(store.recoveryOnceOpen == nil)
    try await store.close()
    try Data("[]".utf8).write(to: url)
    #expect(store.stateOnceOpen == .unavailable)
    #expect(GlobalData(at: folder).stateOnceOpen == .unavailable)
    #expect(GlobalData.inMemory().stateOnceOpen == .ready)
    let system = FaultySystemCalls()
    system.fail(.openat, .error(EPERM))
    let locked = GlobalData(at: url, system: system)
    #expect(locked.stateOnceOpen == .locked)
    try Data().write(to: url)
    try await store.recover()
    system.recover()
    #expect(locked.stateOnceOpen == .ready)
  }

  /// A logout and the first write of the next user, in one commit: nothing of the earlier user may be kept.
  @Test(arguments: [false, true]) func aClearCommittedWithLaterWritesSetsNothingAside(isUpdate: Bool) async throws {
    _ = try await writeFile(url, damaging: 0)
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    #expect(store.recoveryOnceOpen?.lostKeys == ["key 0"])
    if isUpdate {
      try await store.update { data in
        data.clear()
        try data.set("new user", forKey: "user")
      }
    } else {
      faults.pause(.lock)
      async let first: Void = store.removeObject(forKey: "key 1")
      try await faults.reached(.lock)
      // Both wait for the first write, and share the next commit.
      async let clear: Void = store.clear()
      async let second: Void = store.update { try $0.set("new user", forKey: "user") }
      faults.resume()
      _ = try await (first, clear, second)
      // It is unknown which of the two came first. Only the final contents are known.
      if store.allKeys.isEmpty { try await store.set("new user", forKey: "user") }
    }
    #expect(store.allKeys == ["user"])
    #expect(try folderContents(folder) == ["store"])
    #expect(store.recoveryOnceOpen == nil, "the keys that were lost are of the earlier user")
    #expect(try GlobalData.check(fileAt: url).isIntact)
  }

  /// Such an update changes no value in memory, but the files still contain what it cleared.
  @Test(arguments: [false, true], [GlobalData.Persistence.rewriting, .appending])
  func aClearRemovesLostValuesEvenIfTheOtherValuesAreSetAgain(
    isSetAside: Bool, persistence: GlobalData.Persistence
  ) async throws {
    _ = try await writeFile(url, damaging: 0)
    let store = GlobalData(at: url, configuration: .with { $0.persistence = persistence })
    if isSetAside { _ = try await store.recover() }
    try await store.update { data in
      data.clear()
      for (key, value) in RecoveryTests.values.dropFirst() { try data.set(value, forKey: key) }
    }
    #expect(try folderContents(folder) == ["store"])
    #expect(store.recoveryOnceOpen == nil)
    #expect(try GlobalData.check(fileAt: url).isIntact)
    #expect(store.allKeys == RecoveryTests.values.dropFirst().map(\.key))
  }

  @Test func aClearThatMayNotBeDurableRemovesTheFileThatWasSetAside() async throws {
    _ = try await writeFile(url, damaging: 0)
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    _ = try await store.recover()
    faults.fail(.syncFolder, with: .inputOutput)
    let error = await expectError(GlobalDataError.self) {
      try await store.update { data in
        data.clear()
        try data.set("new user", forKey: "user")
      }
    }
    #expect(error?.code == .durabilityUnknown)
    #expect(store.allKeys == ["user"])
    #expect(store.recovery == nil)
    #expect(try folderContents(folder) == ["store"])
  }
}
