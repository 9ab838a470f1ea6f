import Foundation
import GlobalDataTesting
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

/// A program removes, replaces or occupies the lock file. No change is lost, and no process waits forever.
@Suite(.timeLimit(.minutes(20))) struct LostLockTests {
  @TemporaryFolder private var folder

  enum Kind: CaseIterable {
    case rewriting, rewritingWithSync, appending, appendingWithSync

    var configuration: GlobalData.Configuration {
      var configuration = GlobalData.Configuration()
      configuration.persistence = self == .rewriting || self == .rewritingWithSync ? .rewriting : .appending
      configuration.durability =
        self == .rewritingWithSync || self == .appendingWithSync ? .powerLoss : .processCrash
      return configuration
    }
  }

  private enum Operation: CaseIterable {
    case set, update, removal, clearOthers

    func perform(on store: GlobalData) async throws {
      switch self {
      case .set: try await store.set("new", forKey: "a")
      case .update: try await store.update { data in try data.set("new", forKey: "a") }
      case .removal: try await store.removeObject(forKey: "a")
      case .clearOthers: try await store.clear(keeping: ["b", "c", "d"])
      }
    }

    var value: String? { self == .set || self == .update ? "new" : nil }
  }

  /// Before each call of a write in turn, a cleaner removes the lock file, and another process writes under a lock of
  /// its own.
  @Test(arguments: Array(Kind.allCases.enumerated()))
  func theChangeOfAnotherProcessIsNotLost(index: Int, kind: Kind) async throws {
    for operation in Operation.allCases.oneIn(4, from: index) {
      var call = 0
      var isOver = false
      while !isOver {
        try await withTemporaryDirectory { (folder) async throws in
          let url = folder.file("store")
          let system = FaultySystemCalls()
          let store = GlobalData(at: url, configuration: kind.configuration, system: system)
          try await store.set("old", forKey: "a")
          try await store.set("kept", forKey: "b")
          system.recover()
          system.failCall(
            number: call + 1,
            .interlude { loseLock(in: folder, of: url, kind.configuration) })
          try await operation.perform(on: store)
          isOver = system.faults == 0
          call += 1
          let last = system.records.first { $0.isFaulty }
          system.recover()
          // Nothing can be done between the last check of the lock and the write.
          if let last, [.renameat, .pwrite].contains(last.call) { return }
          try await store.set("later", forKey: "d")
          var expected = ["b": "kept", "d": "later"]
          expected["a"] = operation.value
          if !isOver { expected["c"] = "other" }
          let isKept = try store.texts() == expected
          #expect(isKept, "\(operation), call \(call), \(String(describing: last))")
          let isStored = try GlobalData(at: url, system: POSIXSystemCalls()).texts() == expected
          #expect(isStored, "\(operation), call \(call), \(String(describing: last))")
          try await store.close()
          #expect(system.openDescriptors == 0 && system.strayCloses == 0)
        }
      }
      #expect(call > 5)
    }
  }

  /// While the changes that were found are synced, which may take long.
  @Test func aChangeThatWasWrittenDuringASyncIsNotOverwritten() async throws {
    let url = folder.file("store")
    for number in 0..<2 { try OtherWriter.set("\(number)", forKey: "b", at: url, Kind.appending.configuration) }
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: Kind.appendingWithSync.configuration, system: system)
    try store.openNow()
    let loss = FaultySystemCalls.Fault.interlude { loseLock(in: folder, of: url, Kind.appending.configuration) }
    system.fail(loss, times: 1) { $0.call == .fsync && $0.name == "store" }
    try await store.set("new", forKey: "a")
    #expect(system.faults == 1)
    #expect(try store.texts() == ["a": "new", "b": "1", "c": "other"])
    #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == ["a": "new", "b": "1", "c": "other"])
  }

  /// Another process replaces the file, and this one gets the lock of the earlier file. On some file systems (NFS, FUSE)
  /// the earlier file still has a link.
  @Test(arguments: [false, true]) func aReplacedFileIsNotAppendedTo(hasLink: Bool) async throws {
    let url = folder.file("store")
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: Kind.appending.configuration, system: system)
    for number in 0..<2 { try await store.set("\(number)", forKey: "b") }
    let loss = FaultySystemCalls.Fault.interlude {
      #expect(!hasLink || link(url.path, folder.file("hidden").path) == 0)
      loseLock(in: folder, of: url, Kind.rewriting.configuration)
    }
    system.fail(loss, times: 1) { $0.call == .flock && $0.name == "store" }
    try await store.set("new", forKey: "a")
    #expect(system.faults == 1)
    #expect(try store.texts() == ["a": "new", "b": "1", "c": "other"])
    #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == ["a": "new", "b": "1", "c": "other"])
  }

  /// At the last moment, when nothing is checked any more: the file does not exist yet, or was cleared.
  @Test(arguments: Array(Kind.allCases.enumerated()))
  func aFileThatAnotherProcessHasJustCreatedIsNotReplaced(index: Int, kind: Kind) async throws {
    for wasCleared in [false, true] {
      try await withTemporaryDirectory { (folder) async throws in
        let url = folder.file("store")
        let system = FaultySystemCalls()
        let store = GlobalData(at: url, configuration: kind.configuration, system: system)
        if wasCleared {
          try await store.set("old", forKey: "a")
          try await store.clear()
        }
        let loss = FaultySystemCalls.Fault.interlude { loseLock(in: folder, of: url, kind.configuration) }
        system.fail(loss, times: 1) { $0.call == .renameat }
        let operation = [Operation.set, .update][index % 2]
        try await operation.perform(on: store)
        #expect(system.faults == 1)
        #expect(try store.texts() == ["a": "new", "c": "other"])
        #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == ["a": "new", "c": "other"])
        #expect(try folder.names().count { $0 != "store" && !$0.hasSuffix(".lock") } == 0)
      }
    }
  }

  /// Several writers that have lost their lock files meet at the store's file. A writer that has waited for long still
  /// waits while the others write.
  @Test(arguments: [Kind.appending, .appendingWithSync])
  func aWriterWaitsWhileOthersChangeTheFile(kind: Kind) async throws {
    let url = folder.file("store")
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: kind.configuration, system: system)
    for number in 0..<2 { try await store.set("\(number)", forKey: "b") }
    let other = open(url.path, O_RDWR)
    defer { close(other) }
    try #require(flock(other, LOCK_EX) == 0)
    let looks = Locked(0)
    let change = FaultySystemCalls.Fault.interlude {
      if looks.withLock({ $0 }) < 3 { touch(url, counting: looks) }
      if looks.withLock({ $0 }) == 3 { #expect(flock(other, LOCK_UN) == 0) }
    }
    let isLocked = Locked(false)
    system.fail(change) { $0.call == .fstat && $0.name == "store" }
    system.fail(.interlude { isLocked.withLock { $0 = flock(other, LOCK_EX | LOCK_NB) != 0 } }) {
      [.renameat, .pwrite].contains($0.call)
    }
    try await store.set("new", forKey: "a")
    #expect(looks.withLock { $0 } == 3)
    #expect(isLocked.withLock { $0 }, "the writer has waited until it had the lock")
    #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == ["a": "new", "b": "1"])
  }

  /// A writer that has lost its lock file could otherwise find the file in place, and then bring back its values. Or it
  /// could remove the file before a restoration has set it aside, which would then fail.
  @Test(arguments: [true, false], ["intact", "damaged", "just created", "replaced"])
  func aFileIsLockedUntilItIsClearedOrSetAside(isCleared: Bool, state: String) async throws {
    for kind in Kind.allCases { try await checkLock(isCleared: isCleared, state: state, kind: kind) }
  }

  private func checkLock(isCleared: Bool, state: String, kind: Kind) async throws {
    try await withTemporaryDirectory { (folder) async throws in
      let url = folder.file("store")
      var configuration = kind.configuration
      configuration.recoveryPolicy = .refuse
      let system = FaultySystemCalls()
      let store = GlobalData(at: url, configuration: configuration, system: system)
      if state == "just created" {
        let creation = FaultySystemCalls.Fault.interlude { loseLock(in: folder, of: url, kind.configuration) }
        system.fail(creation, times: 1) { $0.call == .fstatat && $0.name == "store" }
      } else {
        try await store.set("old", forKey: "a")
        try await store.set("older", forKey: "b")
        if state == "damaged" {
          try await store.close()
          try Data(contentsOf: url).prefix(30).write(to: url)
        }
      }
      if state == "replaced" {
        // Another writer, whose lock file was removed, sets the file aside and replaces it, right before it is locked.
        let next = folder.file("next")
        try FileManager.default.copyItem(at: url, to: next)
        for name in try folder.names() where name.hasSuffix(".lock") {
          try FileManager.default.removeItem(at: folder.file(name))
        }
        let replacement = FaultySystemCalls.Fault.interlude {
          #expect(link(url.path, folder.file("other name").path) == 0 && rename(next.path, url.path) == 0)
        }
        system.fail(replacement, times: 1) { $0.call == .flock && $0.name == "store" }
      }
      let isLocked = Locked<[Bool]>([])
      let check = FaultySystemCalls.Fault.interlude {
        let other = open(url.path, O_RDWR)
        isLocked.withLock { $0.append(flock(other, LOCK_EX | LOCK_NB) != 0) }
        close(other)
      }
      let backup = folder.file("backup")
      if !isCleared { try OtherWriter.set("new", forKey: "a", at: backup, GlobalData.Configuration()) }
      system.fail(check) {
        isCleared ? $0.call == .unlinkat && $0.name == "store" : $0.call == .linkat && $0.name.contains(".replaced-")
      }
      guard isCleared else {
        #expect(try await store.restore(from: backup) != nil)
        #expect(isLocked.withLock { $0 } == [true])
        #expect(try store.texts() == ["a": "new"])
        #expect(try folder.names().contains("other name") == (state == "replaced"))
        try await store.close()
        #expect(system.openDescriptors == 0 && system.strayCloses == 0)
        return
      }
      let queue = store.engine.queue
      let tickets = [
        queue.add(.set(try entry("lost", forKey: "a", store))).ticket, queue.add(.clear(keeping: [])).ticket,
      ]
      try store.engine.commitQueue()
      for ticket in tickets { try await ticket.wait() }
      #expect(isLocked.withLock { $0 } == [true])
      #expect(try folder.names() == (state == "replaced" ? ["other name"] : []))
      #expect(try store.texts() == [:])
      try await store.close()
      #expect(system.openDescriptors == 0 && system.strayCloses == 0)
    }
  }

  /// This process has a new lock file, and another one, whose lock file was removed, replaces a file that has one more
  /// name, as in a snapshot of hard links. Or this process has waited for the other one.
  @Test(arguments: [false, true]) func aReplacedFileWithAnotherNameIsNotAppendedTo(hasWaited: Bool) async throws {
    let url = folder.file("store")
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: Kind.appending.configuration, system: system)
    for number in 0..<2 { try await store.set("\(number)", forKey: "b") }
    let next = folder.file("next")
    try FileManager.default.copyItem(at: url, to: next)
    try OtherWriter.set("other", forKey: "c", at: next, Kind.rewriting.configuration)
    for name in try folder.names() where name.hasSuffix(".lock") {
      if try hasWaited == (name != self.name(of: url)) { try FileManager.default.removeItem(at: folder.file(name)) }
    }
    try FileManager.default.linkItem(at: url, to: folder.file("snapshot"))
    let other = open(url.path, O_RDWR)
    defer { close(other) }
    if hasWaited { try #require(flock(other, LOCK_EX) == 0) }
    let replacement = FaultySystemCalls.Fault.interlude {
      guard rename(next.path, url.path) == 0 else { return }
      _ = flock(other, LOCK_UN)
    }
    // Right before the file's lock is taken, or while it is waited for.
    system.fail(replacement, times: 1) { $0.name == "store" && $0.call == (hasWaited ? .fstat : .flock) }
    try await store.set("new", forKey: "a")
    #expect(system.faults == 1)
    #expect(try store.texts() == ["a": "new", "b": "1", "c": "other"])
    #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == ["a": "new", "b": "1", "c": "other"])
  }

  @Test func aWriterWaitsForOthersNoLongerThanTheLockTimeout() async throws {
    let url = folder.file("store")
    let system = FaultySystemCalls()
    var configuration = Kind.appending.configuration
    configuration.lockTimeout = .milliseconds(1)
    let store = GlobalData(at: url, configuration: configuration, system: system)
    for number in 0..<2 { try await store.set("\(number)", forKey: "b") }
    let other = open(url.path, O_RDWR)
    defer { close(other) }
    try #require(flock(other, LOCK_EX) == 0)
    let looks = Locked(0)
    system.fail(.interlude { touch(url, counting: looks) }) { $0.call == .fstat && $0.name == "store" }
    try await store.set("new", forKey: "a")
    #expect((1...4).contains(looks.withLock { $0 }))
    #expect(try store.texts() == ["a": "new", "b": "1"])
  }

  /// As a file system answers that notices late that a program removed the file, or while a folder is replaced.
  @Test func aLockFileThatCannotBeCreatedAtFirstIsCreatedAgain() async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: folder.file("store"), system: system)
    system.fail(.error(ENOENT), times: 2) { $0.call == .create && $0.name.hasSuffix(".lock") }
    try await store.set("one", forKey: "a")
    #expect(system.faults == 2)
    try await store.clear()
    system.recover()
    system.fail(.error(ENOENT)) { $0.call == .create && $0.name.hasSuffix(".lock") }
    let error = await expectError(GlobalDataError.self) { try await store.set("two", forKey: "a") }
    #expect(error?.code == .writeFailed)
    #expect(system.faults == 3)
  }

  @Test func theLockFileOfAnotherWriterIsNotRemoved() async throws {
    let file = ArchiveFile(url: folder.file("store"))
    let session = FileSession(file, .writing)
    try session.lock(timeout: .zero, creatingFolder: false, .powerLoss)
    let names = try folder.names()
    for name in names { try FileManager.default.removeItem(at: folder.file(name)) }
    let other = try #require(try ArchiveFile(url: file.url).lock(timeout: .zero, makingFolder: false, .powerLoss))
    try session.removeLockFile()
    #expect(try folder.names() == names)
    other.release()
    session.end()
  }

  /// The same before each call of a batch of two parts: a set and a clear of everything, which remove the file, and
  /// then a set. Values that the other process wrote before the file was removed are cleared, later ones are kept.
  @Test(arguments: Kind.allCases) func aBatchOfTwoPartsThatLosesItsLockLosesNoChange(kind: Kind) async throws {
    var call = 0
    var isOver = false
    var callsAfterClear = 0
    while !isOver {
      try await withTemporaryDirectory { (folder) async throws in
        let url = folder.file("store")
        let system = FaultySystemCalls()
        let store = GlobalData(at: url, configuration: kind.configuration, system: system)
        try await store.set("old", forKey: "a")
        system.recover()
        let wasCleared = Locked(false)
        system.failCall(
          number: call + 1,
          .interlude {
            let bytes = (try? Data(contentsOf: url)) ?? Data("new".utf8)
            wasCleared.withLock { $0 = bytes.range(of: Data("new".utf8)) != nil }
            loseLock(in: folder, of: url, kind.configuration)
          })
        let queue = store.engine.queue
        let tickets = [
          queue.add(.set(try entry("lost", forKey: "a", store))).ticket, queue.add(.clear(keeping: [])).ticket,
          queue.add(.set(try entry("new", forKey: "b", store))).ticket,
        ]
        try store.engine.commitQueue()
        for ticket in tickets { try await ticket.wait() }
        isOver = system.faults == 0
        call += 1
        let last = system.records.first { $0.isFaulty }
        system.recover()
        // Nothing can be done between the last check of the lock and the write.
        if let last, [.renameat, .pwrite, .unlinkat].contains(last.call) { return }
        try await store.set("later", forKey: "d")
        var expected = ["b": "new", "d": "later"]
        if !isOver, wasCleared.withLock({ $0 }) {
          expected["c"] = "other"
          callsAfterClear += 1
        }
        let texts = try store.texts()
        #expect(texts == expected, "call \(call), \(String(describing: last))")
        #expect(try GlobalData(at: url, system: POSIXSystemCalls()).texts() == texts)
        try await store.close()
        #expect(system.openDescriptors == 0 && system.strayCloses == 0)
      }
    }
    #expect(callsAfterClear > 5)
  }

  private func entry(_ text: String, forKey key: String, _ store: GlobalData) throws -> StoredEntry {
    try StoredEntry(key: key, store.configuration, in: store.url) { try $0.encodeItem(text, $1) }
  }

  @Test(arguments: Kind.allCases) func aLockThatIsAlwaysRemovedIsAnErrorInTheEnd(kind: Kind) async throws {
    let system = FaultySystemCalls()
    var configuration = kind.configuration
    configuration.lockTimeout = .milliseconds(50)
    let store = GlobalData(at: folder.file("store"), configuration: configuration, system: system)
    try await store.set("old", forKey: "a")
    system.fail(
      .interlude {
        for name in (try? folder.names()) ?? [] where name.hasSuffix(".lock") {
          _ = try? FileManager.default.removeItem(at: folder.file(name))
        }
      }
    ) { $0.call == .lstat && $0.name.hasSuffix(".lock") }
    let error = try await requireError(GlobalDataError.self) { try await store.set("new", forKey: "a") }
    #expect(error.code == .busy)
    system.recover()
    #expect(try store.texts() == ["a": "old"])
    try await store.set("new", forKey: "a")
    #expect(try GlobalData(at: folder.file("store"), system: POSIXSystemCalls()).texts() == ["a": "new"])
  }

  /// Real processes, and a cleaner that removes the lock file as fast as a shell can. `Violence/run.sh` does this for longer.
  @Test(.enabled(if: ChildProcess.isPossible), arguments: [[], ["--appending"]])
  func incrementsArriveAlthoughACleanerRemovesTheLock(
    options: [String]
  ) async throws {
    let stores = folder.file("stores")
    try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: false)
    let path = stores.file("store").path
    let cleaner = Task.detached {
      var removed = 0
      while !Task.isCancelled {
        for name in (try? stores.names()) ?? [] where name.hasSuffix(".lock") {
          if (try? FileManager.default.removeItem(at: stores.file(name))) != nil { removed += 1 }
        }
        // This waits for as long as a program that removes files takes to start.
        await withCheckedContinuation { continuation in
          DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
        }
      }
      return removed
    }
    let arguments = ["--durability", "processCrash"] + options + ["increment", path, "200"]
    async let first = ChildProcess.run("stress-writer", arguments, outputIn: folder)
    async let second = ChildProcess.run("stress-writer", arguments, outputIn: folder)
    async let third = ChildProcess.run("stress-writer", arguments, outputIn: folder)
    let outcomes = try await [first, second, third]
    cleaner.cancel()
    #expect(await cleaner.value > 0)
    #expect(outcomes.allSatisfy { $0.status == 0 })
    #expect(try GlobalData(at: stores.file("store")).object(Int.self, forKey: "counter") == 600)
  }

  // MARK: Items that are not a lock

  enum Obstacle: String, CaseIterable {
    case pipe, socket, folder, link, device

    func make(at url: URL) throws {
      switch self {
      case .pipe: try url.makePipe()
      case .folder: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      case .link: try url.makeLink(to: "nowhere")
      case .device: try #require(mknod(url.path, S_IFCHR | 0o600, 0x103) == 0)  // /dev/null
      case .socket:
        let descriptor = Foundation.socket(AF_UNIX, Obstacle.stream, 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An address has space for 104 bytes on macOS, whose temporary folders have longer paths.
        let short = URL(fileURLWithPath: "/tmp/\(UUID())")
        try short.makeLink(to: url.deletingLastPathComponent().path)
        defer { unlink(short.path) }
        let path = Array(short.file(url.lastPathComponent).path.utf8)
        try #require(path.count < 104)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let outcome = withUnsafePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(outcome == 0)
      }
    }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif

    /// Only a privileged process can create a device.
    static var possible: [Obstacle] { allCases.filter { $0 != .device || geteuid() == 0 } }
    static var otherThanFolders: [Obstacle] { possible.filter { $0 != .folder } }
  }

  private func name(of url: URL) throws -> String { try FileLocation(following: url, POSIXSystemCalls()).lockName }

  @Test(arguments: Obstacle.possible, Kind.allCases)
  func anItemUnderTheLocksNameIsAClearError(obstacle: Obstacle, kind: Kind) async throws {
    let url = folder.file("store")
    let lock = folder.file(try name(of: url))
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, configuration: kind.configuration, system: system)
    try await store.set("old", forKey: "a")
    // This also holds if a store has kept the lock file open.
    for _ in 0..<2 {
      try FileManager.default.removeItem(at: lock)
      try obstacle.make(at: lock)
      for operation in Operation.allCases {
        let error = try await requireError(GlobalDataError.self) { try await operation.perform(on: store) }
        #expect(error.code == .writeFailed)
        #expect(error.message.contains(lock.path) && error.advice.contains(lock.path))
      }
      #expect(try store.texts() == ["a": "old"])
      try FileManager.default.removeItem(at: lock)
      try await store.set("old", forKey: "a")
      try await store.set("other", forKey: "b")
      try await store.removeObject(forKey: "b")
    }
    try await store.close()
    #expect(system.openDescriptors == 0 && system.strayCloses == 0)
  }

  @Test(arguments: Obstacle.possible, Kind.allCases)
  func anItemUnderTheStoresNameIsAClearError(obstacle: Obstacle, kind: Kind) async throws {
    for isOpen in [false, true] {
      let url = folder.file("store \(isOpen)")
      let store = GlobalData(at: url, configuration: kind.configuration)
      if isOpen {
        try await store.set("old", forKey: "a")
        try FileManager.default.removeItem(at: url)
      }
      try obstacle.make(at: url)
      for operation in Operation.allCases {
        let error = try await requireError(GlobalDataError.self) { try await operation.perform(on: store) }
        #expect(error.code == (obstacle == .link ? .danglingLink : .notAFile))
      }
      await #expect(throws: GlobalDataError.self) { try await store.refresh() }
    }
  }

  @Test(arguments: Obstacle.otherThanFolders, Kind.allCases)
  func aPathThroughAFileIsAClearError(obstacle: Obstacle, kind: Kind) async throws {
    for isOpen in [false, true] {
      let inner = folder.file("inner \(isOpen)")
      let store = GlobalData(at: inner.file("store"), configuration: kind.configuration)
      if isOpen {
        try await store.set("old", forKey: "a")
        try FileManager.default.removeItem(at: inner)
      }
      try obstacle.make(at: inner)
      let error = try await requireError(GlobalDataError.self) { try await store.set("new", forKey: "a") }
      #expect([.notAFile, .danglingLink, .writeFailed].contains(error.code), "\(error)")
    }
  }

  /// Names of temporary and set-aside files cannot be guessed. A pipe or a folder with such a name is left alone.
  @Test(arguments: Obstacle.possible) func anItemWithTheNameOfATemporaryFileBlocksNoWrite(
    obstacle: Obstacle
  ) async throws {
    let name = SideFileName.temporary()
    try obstacle.make(at: folder.file(name))
    let store = GlobalData(at: folder.file("store"))
    try await store.set("new", forKey: "a")
    try await store.clear()
    #expect(try folder.names() == [name])
  }

  // MARK: Who may lock

  @Test(
    arguments: [
      (0o600, 0o600), (0o644, 0o600), (0o640, 0o600), (0o660, 0o660), (0o664, 0o660), (0o666, 0o666), (0o606, 0o606),
      (0o400, 0o600), (0o444, 0o600),
    ])
  func onlyUsersWithWriteAccessCanOpenTheLock(permissions: Int, expected: Int) async throws {
    let url = folder.file("store")
    let lock = folder.file(try name(of: url))
    let store = GlobalData(at: url)
    try await store.set("old", forKey: "a")
    #expect(try lock.permissions == 0o600)
    try url.setPermissions(permissions)
    for earlier in [0o600, 0o644, 0o666] {
      try lock.setPermissions(earlier)
      try await store.set("\(earlier)", forKey: "a")
      #expect(try lock.permissions == expected)
    }
  }

  /// Otherwise a command that root runs could keep an app from writing its own store.
  @Test(
    .enabled(if: POSIXSystemCalls().isPrivileged, "only root may give files away"),
    arguments: ["", "contents of another file"], [true, false])
  func aLockThatRootCreatesBelongsToTheOwnerOfTheStore(contents: String, isLinked: Bool) async throws {
    let url = folder.file("store")
    let lock = folder.file(try name(of: url))
    let store = GlobalData(at: url)
    try await store.set("old", forKey: "a")
    try #require(chown(url.path, 12345, 23456) == 0)
    try Data(contents.utf8).write(to: lock)
    if isLinked { try FileManager.default.linkItem(at: lock, to: folder.file("other")) }
    try await store.set("new", forKey: "a")
    let attributes = try FileManager.default.attributesOfItem(atPath: lock.path)
    let isGivenAway = contents.isEmpty && !isLinked
    #expect(attributes[.ownerAccountID] as? Int == (isGivenAway ? 12345 : 0))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  /// If the lock file does not have the store's group and cannot get it, its group has no access.
  @Test(.enabled(if: POSIXSystemCalls().isPrivileged, "only root may give files away"), arguments: [true, false])
  func theLockBelongsToTheGroupOfTheStore(mayChange: Bool) async throws {
    let url = folder.file("store")
    let system = FaultySystemCalls()
    let store = GlobalData(at: url, system: system)
    try await store.set("old", forKey: "a")
    try #require(chown(url.path, 0, 12345) == 0)
    try url.setPermissions(0o664)
    if !mayChange { system.fail(.error(EPERM)) { $0.call == .fchown && $0.name.hasSuffix(".lock") } }
    try await store.set("new", forKey: "a")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(try name(of: url)).path)
    #expect(attributes[.posixPermissions] as? Int == (mayChange ? 0o660 : 0o600))
    #expect(attributes[.groupOwnerAccountID] as? Int == (mayChange ? 12345 : Int(getegid())))
  }
}

