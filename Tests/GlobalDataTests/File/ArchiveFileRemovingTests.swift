import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

struct ArchiveFileRemovingTests {
  @Test(arguments: Durability.allCases)
  func aRemovedFileIsGone(durability: Durability) async throws {
    try await withTemporaryDirectory { folder in
      let system = FaultySystemCalls()
      let file = ArchiveFile(in: folder, system: system)
      try file.replace(with: "old")
      system.recover()
      try file.remove(durability: durability)
      #expect(try folder.names() == [])
      #expect(try file.read(limit: 100) == nil)
      #expect(system.count(of: .fsync, onFolder: true) == (durability == .powerLoss ? 1 : 0))
      #expect(system.openDescriptors == 0)
    }
  }

  @Test func removingWhatIsNotThereIsNoError() async throws {
    try await withTemporaryDirectory { folder in
      try ArchiveFile(in: folder).remove(durability: .powerLoss)
      try ArchiveFile(in: folder, "one/two/store").remove(durability: .powerLoss)
      #expect(try folder.names() == [])
    }
  }

  @Test func otherFilesStay() async throws {
    try await withTemporaryDirectory { folder in
      try Data().write(to: folder.file("other"))
      let file = ArchiveFile(in: folder)
      try file.replace(with: "old")
      try file.remove(durability: .powerLoss)
      #expect(try folder.names() == ["other"])
    }
  }

  @Test func behindALinkTheFileGoesAndTheLinkWithIt() async throws {
    try await withTemporaryDirectory { folder in
      try folder.file("store").makeLink(to: "real")
      try Data("old".utf8).write(to: folder.file("real"))
      let file = ArchiveFile(in: folder)
      #expect(try file.readText() == "old")
      try file.remove(durability: .powerLoss)
      #expect(try folder.names() == [])
      try file.replace(with: "new")
      #expect(try folder.names() == ["store"])
      #expect(try ArchiveFile(in: folder).readText() == "new")
    }
  }

  @Test(
    arguments: [
      (.open, EACCES, .removeFailed),
      (.fstatat, EIO, .removeFailed),
      (.unlinkat, EACCES, .removeFailed),
      (.unlinkat, EROFS, .removeFailed),
      (.unlinkat, EBUSY, .removeFailed),
      (.fsync, EIO, .durabilityUnknown),
    ] as [(SystemCall, Int32, GlobalDataError.Code)]
  )
  func aFailureSaysWhetherTheFileIsGone(call: SystemCall, number: Int32, code: GlobalDataError.Code) async throws {
    try await withTemporaryDirectory { folder in
      let system = FaultySystemCalls()
      let file = ArchiveFile(in: folder, system: system)
      try file.replace(with: "old")
      system.recover()
      system.fail(call, .error(number))
      let error = expectError(code) { try file.remove(durability: .powerLoss) }
      #expect(error?.systemCall == call.rawValue)
      #expect(try folder.names() == (code == .removeFailed ? ["store"] : []))
      #expect(system.openDescriptors == 0)
      system.recover()
      try file.remove(durability: .powerLoss)
      #expect(try folder.names() == [])
    }
  }
}

struct LeftoverTests {
  /// A process number that no process has: above the greatest that systems give out.
  private let deadProcess: Int32 = 0x7fff_fff0
  private let now = Date().timeIntervalSince1970

  private func makeTemporary(_ processID: Int32, in folder: URL, age: Double = 0) throws -> String {
    let name = TemporaryFileName(processID: processID).text
    try Data("half".utf8).write(to: folder.file(name))
    let date = Date(timeIntervalSince1970: now - age)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.file(name).path)
    return name
  }

  @Test func theFilesOfDeadWritersAreRemoved() async throws {
    try await withTemporaryDirectory { folder in
      _ = try makeTemporary(deadProcess, in: folder)
      _ = try makeTemporary(deadProcess, in: folder, age: 100_000)
      try Data("store".utf8).write(to: folder.file("store"))
      #expect(try ArchiveFile(in: folder).removeLeftovers() == 2)
      #expect(try folder.names() == ["store"])
    }
  }

  @Test func theFilesOfLiveWritersStayForTenMinutes() async throws {
    try await withTemporaryDirectory { folder in
      let own = POSIXSystemCalls().processID
      let young = try makeTemporary(own, in: folder, age: 590)
      let initial = try makeTemporary(1, in: folder)
      let fromTheFuture = try makeTemporary(own, in: folder, age: -5000)
      _ = try makeTemporary(own, in: folder, age: 610)
      #expect(try ArchiveFile(in: folder).removeLeftovers(now: now) == 1)
      #expect(try folder.names() == [young, initial, fromTheFuture].sorted())
    }
  }

  @Test func filesOfOtherNamesStay() async throws {
    try await withTemporaryDirectory { folder in
      let names = [
        ".as-7fFFfff012345678.tmp", ".as-7ffffff0.tmp", ".as-7ffffff0123456780.tmp", "as-7ffffff012345678.tmp",
        ".as-+fffff0123456781.tmp", ".as-7ffffff012345678.tmp~", ".as-7ffffff01234567g.tmp",
      ]
      for name in names { try Data().write(to: folder.file(name)) }
      #expect(try ArchiveFile(in: folder).removeLeftovers(now: now + 100_000) == 0)
      #expect(try folder.names() == names.sorted())
    }
  }

  @Test func foldersAndLinksOfSuchNamesStay() async throws {
    try await withTemporaryDirectory { folder in
      let link = TemporaryFileName(processID: deadProcess).text
      let inner = TemporaryFileName(processID: deadProcess).text
      try folder.file(link).makeLink(to: "nowhere")
      try FileManager.default.createDirectory(at: folder.file(inner), withIntermediateDirectories: false)
      #expect(try ArchiveFile(in: folder).removeLeftovers(now: now + 100_000) == 0)
      #expect(try folder.names() == [link, inner].sorted())
    }
  }

  @Test func inAMissingFolderThereIsNothingToRemove() async throws {
    try await withTemporaryDirectory { folder throws in
      #expect(try ArchiveFile(in: folder, "one/store").removeLeftovers() == 0)
    }
  }

  @Test(arguments: [(.readdir, EIO), (.fstatat, EIO), (.unlinkat, EACCES)] as [(SystemCall, Int32)])
  func aFailureIsReported(call: SystemCall, number: Int32) async throws {
    try await withTemporaryDirectory { folder in
      _ = try makeTemporary(deadProcess, in: folder)
      let system = FaultySystemCalls()
      system.fail(call, .error(number))
      let error = expectError(.removeFailed) { try ArchiveFile(in: folder, system: system).removeLeftovers() }
      #expect(error?.errorNumber == number)
      #expect(system.openDescriptors == 0)
    }
  }

  @Test(arguments: [1, 42, 32_767, 4_194_304, Int32.max, -1])
  func namesTellTheirProcess(processID: Int32) {
    let name = TemporaryFileName(processID: processID)
    #expect(name.text.utf8.count == 24)
    #expect(TemporaryFileName(name.text) == name)
    #expect(TemporaryFileName(processID: processID) != name)
  }
}
