import Foundation
import TestSupport
import Testing
import ThrownErrors

@testable import GlobalData

#if os(Linux)

/// A real file system that is really full.
@Suite(.enabled(if: TinyDisk.isAvailable, "mounting a file system in memory needs root and its permission"))
struct FullDiskTests {
  @Test func aFullDiskKeepsTheOldFileUntilThereIsSpace() async throws {
    try await TinyDisk.with(options: "size=256k") { disk in
      let file = ArchiveFile(in: disk)
      let old = Data(repeating: 1, count: 60_000)
      try file.replace(with: [old], durability: .powerLoss)
      try Data(count: 100_000).write(to: disk.file("other"))

      let new = Data(repeating: 2, count: 120_000)
      let error = expectError(.writeFailed) { try file.replace(with: [new], durability: .powerLoss) }
      #expect(error?.errorNumber == ENOSPC)
      #expect(error?.advice.contains("Free some space") == true)
      #expect(try disk.names() == ["other", "store"])
      #expect(try file.read(limit: 1 << 20) == old)

      try FileManager.default.removeItem(at: disk.file("other"))
      try await TinyDisk.retrying { try file.replace(with: [new], durability: .powerLoss) }
      #expect(try file.read(limit: 1 << 20) == new)
    }
  }

  @Test func aStoreOnAFullDiskKeepsItsValuesAndWorksAgainOnceThereIsSpace() async throws {
    try await TinyDisk.with(options: "size=256k") { disk in
      let store = GlobalData(at: disk.file("store"))
      var saved = 0
      var failure: GlobalDataError?
      while failure == nil {
        do {
          try await store.set(Data(count: 10_000), forKey: "key \(saved)")
          saved += 1
        } catch {
          failure = try #require(error as? GlobalDataError)
        }
      }
      #expect(failure?.code == .writeFailed)
      #expect(failure?.errorNumber == ENOSPC)
      #expect(saved > 5)
      #expect(store.allKeys == (0..<saved).map { "key \($0)" })
      #expect(try folderContents(disk) == ["store"])
      try await store.close()
      #expect(store.allKeys.count == saved)

      try await store.clear(keeping: ["key 1"])
      try await store.set("room again", forKey: "new")
      try await store.close()
      #expect(store.allKeys == ["key 1", "new"])
    }
  }

  @Test func anAppendThatDoesNotFitFreesItsSpace() async throws {
    try await TinyDisk.with(options: "size=1m") { disk in
      let store = GlobalData(at: disk.file("store"), configuration: .history)
      try await store.set(Data(count: 600_000), forKey: "large")
      let error = await expectError(GlobalDataError.self) {
        try await store.set(Data(repeating: 1, count: 800_000), forKey: "too large")
      }
      #expect(error?.errorNumber == ENOSPC)
      try await store.set("fits", forKey: "small")
      try await store.close()
      #expect(store.allKeys == ["large", "small"])
    }
  }

  /// An append also makes room for later ones, if there is space for that.
  @Test func aChangeThatFitsIsAppendedIfTheRoomAfterItDoesNotFit() async throws {
    try await TinyDisk.with(options: "size=48k") { disk in
      let store = GlobalData(at: disk.file("store"), configuration: .history)
      for number in 0..<20 { try await store.set("\(number)", forKey: "number") }
      try await store.set("unnecessary", forKey: "other")
      try await store.removeObject(forKey: "other")
      try await store.close()
      #expect(try store.object(String.self, forKey: "number") == "19")
      #expect(store.allKeys == ["number"])
    }
  }

  @Test func aDiskWithoutRoomForAnotherFileKeepsTheOldOne() async throws {
    // The root folder is one of the three, the store is another; the third is in use.
    try await TinyDisk.with(options: "size=1m,nr_inodes=3") { disk in
      let file = ArchiveFile(in: disk)
      try file.replace(with: "old")
      try Data().write(to: disk.file("other"))
      let error = expectError(.writeFailed) { try file.replace(with: "new") }
      #expect(error?.errorNumber == ENOSPC)
      #expect(try file.readText() == "old")
      try FileManager.default.removeItem(at: disk.file("other"))
      try await TinyDisk.retrying { try file.replace(with: "new") }
      #expect(try file.readText() == "new")
    }
  }

  @Test func aReadOnlyDiskKeepsTheOldFile() async throws {
    try await TinyDisk.with(options: "size=1m") { disk in
      let file = ArchiveFile(in: disk)
      try file.replace(with: "old")
      try await TinyDisk.retrying { try URL.run("/bin/mount", "-o", "remount,ro", disk.path) }
      let error = expectError(.writeFailed) { try file.replace(with: "new") }
      #expect(error?.errorNumber == EROFS)
      expectError(.removeFailed) { try file.remove(durability: .powerLoss) }
      #expect(try file.readText() == "old")
    }
  }

  @Test(arguments: GlobalData.Persistence.allCases, [true, false])
  func aStoreOnAReadOnlyDiskReadsAndFailsToWrite(
    persistence: GlobalData.Persistence, isShared: Bool
  ) async throws {
    try await TinyDisk.with(options: "size=1m") { disk in
      var configuration = GlobalData.Configuration()
      configuration.persistence = persistence
      configuration.isShared = isShared
      let store = GlobalData(at: disk.file("store"), configuration: configuration)
      try await store.set("old", forKey: "a")
      try await store.close()
      try await TinyDisk.retrying { try URL.run("/bin/mount", "-o", "remount,ro", disk.path) }
      for _ in 0..<3 {
        let error = await expectError(GlobalDataError.self) { try await store.set("new", forKey: "a") }
        #expect(error?.code == .writeFailed)
        #expect(error?.errorNumber == EROFS)
        #expect(try store.object(String.self, forKey: "a") == "old")
      }
      try await store.close()
    }
  }
}

/// A small file system in memory.
enum TinyDisk {
  static let isAvailable: Bool = {
    do {
      let attempt = #"mount -t tmpfs -o size=64k none "$d" && umount "$d""#
      let command = #"d=$(mktemp -d) && { \#(attempt); s=$?; rmdir "$d"; exit $s; }"#
      try URL.run("/bin/sh", "-c", command)
      return true
    } catch {
      return false
    }
  }()

  static func with(options: String, _ body: (URL) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      try URL.run("/bin/mount", "-t", "tmpfs", "-o", options, "none", folder.path)
      let result: Result<Void, any Error>
      do {
        result = .success(try await body(folder))
      } catch {
        result = .failure(error)
      }
      try await retrying { try URL.run("/bin/umount", folder.path) }
      try result.get()
    }
  }

  /// Repeats work that fails while another process has a file of the disk open: a process that another test starts has
  /// all files of this process open until it starts its program.
  static func retrying(_ work: () throws -> Void) async throws {
    for _ in 0..<1000 {
      do { return try work() } catch { await Task.yield() }
    }
    try work()
  }
}

#endif
