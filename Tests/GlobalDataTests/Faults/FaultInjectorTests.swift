import Foundation
import GlobalData
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

/// The testing product, used like in an app's tests: through its public interface only.
@Suite struct FaultInjectorTests {
  @TemporaryFolder private var folder
  private let faults = FaultInjector()
  private let url: URL
  private let store: GlobalData

  init() async throws {
    url = _folder.wrappedValue.appendingPathComponent("store.archive")
    store = .faulty(at: url, faults)
    try await store.set("old", forKey: "a")
  }

  @Test func theNextCallFailsAndTheOneAfterItDoesNot() async throws {
    faults.fail(.write, with: .noSpace)
    let error = await expectError(GlobalDataError.self) { try await store.set("new", forKey: "a") }
    #expect(error?.code == .writeFailed)
    #expect(error?.systemCall == "write")
    #expect(error?.errorNumber == StorageFailure.noSpace.errorNumber)
    #expect(faults.faultCount == 1)
    try await store.set("newer", forKey: "a")
    #expect(try store.object(String.self, forKey: "a") == "newer")
  }

  @Test func callsProceedBeforeAndAfterTheFault() async throws {
    faults.fail(.sync, after: 1, times: 2, with: .inputOutput)
    var outcomes: [Bool] = []
    for number in 0..<4 {
      do {
        try await store.set(number, forKey: "b")
        outcomes.append(true)
      } catch let error as GlobalDataError {
        #expect(error.systemCall == "fsync")
        outcomes.append(false)
      }
    }
    #expect(outcomes == [true, false, false, true])
  }

  @Test func anyChosenCallFails() async throws {
    faults.reset()
    try await store.set("new", forKey: "a")
    let rename = try #require(faults.calls.firstIndex { $0.operation == .rename })
    faults.reset()
    faults.failCall(rename, with: .inputOutput)
    let error = await expectError(GlobalDataError.self) { try await store.set("newer", forKey: "a") }
    #expect(error?.systemCall == "renameat")
    #expect(faults.calls.filter(\.isFaulty).map(\.operation) == [.rename])
  }

  @Test func shortenedWritesAreContinued() async throws {
    faults.reset()
    faults.shorten(.write, to: 7)
    try await store.set(String(repeating: "x", count: 500), forKey: "a")
    #expect(faults.calls.count { $0.operation == .write } > 70)
    #expect(try GlobalData.faulty(at: url, FaultInjector()).object(String.self, forKey: "a")?.count == 500)
  }

  @Test func onlyReadsAndWritesAreShortened() async throws {
    for operation in StorageOperation.all where operation != .read && operation != .write {
      faults.shorten(operation, to: 0)
    }
    try await store.set("new", forKey: "a")
    #expect(faults.faultCount == 0 && !faults.calls.contains(where: \.isFaulty))
  }

  @Test func aWriteOfZeroBytesFails() async throws {
    faults.shorten(.write, to: 0)
    await #expect(throws: GlobalDataError.self) { try await store.set("new", forKey: "a") }
    #expect(try store.object(String.self, forKey: "a") == "old")
  }

  @Test func oneWriteSyncsItsFileAndItsFolderOnce() async throws {
    faults.reset()
    try await store.set("new", forKey: "a")
    let steps: [StorageOperation] = [.create, .write, .sync, .rename, .syncFolder]
    let replacing = faults.calls.filter { steps.contains($0.operation) && !$0.name.hasSuffix(".lock") }
    #expect(replacing.map(\.operation) == steps)
    #expect(replacing.first { $0.operation == .rename }?.name == url.lastPathComponent)
    #expect(replacing.first { $0.operation == .write }?.byteCount ?? 0 > 50)
    #expect(faults.openFileCount == 0)
  }

