import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// A file that is appended to is rewritten after the commit that uses most of its room, so that no caller waits for the
/// rewrite.
@Suite struct CompactionTests {
  @TemporaryFolder private var folder
  private var url: URL { folder.file("store") }
  private let system = FaultySystemCalls()

  private static func configuration(_ durability: Durability) -> GlobalData.Configuration {
    var configuration = GlobalData.Configuration()
    configuration.persistence = .appending
    configuration.durability = durability
    return configuration
  }

  private static func value(_ number: Int) -> String { String(repeating: "\(number % 10)", count: 1000) }

  /// A store whose next write makes a compaction due, and the number of that write.
  private func storeBeforeCompaction(
    _ url: URL, _ durability: Durability, _ system: FaultySystemCalls = FaultySystemCalls()
  ) async throws -> (store: GlobalData, next: Int) {
    let store = GlobalData(at: url, configuration: Self.configuration(durability), system: system)
    try await store.set("kept", forKey: "b")
    var number = 0
    while true {
      try await store.set(Self.value(number), forKey: "a")
      number += 1
      let contents = try #require(store.engine.memory.knownContents)
      let end = try #require(contents.appendPoint).offset + 1100
      if AppendPolicy.isCompactionDue(end: end, liveBytes: contents.entries.byteCount) { break }
    }
    try await store.refresh()
    #expect(system.count(of: .renameat) == 1, "the first write makes the file")
    system.recover()
    return (store, number)
  }

  /// A store that has made this write, and is paused before its compaction takes the lock.
  private func storeBeforeItsCompactionLocks(
    _ url: URL, _ durability: Durability
  ) async throws -> (store: GlobalData, next: Int, pause: CallPause) {
    let system = FaultySystemCalls()
    let (store, next) = try await storeBeforeCompaction(url, durability, system)
    let pause = CallPause()
    // The append has already taken the lock.
    system.fail(.pause(pause), skipping: 1, times: 1) { $0.call == .flock && $0.name.hasSuffix(".lock") }
    try await store.set(Self.value(next), forKey: "a")
    #expect(await pause.reached())
    return (store, next, pause)
  }

  @Test(arguments: Durability.allCases)
  func theCallerDoesNotWaitForTheFileToBeRewritten(durability: Durability) async throws {
    let (store, next) = try await storeBeforeCompaction(url, durability, system)
    let pause = CallPause()
    system.fail(.create, .pause(pause))
    try await store.set(Self.value(next), forKey: "a")
    // The caller has returned, and its value is in the file.
    #expect(await pause.reached())
    #expect(system.count(of: .renameat) == 0)
    #expect(try store.texts() == ["a": Self.value(next), "b": "kept"])
    #expect(try Self.readAnew(url) == ["a": Self.value(next), "b": "kept"])
    // Later calls return after the compaction.
    async let later: Void = store.set("later", forKey: "c")
    pause.end()
    try await later
    try await store.refresh()
    #expect(system.count(of: .renameat) == 1)
    #expect(try #require(store.engine.memory.knownContents?.appendPoint).offset < 2000)
    #expect(try Self.readAnew(url) == ["a": Self.value(next), "b": "kept", "c": "later"])
    #expect(try GlobalData.check(fileAt: url).isIntact)
    try await store.close()
    #expect(system.openDescriptors == 0 && system.strayCloses == 0)
  }

  private static let numbers: [Int32] = [EIO, ENOSPC, EACCES, EINTR]

  /// In the short run, every call fails with one of the errors.
  @Test(arguments: Durability.allCases, numbers.indices)
  func aFailureOfAnyCallLosesNothing(durability: Durability, index: Int) async throws {
    let number = Self.numbers[index]
    let callCount = try await withTemporaryDirectory { folder in
      let system = FaultySystemCalls()
      let (store, next) = try await storeBeforeCompaction(folder.file("store"), durability, system)
      try await store.set(Self.value(next), forKey: "a")
      try await store.refresh()
      #expect(system.count(of: .renameat) == 1)
      return system.records.count
    }
    for call in (1...callCount).oneIn(Self.numbers.count, from: index) {
      try await withTemporaryDirectory { folder in
        let url = folder.file("store")
        let system = FaultySystemCalls()
        let (store, next) = try await storeBeforeCompaction(url, durability, system)
        system.failCall(number: call, .error(number))
        var expected = ["a": Self.value(next - 1), "b": "kept"]
        do {
          try await store.set(Self.value(next), forKey: "a")
          expected["a"] = Self.value(next)
        } catch let error as GlobalDataError where error.code == .durabilityUnknown {
          expected["a"] = Self.value(next)
        } catch {}  // The append itself failed.
        do { try await store.refresh() } catch {}  // The compaction is over, with any result.
        let fault = "\(durability), call \(call) of \(callCount): errno \(number); \(system.records)"
        system.recover()
        #expect(try store.texts() == expected, "memory, \(fault)")
        #expect(try Self.readAnew(url) == expected, "file, \(fault)")
        try await store.set("next", forKey: "c")
        expected["c"] = "next"
        try await store.refresh()
        #expect(try Self.readAnew(url) == expected, "next write, \(fault)")
        try await store.close()
        #expect(system.openDescriptors == 0 && system.strayCloses == 0, "\(fault)")
      }
    }
  }