/// Gives a file a new time, as a write does.
private func touch(_ url: URL, counting times: Locked<Int>) {
  let time = times.withLock { times in
    times += 1
    return times
  }
  #expect(throws: Never.self) {
    let attributes = [FileAttributeKey.modificationDate: Date(timeIntervalSince1970: Double(time))]
    try FileManager.default.setAttributes(attributes, ofItemAtPath: url.path)
  }
}

/// Removes the lock file, and lets another process write under a lock of its own.
private func loseLock(in folder: URL, of url: URL, _ configuration: GlobalData.Configuration) {
  do {
    for name in try folder.names() where name.hasSuffix(".lock") {
      try FileManager.default.removeItem(at: folder.file(name))
    }
    try OtherWriter.set("other", forKey: "c", at: url, configuration)
  } catch {
    Issue.record(error)
  }
}

/// A different process to the file system, which writes while the caller waits.
private enum OtherWriter {
  static func set(
    _ value: String, forKey key: String, at url: URL, _ configuration: GlobalData.Configuration
  ) throws {
    let engine = StoreEngine(.file(url), configuration)
    let entry = try StoredEntry(key: key, configuration, in: url) { try $0.encodeItem(value, $1) }
    _ = engine.queue.add(.set(entry))
    try engine.commitQueue()
    engine.close()
  }
}