  @Test func everyCallHasAnOperation() async throws {
    try await store.clear()
    #expect(faults.calls.count == faults.system.records.count)
    for operation in StorageOperation.all { #expect(!operation.description.isEmpty) }
  }

  // MARK: Pausing calls

  @Test func readersSeeTheEarlierValueWhileAWriteIsPaused() async throws {
    for operation in [StorageOperation.create, .write, .sync, .rename, .syncFolder] {
      try await store.set("old", forKey: "a")
      try await faults.stop(at: operation) {
        try await store.set("new", forKey: "a")
      } while: { () async throws in
        #expect(try store.object(String.self, forKey: "a") == "old", "\(operation)")
        let file = try GlobalData.faulty(at: url, FaultInjector()).object(String.self, forKey: "a")
        #expect(file == (operation == .syncFolder ? "new" : "old"), "\(operation)")
      }
      #expect(try store.object(String.self, forKey: "a") == "new")
    }
  }

  @Test func aPauseInThreeStepsDoesTheSame() async throws {
    faults.pause(.sync)
    async let write: Void = store.set("new", forKey: "a")
    try await faults.reached(.sync)
    #expect(try store.object(String.self, forKey: "a") == "old")
    faults.resume()
    try await write
    #expect(try store.object(String.self, forKey: "a") == "new")
  }

  @Test func aForgottenPauseTimesOut() async throws {
    faults.pause(.write, atMost: .milliseconds(1))
    try await store.set("new", forKey: "a")
    #expect(faults.faultCount == 1)
  }

  @Test func aPauseEndsWithItsInjector() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      var faults: FaultInjector? = FaultInjector()
      let store = GlobalData.faulty(at: folder.appendingPathComponent("store.archive"), try #require(faults))
      try store.openNow()
      let (limit, start) = (Duration.seconds(600), ContinuousClock.now)
      faults?.pause(.write, atMost: limit)
      let write = Task { try await store.set("new", forKey: "a") }
      try await faults?.reached(.write)
      faults = nil
      try await write.value
      #expect(ContinuousClock.now - start < limit, "it did not time out")
    }
  }

  @Test func waitingForACallThatIsNotMadeThrows() async throws {
    await #expect(throws: FaultInjector.NotReached.self) { try await faults.reached(.link) }
    faults.pause(.link, atMost: .milliseconds(1))
    await #expect(throws: FaultInjector.NotReached.self) { try await faults.reached(.link) }
    await #expect(throws: FaultInjector.NotReached.self) {
      try await faults.stop(at: .link) {
        try await store.set("new", forKey: "a")
      } while: {
        Issue.record("the body was called")
      }
    }
    #expect(try store.object(String.self, forKey: "a") == "new")
  }

  @Test func anOperationThatFailsBeforeTheCallThrowsItsOwnError() async throws {
    faults.fail(.write, with: .noSpace)
    let error = await expectError(GlobalDataError.self) {
      try await faults.stop(at: .rename) {
        try await store.set("new", forKey: "a")
      } while: {
        Issue.record("the body was called")
      }
    }
    #expect(error?.systemCall == "write")
  }

  @Test func aThrowingBodyResumesThePausedCall() async throws {
    struct Stopped: Error {}
    await #expect(throws: Stopped.self) {
      try await faults.stop(at: .rename) {
        try await store.set("new", forKey: "a")
      } while: {
        throw Stopped()
      }
    }
    #expect(try store.object(String.self, forKey: "a") == "new")
  }

  // MARK: Group commit

  /// A failed commit fails the writers that share it, and neither the one before nor the one after it.
  @Test func aFailedCommitFailsOnlyTheWritersThatShareIt() async throws {
    let failures = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
      faults.pause(.rename)
      group.addTask { (0, await store.fails(to: 0)) }
      try await faults.reached(.rename)
      // These wait for the paused commit, and share the next one, whose write fails.
      faults.fail(.write, with: .noSpace)
      for number in 1...8 { group.addTask { (number, await store.fails(to: number)) } }
      faults.resume()
      return try await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
    }
    #expect(failures[0] == false)
    #expect(failures.values.contains(true))
    let file = GlobalData.faulty(at: url, FaultInjector())
    for (number, hasFailed) in failures {
      #expect(store.contains("\(number)") == !hasFailed)
      #expect(file.contains("\(number)") == !hasFailed)
    }
    try await store.set(9, forKey: "9")
    #expect(try GlobalData.faulty(at: url, FaultInjector()).object(Int.self, forKey: "9") == 9)
  }
}

extension GlobalData {
  /// Sets a value under its own text, and returns whether that failed.
  fileprivate nonisolated func fails(to number: Int) async -> Bool {
    do {
      try await set(number, forKey: "\(number)")
      return false
    } catch {
      return true
    }
  }
}