  @Test func aFailedCompactionIsReportedOnceAndLeftToTheCommitThatRequiresIt() async throws {
    let (store, next) = try await storeBeforeCompaction(url, .ordered, system)
    var diagnostics = store.diagnostics.makeAsyncIterator()
    system.fail(.create, .error(ENOSPC))
    try await store.set(Self.value(next), forKey: "a")
    let diagnostic = try #require(await diagnostics.next())
    #expect(diagnostic.kind == .compactionFailed)
    #expect(diagnostic.error?.errorNumber == ENOSPC)
    var last = next
    do {
      while last < next + 100 {
        #expect(system.count(of: .create) == 1, "it is not tried again for each write")
        try await store.set(Self.value(last + 1), forKey: "a")
        last += 1
      }
      Issue.record("The file grows without end.")
    } catch let error as GlobalDataError {
      #expect(error.errorNumber == ENOSPC)
    }
    #expect(last > next)
    #expect(try store.texts() == ["a": Self.value(last), "b": "kept"])
    #expect(try Self.readAnew(url) == ["a": Self.value(last), "b": "kept"])
    system.recover()
    try await store.set("again", forKey: "a")
    #expect(try Data(contentsOf: url).count < 2 * AppendPolicy.roomLength)
    #expect(try Self.readAnew(url) == ["a": "again", "b": "kept"])
  }

  @Test func aFailedCompactionIsTriedAgainAfterReopening() async throws {
    let (store, next) = try await storeBeforeCompaction(url, .processCrash, system)
    system.fail(.create, .error(ENOSPC))
    try await store.set(Self.value(next), forKey: "a")
    try await store.close()
    #expect(system.faults == 1)
    system.recover()
    try await store.set(Self.value(next + 1), forKey: "a")
    try await store.refresh()
    #expect(system.count(of: .renameat) == 1)
    #expect(try Self.readAnew(url) == ["a": Self.value(next + 1), "b": "kept"])
  }

  @Test func aCompactionDoesNotWaitForTheLock() async throws {
    let (store, next) = try await storeBeforeCompaction(url, .powerLoss, system)
    // The append has already taken it.
    system.fail(.error(EWOULDBLOCK), skipping: 1, times: 1) { $0.call == .flock && $0.name.hasSuffix(".lock") }
    try await store.set(Self.value(next), forKey: "a")
    try await store.refresh()
    #expect(system.faults == 1)
    #expect(system.count(of: .create) == 0)
    try await store.set(Self.value(next + 1), forKey: "a")
    try await store.refresh()
    #expect(system.count(of: .renameat) == 1, "the next commit asks again")
    #expect(try Self.readAnew(url) == ["a": Self.value(next + 1), "b": "kept"])
  }

  @Test func anotherProcessMayHaveWrittenMeanwhile() async throws {
    let (store, next, pause) = try await storeBeforeItsCompactionLocks(url, .processCrash)
    let other = GlobalData(at: url, configuration: Self.configuration(.processCrash), system: POSIXSystemCalls())
    try await other.set("other", forKey: "c")
    pause.end()
    try await store.refresh()
    #expect(try store.texts() == ["a": Self.value(next), "b": "kept", "c": "other"])
    #expect(try Self.readAnew(url) == ["a": Self.value(next), "b": "kept", "c": "other"])
    try await other.close()
  }

  /// The old file and the new one have the same contents, until a store writes to the new one.
  @Test func anAppendSyncsTheNameOfAFoundFile() async throws {
    let (store, next) = try await storeBeforeCompaction(url, .powerLoss, system)
    system.fail(.fsync, nth: 1, onFolder: true, .error(EIO))
    try await store.set(Self.value(next), forKey: "a")
    try await store.refresh()
    #expect(system.count(of: .renameat) == 1 && system.faults == 1)
    system.recover()
    try await store.set("later", forKey: "c")
    #expect(system.count(of: .pwrite) == 1)
    #expect(system.count(of: .fsync, onFolder: true) == 1)
    system.recover()
    try await store.set("later still", forKey: "c")
    #expect(system.count(of: .fsync, onFolder: true) == 0, "once is enough")
    #expect(try Self.readAnew(url) == ["a": Self.value(next), "b": "kept", "c": "later still"])
  }

  /// A compaction would leave nothing of a damaged change. A write sets the file aside first.
  @Test func aDamagedFileIsNotCompacted() async throws {
    let (store, _, pause) = try await storeBeforeItsCompactionLocks(url, .processCrash)
    let end = try #require(store.engine.memory.knownContents?.appendPoint).offset
    var bytes = try Data(contentsOf: url)
    bytes[end - ArchiveChange.end.count - 1] ^= 0xff  // the last byte of the checksum
    try bytes.write(to: url)
    pause.end()
    try await store.refresh()
    #expect(store.state == .damaged)
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test func aStoreThatAnotherProcessClearedLeavesNoTrace() async throws {
    let (store, _, pause) = try await storeBeforeItsCompactionLocks(url, .ordered)
    try await GlobalData(at: url, system: POSIXSystemCalls()).clear()
    pause.end()
    try await store.refresh()
    #expect(try folder.names() == [])
    #expect(store.allKeys == [])
  }

  @Test func closingEndsACompactionOrPrecedesIt() async throws {
    for round in 0..<10 {
      let url = folder.file("store \(round)")
      let system = FaultySystemCalls()
      let (store, next) = try await storeBeforeCompaction(url, .ordered, system)
      try await store.set(Self.value(next), forKey: "a")
      try await store.close()
      #expect(system.openDescriptors == 0)
      let calls = system.records.count
      // This runs after everything that waits on the store's thread.
      try await store.close()
      #expect(system.records.count == calls)
      #expect(try Self.readAnew(url) == ["a": Self.value(next), "b": "kept"])
    }
  }

  /// The contents that a store in another process finds.
  private static func readAnew(_ url: URL) throws -> [String: String] {
    try GlobalData(at: url, system: POSIXSystemCalls()).texts()
  }
}
