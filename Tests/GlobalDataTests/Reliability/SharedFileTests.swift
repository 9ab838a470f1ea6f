import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// Several writers of one file, each with its own engine, like different processes.
@Suite struct SharedFileTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.appendingPathComponent("store") }

  /// A store that shares nothing in memory with other stores at the same path.
  private func process(_ url: URL, _ configuration: GlobalData.Configuration = .init()) -> GlobalData {
    GlobalData(at: url, configuration: configuration, system: POSIXSystemCalls())
  }

  @Test func incrementsOfTwoWritersAllArrive() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      let configuration = GlobalData.Configuration.with { $0.lockTimeout = .seconds(600) }
      for name in ["a", "b", "c"] {
        let store = process(url, configuration)
        group.addTask {
          for _ in 0..<50 {
            try await store.update { data in
              try data.set((data.object(Int.self, forKey: "count") ?? 0) + 1, forKey: "count")
              try data.set((data.object(Int.self, forKey: name) ?? 0) + 1, forKey: name)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let result = process(url)
    #expect(try result.object(Int.self, forKey: "count") == 150)
    for name in ["a", "b", "c"] { #expect(try result.object(Int.self, forKey: name) == 50) }
  }

  @Test func aWriteKeepsTheLaterWritesOfAnotherStore() async throws {
    let (first, second) = (process(url), process(url))
    try await first.set(1, forKey: "a")
    try await second.set(2, forKey: "b")
    #expect(first.allKeys == ["a"], "a reader sees what its store read last")
    try await first.set(3, forKey: "c")
    #expect(first.allKeys == ["a", "b", "c"])
    try await second.refresh()
    #expect(second.allKeys == ["a", "b", "c"])
    try await second.removeObject(forKey: "a")
    try await first.set(4, forKey: "d")
    #expect(first.allKeys == ["b", "c", "d"])
    try await second.clear()
    try await first.set(5, forKey: "e")
    #expect(first.allKeys == ["e"])
  }

  @Test func clearedValuesDoNotReturnAfterAWriteOfUnknownDurability() async throws {
    let faults = FaultInjector()
    let store = GlobalData.faulty(at: url, faults)
    try await store.set("cleared", forKey: "a")
    faults.fail(.syncFolder, with: .inputOutput)
    let error = await expectError(GlobalDataError.self) { try await store.set("cleared", forKey: "b") }
    #expect(error?.code == .durabilityUnknown)
    try await process(url).clear()
    try await store.set(1, forKey: "c")
    #expect(store.allKeys == ["c"])
    #expect(process(url).allKeys == ["c"])
  }

  @Test func aWriteWaitsForTheLockAndGivesUpInTheEnd() async throws {
    let configuration = GlobalData.Configuration.with { $0.lockTimeout = .milliseconds(30) }
    let store = process(url, configuration)
    try await store.set(1, forKey: "a")
    let file = ArchiveFile(url: url)
    let lock = try #require(try file.lock(timeout: .zero, makingFolder: false, .powerLoss))
    let error = await expectError(GlobalDataError.self) { try await store.set(2, forKey: "a") }
    #expect(error?.code == .busy)
    #expect(error?.advice.contains("lockTimeout") == true)
    #expect(try store.object(Int.self, forKey: "a") == 1, "reading needs no lock")
    lock.release()
    try await store.set(3, forKey: "a")
    #expect(try store.object(Int.self, forKey: "a") == 3)
  }

  #if os(macOS) || os(Linux)  // no program starts another one elsewhere
  @Test func theLockIsFreeBetweenWritesAndNotInheritedByChildren() async throws {
    let store = process(url)
    try await store.set(1, forKey: "a")
    let file = ArchiveFile(url: url)
    let lock = try #require(try file.lock(timeout: .zero, makingFolder: false, .powerLoss))
    #expect(fcntl(lock.file.descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    // A child process that starts while the lock is held, and still runs after the lock is released.
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/bin/sleep")
    child.arguments = ["60"]
    // Otherwise `swift test`, which reads the output of its tests to the end, waits for the child, too.
    child.standardOutput = FileHandle.nullDevice
    child.standardError = FileHandle.nullDevice
    try child.run()
    // On Linux, the child has the signals blocked that are blocked on the thread that started it, and Dispatch blocks
    // almost all. So `terminate()` does not end it.
    defer { kill(child.processIdentifier, SIGKILL) }
    lock.release()
    try #require(try file.lock(timeout: .zero, makingFolder: false, .powerLoss)).release()
  }
  #endif

  /// A child process has all descriptors of its parent until it starts its program. A child that starts no program
  /// keeps them.
  @Test func aReleasedLockIsFreeEvenIfAChildHasItsDescriptor() async throws {
    let file = ArchiveFile(url: folder.file("store"))
    let lock = try #require(try file.lock(timeout: .zero, makingFolder: false, .powerLoss))
    let inherited = dup(lock.file.descriptor.rawValue)
    try #require(inherited >= 0)
    defer { close(inherited) }
    lock.release()
    try #require(try file.lock(timeout: .zero, makingFolder: false, .powerLoss)).release()
  }

  @Test func aLockOfARemovedFileExcludesNoOtherProcess() async throws {
    let file = ArchiveFile(url: url)
    let old = try #require(try file.lock(timeout: .zero, makingFolder: false, .powerLoss))
    try FileManager.default.removeItem(atPath: try FileLocation(following: url, POSIXSystemCalls()).lockPath)
    // The old lock is on a file without a name. Later writers lock the new file.
    let new = try #require(try file.lock(timeout: .zero, makingFolder: false, .powerLoss))
    #expect(throws: GlobalDataError.self) { try file.lock(timeout: .zero, makingFolder: false, .powerLoss) }
    old.release()
    #expect(throws: GlobalDataError.self) { try file.lock(timeout: .zero, makingFolder: false, .powerLoss) }
    new.release()
  }

  @Test(arguments: [ENOLCK, EOPNOTSUPP, ENOSYS])
  func withoutLocksWritingIsAnErrorIfTheFileIsShared(number: Int32) async throws {
    let system = FaultySystemCalls()
    system.fail(.flock, .error(number))
    let shared = GlobalData(at: url, system: system)
    let error = await expectError(GlobalDataError.self) { try await shared.set(1, forKey: "a") }
    #expect(error?.code == .writeFailed)
    #expect(error?.systemCall == "flock")
    #expect(error?.advice.contains("isShared") == true)
    let own = GlobalData(at: url, configuration: .with { $0.isShared = false }, system: system)
    try await own.set(1, forKey: "a")
    #expect(own.allKeys == ["a"])
  }

  @Test func nothingIsLeftWhereNothingWasWritten() async throws {
    let inner = folder.appendingPathComponent("inner")
    let store = process(inner.appendingPathComponent("store"))
    try await store.removeObject(forKey: "a")
    try await store.clear()
    #expect(!FileManager.default.fileExists(atPath: inner.path))
    let other = process(folder.appendingPathComponent("store"))
    try await other.removeObject(forKey: "a")
    try await other.clear()
    try await other.clear(keeping: ["a"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    try await other.set(1, forKey: "a")
    try await other.clear()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func aRestoredOlderCopyIsNoticedAndKept() async throws {
    let store = process(url)
    try await store.set("old", forKey: "a")
    let backup = try Data(contentsOf: url)
    try await store.set("new", forKey: "a")
    var diagnostics = store.diagnostics.makeAsyncIterator()
    try backup.write(to: url)
    try await store.refresh()
    #expect(try store.object(String.self, forKey: "a") == "old")
    #expect(await diagnostics.next()?.kind == .olderCopy)

    let other = process(folder.appendingPathComponent("other"))
    try await other.set("other", forKey: "a")
    try Data(contentsOf: folder.appendingPathComponent("other")).write(to: url)
    try await store.refresh()
    #expect(try store.object(String.self, forKey: "a") == "other")
    #expect(await diagnostics.next()?.kind == .otherStore)
  }

  @Test func storesAtAllNamesOfOneFileShareOneEngine() async throws {
    let first = GlobalData(at: url)
    try await first.set(1, forKey: "a")
    let hardLink = folder.appendingPathComponent("other name")
    try FileManager.default.linkItem(at: url, to: hardLink)
    let viaFolder = GlobalData(at: folder.appendingPathComponent("x/../store"))
    let viaHardLink = GlobalData(at: hardLink)
    #expect(viaHardLink.allKeys == ["a"])
    try await viaFolder.set(2, forKey: "b")
    #expect(viaHardLink.allKeys == ["a", "b"])
    #expect(first.allKeys == ["a", "b"])
  }

  @Test func storesThroughALinkToTheFolderShareOneEngineBeforeThereIsAFile() async throws {
    let real = folder.appendingPathComponent("real")
    try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
    try folder.file("link").makeLink(to: real.path)
    let direct = GlobalData(at: real.appendingPathComponent("store"))
    let linked = GlobalData(at: folder.appendingPathComponent("link/store"))
    #expect(direct.engine === linked.engine)
    let deeper = GlobalData(at: real.appendingPathComponent("a/b/store"))
    #expect(deeper.engine === GlobalData(at: folder.appendingPathComponent("link/a/b/store")).engine)
  }

  /// Clears through a link, in each way, of a file in each condition, whichever path was opened first. Without the file, the link would lead nowhere;
  /// without the link, its path and the file's would be two stores from then on.
  @Test(arguments: [["link"], ["link", "real"], ["real", "link"]], [false, true]) func aClearThroughALinkKeepsIt(
    names: [String], isDamaged: Bool
  ) async throws {
    let clears: [(GlobalData) async throws -> Void] = [
      { try await $0.clear() }, { try await $0.update { $0.clear() } },
    ]
    for clear in isDamaged ? [clears[0]] : clears {
      try await withTemporaryDirectory { (folder) async throws in
        let (real, link) = (folder.file("real"), folder.file("link"))
        try await process(real).set("secret", forKey: "a")
        if isDamaged { try Data(contentsOf: real).dropLast().write(to: real) }
        try link.makeLink(to: "real")
        let stores = names.map { GlobalData(at: folder.file($0)) }
        #expect(stores.allSatisfy { $0.engine === stores[0].engine })
        try await clear(try #require(stores.last))
        #expect(try link.linkDestination == "real")
        #expect(try Data(contentsOf: real).range(of: Data("secret".utf8)) == nil)
        #expect(try folder.names().filter { !$0.hasSuffix(".lock") } == ["link", "real"])
        for url in [real, link] { #expect(try process(url).texts() == [:]) }
        for (index, store) in stores.enumerated() { try await store.set("new", forKey: "\(index)") }
        for url in [real, link] { #expect(try process(url).entries().count == stores.count) }
        for store in stores { #expect(store.recoveryOnceOpen == nil) }
      }
    }
  }

  @Test func aFirstWriteThatFailsLeavesNoLock() async throws {
    let system = FaultySystemCalls()
    system.fail(.write, .error(ENOSPC))
    let store = GlobalData(at: folder.appendingPathComponent("store"), system: system)
    await #expect(throws: GlobalDataError.self) { try await store.set(1, forKey: "a") }
    let inPlaceOfAFolder = folder.appendingPathComponent("folder")
    try FileManager.default.createDirectory(at: inPlaceOfAFolder, withIntermediateDirectories: false)
    await #expect(throws: GlobalDataError.self) { try await process(inPlaceOfAFolder).set(1, forKey: "a") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["folder"])
  }

  @Test func noCallLeavesALockNextToSomethingThatIsNoFile() async throws {
    let (url, backup) = (folder.file("folder"), folder.file("backup"))
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    let memory = GlobalData.inMemory()
    try await memory.set(1, forKey: "a")
    try await memory.backup(to: backup)
    let snapshot = try memory.snapshot()
    let calls: [(GlobalData) async throws -> Void] = [
      { try await $0.set(1, forKey: "a") }, { try await $0.removeObject(forKey: "a") }, { try await $0.clear() },
      { try await $0.update { $0.removeObject(forKey: "a") } }, { _ = try await $0.recover() },
      { try await $0.restore(from: backup) }, { try await $0.restore(snapshot) },
    ]
    for call in calls {
      await #expect(throws: GlobalDataError.self) { try await call(process(url)) }
      #expect(try folder.names() == ["backup", "folder"])
    }
  }

  @Test func recoveringAMissingFileLeavesNothing() async throws {
    #expect(try await process(folder.appendingPathComponent("store")).recover() == nil)
    #expect(try folder.names().isEmpty)
  }

  /// If there is no file, there is nothing to remove and no lock to take, until another process creates a file, and
  /// perhaps its folder.
  @Test(arguments: ["store", "new/store"], [false, true]) func aRemovalHoldsTheLockEvenForANewFile(
    path: String, isUpdate: Bool
  ) async throws {
    let brief = GlobalData.Configuration.with { $0.lockTimeout = .milliseconds(10) }
    var renames = 0
    for operation in [StorageOperation.status, .open] {
      for index in 0..<10 {
        renames += try await withTemporaryDirectory { folder in
          let url = folder.file(path)
          let faults = FaultInjector()
          let store = GlobalData.faulty(at: url, faults)
          do {
            try await faults.stop(at: operation, after: index) {
              if isUpdate {
                try await store.update { $0.removeObject(forKey: "a") }
              } else {
                try await store.removeObject(forKey: "a")
              }
            } while: { [brief] in
              try await process(url, brief).update { data in
                try data.set(1, forKey: "a")
                try data.set(2, forKey: "b")
              }
            }
          } catch is FaultInjector.NotReached {
            // The removal had ended.
          } catch let error as GlobalDataError where error.code == .busy {
            // The removal holds the lock.
          }
          let calls = faults.calls.map(\.operation)
          guard let rename = calls.firstIndex(of: .rename) else { return 0 }
          #expect(calls[..<rename].contains(.lock), "\(operation) \(index)")
          return 1
        }
      }
    }
    #expect(renames > 0, "no removal has found the new file")
  }

  @Test func aRecoveryDoesNotReportItsOwnLink() async throws {
    let store = process(url)
    try await store.set("value", forKey: "a")
    try await store.close()
    try Data(contentsOf: url).dropLast().write(to: url)
    var diagnostics = store.diagnostics.makeAsyncIterator()
    try await store.set("other", forKey: "b")
    #expect(await diagnostics.next()?.kind == .recovered)
    try FileManager.default.linkItem(at: url, to: folder.appendingPathComponent("link"))
    try await store.set("more", forKey: "c")
    let next = await diagnostics.next()
    #expect(next?.kind == .concession)
    #expect(next?.message.contains("hard link") == true)
    #expect(store.recoveryOnceOpen?.setAsideURL != nil)
  }
}
