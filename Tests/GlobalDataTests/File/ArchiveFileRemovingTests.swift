import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

struct ArchiveFileRemovingTests {
  @TemporaryFolder private var folder

  @Test(arguments: Durability.allCases)
  func aRemovedFileIsGone(durability: Durability) async throws {
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

  @Test func removingAMissingValueIsNotAnError() async throws {
    try ArchiveFile(in: folder).remove(durability: .powerLoss)
    try ArchiveFile(in: folder, "one/two/store").remove(durability: .powerLoss)
    #expect(try folder.names() == [])
  }

  @Test func otherFilesStay() async throws {
    try Data().write(to: folder.file("other"))
    let file = ArchiveFile(in: folder)
    try file.replace(with: "old")
    try file.remove(durability: .powerLoss)
    #expect(try folder.names() == ["other"])
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
  func aFailedRemovalReportsWhetherTheFileIsGone(
    call: SystemCall, number: Int32, code: GlobalDataError.Code
  ) async throws {
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

struct LeftoverTests {
  @TemporaryFolder private var folder
  private let now = Date().timeIntervalSince1970

  private func makeTemporary(in folder: URL, age: Double = 0) throws -> String {
    let name = SideFileName.temporary()
    try Data("half".utf8).write(to: folder.file(name))
    let date = Date(timeIntervalSince1970: now - age)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.file(name).path)
    return name
  }

  @Test func theFilesOfDeadWritersAreRemoved() async throws {
    _ = try makeTemporary(in: folder)
    _ = try makeTemporary(in: folder, age: 100_000)
    _ = try makeTemporary(in: folder, age: -5000)
    try Data("store".utf8).write(to: folder.file("store"))
    #expect(try ArchiveFile(in: folder).removeLeftovers() == 3)
    #expect(try folder.names() == ["store"])
  }

  /// The age of the file and the number of its process do not matter.
  @Test func theFilesOfLiveWritersStayAsLongAsTheyAreLocked() async throws {
    let system = POSIXSystemCalls()
    let name = try makeTemporary(in: folder, age: 100_000)
    let directory = try system.openDirectory(folder.path, forListing: true)
    defer { system.closeUnwritten(directory) }
    let descriptor = try system.openExisting(name, in: directory, isForUpdating: false)
    try system.tryLock(descriptor)
    #expect(try ArchiveFile(in: folder).removeLeftovers(now: now) == 0)
    #expect(try folder.names() == [name])
    system.closeUnwritten(descriptor)
    #expect(try ArchiveFile(in: folder).removeLeftovers(now: now) == 1)
  }

  @Test(arguments: [ENOLCK, ENOTSUP, EBADF])
  func withoutLocksFilesStayForTenMinutes(number: Int32) async throws {
    let young = try makeTemporary(in: folder, age: 590)
    _ = try makeTemporary(in: folder, age: 610)
    let system = FaultySystemCalls()
    system.fail(.flock, .error(number))
    #expect(try ArchiveFile(in: folder, system: system).removeLeftovers(now: now) == 1)
    #expect(try folder.names() == [young])
    // Files can still be written.
    try ArchiveFile(in: folder, system: system).replace(with: "new")
    #expect(try ArchiveFile(in: folder).readText() == "new")
    #expect(system.openDescriptors == 0)
  }

  /// Before each call of a write, another store is opened in the folder, and removes leftover files.
  @Test func noWriteLosesItsFileToAStoreThatIsOpened() async throws {
    try ArchiveFile(in: folder).replace(with: "old")
    let system = FaultySystemCalls()
    let sweeps = Locked<[Int]>([])
    let sweep = FaultySystemCalls.Fault.interlude {
      let removed = (try? ArchiveFile(in: folder, "other").removeLeftovers()) ?? -1000
      sweeps.withLock { $0.append(removed) }
    }
    // Of the locks, only before the first: a file that is removed each time before it can be locked cannot be written
    // at all.
    system.fail(sweep) { $0.call != .flock }
    system.fail(sweep, times: 1) { $0.call == .flock }
    try ArchiveFile(in: folder, system: system).replace(with: "new")
    #expect(sweeps.withLock { $0.count } > 10)
    #expect(sweeps.withLock { $0.reduce(0, +) } == 1, "before it was locked")
    #expect(try ArchiveFile(in: folder).readText() == "new")
    #expect(try folder.names() == ["store"])
    #expect(system.openDescriptors == 0)
  }

  /// Some file systems (NFS, FUSE) only rename a file that is removed while it is open, so that it keeps a link.
  @Test func aWriteWhoseFileWasRemovedButHasALinkBeginsAgain() async throws {
    let system = FaultySystemCalls()
    let store = GlobalData(at: folder.file("store"), system: system)
    try await store.set("old", forKey: "key")
    let sweep = FaultySystemCalls.Fault.interlude {
      do {
        for name in try folder.names() where name.hasSuffix(".tmp") {
          try FileManager.default.linkItem(at: folder.file(name), to: folder.file("hidden"))
        }
        #expect(try ArchiveFile(in: folder, "other").removeLeftovers() == 1)
      } catch {
        Issue.record(error)
      }
    }
    system.fail(sweep, times: 1) { $0.call == .flock && $0.name.hasSuffix(".tmp") }
    try await store.set("new", forKey: "key")
    #expect(system.faults == 1)
    #expect(try GlobalData(at: folder.file("store"), system: POSIXSystemCalls()).texts() == ["key": "new"])
    try await store.close()
    #expect(system.openDescriptors == 0)
  }

  @Test func filesOfOtherNamesStay() async throws {
    let names = [
      ".as-7fFFfff012345678.tmp", ".as-7ffffff0.tmp", ".as-7ffffff0123456780.tmp", "as-7ffffff012345678.tmp",
      ".as-+fffff0123456781.tmp", ".as-7ffffff012345678.tmp~", ".as-7ffffff01234567g.tmp",
    ]
    for name in names { try Data().write(to: folder.file(name)) }
    #expect(try ArchiveFile(in: folder).removeLeftovers(now: now + 100_000) == 0)
    #expect(try folder.names() == names.sorted())
  }

  @Test func foldersAndLinksOfSuchNamesStay() async throws {
    let link = SideFileName.temporary()
    let inner = SideFileName.temporary()
    try folder.file(link).makeLink(to: "nowhere")
    try FileManager.default.createDirectory(at: folder.file(inner), withIntermediateDirectories: false)
    #expect(try ArchiveFile(in: folder).removeLeftovers(now: now + 100_000) == 0)
    #expect(try folder.names() == [link, inner].sorted())
  }

  @Test func removingInAMissingFolderDoesNothing() async throws {
    #expect(try ArchiveFile(in: folder, "one/store").removeLeftovers() == 0)
  }

  @Test(
    arguments: [(.readdir, EIO), (.fstatat, EIO), (.openat, EIO), (.flock, EIO), (.unlinkat, EACCES)]
      as [(SystemCall, Int32)])
  func aFailureIsReported(call: SystemCall, number: Int32) async throws {
    _ = try makeTemporary(in: folder)
    let system = FaultySystemCalls()
    system.fail(call, .error(number))
    let error = expectError(.removeFailed) { try ArchiveFile(in: folder, system: system).removeLeftovers() }
    #expect(error?.errorNumber == number)
    #expect(system.openDescriptors == 0)
  }

  @Test func namesAreRecognized() {
    let name = SideFileName.temporary()
    #expect(name.utf8.count == 24)
    #expect(SideFileName.isTemporary(name))
    #expect(SideFileName.temporary() != name)
    for other in [".as-beef.tmp", ".\(name)", "\(name)~", ".as-0123456789abcdeg.tmp"] {
      #expect(!SideFileName.isTemporary(other), "\(other) is not removed")
    }
  }
}
