import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// A system that suspends processes, and then ends those that hold a lock in a shared container. Locks are only held
/// within an activity, and a write that is not granted one does not begin.
@Suite(.timeLimit(.minutes(20))) struct SuspensionTests {
  enum Kind: CaseIterable {
    case rewriting, appending, appendingWithoutSync

    var configuration: GlobalData.Configuration {
      var configuration = GlobalData.Configuration()
      configuration.persistence = self == .rewriting ? .rewriting : .appending
      configuration.durability = self == .appendingWithoutSync ? .processCrash : .powerLoss
      configuration.lockTimeout = .seconds(20)
      return configuration
    }
  }

  /// Grants activities, or refuses them.
  private final class Activities: Sendable {
    private struct State {
      var begun: [ExpiringActivity] = []
      var isRefusing = false
    }

    private let state = Locked(State())

    var begun: [ExpiringActivity] { state.withLock { $0.begun } }
    var areAllEnded: Bool { begun.allSatisfy(\.isEnded) }

    /// Whether a lock may be taken or held now.
    var isOneGoingOn: Bool { begun.last.map { !$0.isEnded } ?? false }

    func refuse(_ refuses: Bool = true) {
      state.withLock { $0.isRefusing = refuses }
    }

    /// Announces that the system will suspend the process soon.
    func expire(refusingMore: Bool) {
      refuse(refusingMore)
      begun.last?.expire()
    }

    func begin() -> ExpiringActivity {
      let activity = ExpiringActivity()
      state.withLock { state in
        if state.isRefusing { activity.expire() }
        state.begun.append(activity)
      }
      return activity
    }
  }

  /// Calls a function with the path of a store in a folder like that of an app group, and its activities.
  private func withSharedContainer(
    _ body: (URL, FaultySystemCalls, Activities) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let container = folder.appending(path: "Containers/Shared/AppGroup/9F1C", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: container, withIntermediateDirectories: true)
      let activities = Activities()
      try await body(container.file("store"), FaultySystemCalls(), activities)
      #expect(activities.areAllEnded)
    }
  }

  private func store(
    at url: URL, _ kind: Kind, _ system: FaultySystemCalls, _ activities: Activities
  ) -> GlobalData {
    GlobalData(
      at: url, configuration: kind.configuration, system: system, activitySource: { _ in activities.begin() })
  }

  @Test(arguments: Kind.allCases) func theLockIsHeldWithinAnActivityOnly(kind: Kind) async throws {
    try await withSharedContainer { url, system, activities in
      let locking = Locked((within: 0, outside: 0))
      system.fail(
        .interlude {
          let isOneGoingOn = activities.isOneGoingOn
          locking.withLock { if isOneGoingOn { $0.within += 1 } else { $0.outside += 1 } }
        }, where: { [.flock, .unlock].contains($0.call) })
      let store = store(at: url, kind, system, activities)
      for number in 0..<5 {
        try await store.set(number, forKey: "number")
        #expect(activities.areAllEnded)
      }
      try await store.update { data in try data.set(6, forKey: "number") }
      try await store.removeObject(forKey: "number")
      try await store.clear()
      let (within, outside) = locking.withLock { $0 }
      #expect(within >= 16)
      #expect(outside == 0)
    }
  }

  @Test(arguments: Kind.allCases) func aWriteWithoutAnActivityDoesNotBegin(kind: Kind) async throws {
    try await withSharedContainer { url, system, activities in
      let store = store(at: url, kind, system, activities)
      try await store.set("old", forKey: "a")
      activities.refuse()
      system.recover()
      let error = await expectError(GlobalDataError.self) { try await store.set("new", forKey: "a") }
      #expect(error?.code == .busy)
      #expect(error?.message.contains("suspend") == true)
      #expect(!system.records.contains { $0.call == .flock })
      #expect(try store.object(String.self, forKey: "a") == "old")
      activities.refuse(false)
      try await store.set("newer", forKey: "a")
      #expect(try GlobalData(at: url).object(String.self, forKey: "a") == "newer")
    }
  }

  @Test(arguments: Kind.allCases) func aWriterDoesNotWaitForALockBeyondItsActivity(kind: Kind) async throws {
    try await withSharedContainer { url, system, activities in
      let store = store(at: url, kind, system, activities)
      try await store.set("old", forKey: "a")
      let folder = url.deletingLastPathComponent()
      let name = try #require(try folder.names().first { $0.hasSuffix(".lock") })
      let other = open(folder.file(name).path, O_RDWR)
      defer { close(other) }
      try #require(flock(other, LOCK_EX) == 0)
      system.recover()
      system.fail(.interlude { activities.expire(refusingMore: true) }, skipping: 3, times: 1) { $0.call == .flock }
      let error = await expectError(GlobalDataError.self) { try await store.set("new", forKey: "a") }
      #expect(error?.code == .busy)
      #expect(error?.message.contains("suspend") == true)
      #expect(system.faults == 1)
      let attempts = system.count(of: .flock)
      #expect(attempts == 4, "it was asked for again after that")
      #expect(try store.object(String.self, forKey: "a") == "old")
    }
  }

  /// At each call of a write in turn, the system ends the activity. The write is complete, or has not happened, and no
  /// lock is kept.
  @Test(arguments: Kind.allCases, [true, false])
  func anExpiredActivityLeavesTheOldStateOrTheNew(kind: Kind, refusesMore: Bool) async throws {
    var failures = 0
    var call = 0
    var isOver = false
    while !isOver {
      try await withSharedContainer { url, system, activities in
        let store = store(at: url, kind, system, activities)
        try await store.set("old", forKey: "a")
        system.recover()
        system.failCall(number: call + 1, .interlude { activities.expire(refusingMore: refusesMore) })
        let isWritten: Bool
        do {
          try await store.set("new", forKey: "a")
          isWritten = true
        } catch let error as GlobalDataError {
          #expect(error.code == .busy)
          isWritten = false
        }
        isOver = system.faults == 0
        if !isWritten { failures += 1 }
        #expect(activities.areAllEnded)
        #expect(try store.object(String.self, forKey: "a") == (isWritten ? "new" : "old"))
        #expect(try GlobalData(at: url).object(String.self, forKey: "a") == (isWritten ? "new" : "old"))
        #expect(try !url.deletingLastPathComponent().names().contains { $0.hasSuffix(".tmp") })
        try await store.close()
        #expect(system.openDescriptors == 0)
      }
      call += 1
    }
    #expect(call > 8)
    // If the system grants another activity, the write begins again within it.
    #expect(refusesMore ? failures > 3 : failures == 0)
  }

  @Test func aGrownFileIsRewrittenWithinAnActivityOrLater() async throws {
    try await withSharedContainer { url, system, activities in
      let store = store(at: url, .appending, system, activities)
      let outside = Locked(0)
      system.fail(
        .interlude { if !activities.isOneGoingOn { outside.withLock { $0 += 1 } } },
        where: { [.flock, .unlock, .renameat].contains($0.call) })
      for number in 0..<40 { try await store.set(Array(repeating: UInt8(number), count: 8000), forKey: "bytes") }
      try await store.close()
      #expect(system.records.count { $0.call == .renameat } > 1)
      #expect(outside.withLock { $0 } == 0)
    }
  }

  @Test func aStoreInAContainerOfOneAppNeedsNoActivity() async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let activities = Activities()
      activities.refuse()
      let store = store(at: folder.file("store"), .rewriting, FaultySystemCalls(), activities)
      try await store.set("value", forKey: "a")
      #expect(activities.begun.isEmpty)
    }
  }

  /// A store that is not shared, and a backup, lock only their temporary files, and those of dead writers.
  @Test func temporaryFilesAreLockedWithinAnActivityOnly() async throws {
    try await withSharedContainer { url, system, activities in
      try await store(at: url, .rewriting, FaultySystemCalls(), activities).set("old", forKey: "a")
      let leftover = url.deletingLastPathComponent().appending(path: ".as-0123456789abcdef.tmp")
      try Data("left over".utf8).write(to: leftover)
      let locking = Locked((within: 0, outside: 0))
      system.fail(
        .interlude {
          let isOneGoingOn = activities.isOneGoingOn
          locking.withLock { if isOneGoingOn { $0.within += 1 } else { $0.outside += 1 } }
        }, where: { [.flock, .unlock].contains($0.call) })
      let configuration = GlobalData.Configuration.with { $0.isShared = false }
      let store = GlobalData(
        at: url, configuration: configuration, system: system, activitySource: { _ in activities.begin() })
      #expect(try store.object(String.self, forKey: "a") == "old")
      #expect(!FileManager.default.fileExists(atPath: leftover.path))
      #expect(locking.withLock { $0.within } > 0)
      locking.withLock { $0.within = 0 }
      try await store.set("value", forKey: "a")
      #expect(locking.withLock { $0.within } > 0)
      locking.withLock { $0.within = 0 }
      try await store.backup(to: url.deletingLastPathComponent().appending(path: "backup"))
      let (within, outside) = locking.withLock { $0 }
      #expect(within > 0 && outside == 0)

      activities.refuse()
      let error = await expectError(GlobalDataError.self) { try await store.set("new", forKey: "a") }
      #expect(error?.code == .busy)
      try Data("left over".utf8).write(to: leftover)
      let unclear = await expectError(GlobalDataError.self) { try await store.clear() }
      #expect(unclear?.code == .busy)
      #expect(try store.object(String.self, forKey: "a") == "value")
      #expect(FileManager.default.fileExists(atPath: url.path))
    }
  }

  @Test func expiryResumesTheWaitersOfAnActivity() async throws {
    let activity = ExpiringActivity()
    async let waiting: Void = withCheckedContinuation { continuation in
      Thread.detachNewThread {
        activity.waitForEnd()
        continuation.resume()
      }
    }
    #expect(!activity.isEnded)
    activity.expire()
    #expect(activity.isExpired && !activity.isEnded)
    activity.end()
    activity.end()
    await waiting
    activity.waitForEnd()
    #expect(activity.isEnded)
  }
}
