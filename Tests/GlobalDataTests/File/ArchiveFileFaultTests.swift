import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

/// Replacing a file while system calls fail. Afterward, the file is complete, the old one or the new one, and the
/// caller knows which.
struct ArchiveFileFaultTests {
  @TemporaryFolder private var folder
  private let system = FaultySystemCalls()

  // MARK: Failures that change nothing

  @Test(
    arguments: [
      (.open, EMFILE, "open"),
      (.openat, EIO, "openat"),
      (.fstat, EIO, "fstat"),
      (.create, ENOSPC, "openat (O_CREAT)"),
      (.create, EROFS, "openat (O_CREAT)"),
      (.create, EACCES, "openat (O_CREAT)"),
      (.create, EMFILE, "openat (O_CREAT)"),
      (.write, ENOSPC, "write"),
      (.write, EDQUOT, "write"),
      (.write, EIO, "write"),
      (.fsync, ENOSPC, "fsync"),
      (.fsync, EIO, "fsync"),
      (.close, EIO, "close"),
      (.close, EDQUOT, "close"),
      (.renameat, EIO, "renameat"),
      (.renameat, EINTR, "renameat"),
    ] as [(SystemCall, Int32, String)]
  )
  func aFailedWriteKeepsTheOldFile(call: SystemCall, number: Int32, name: String) async throws {
    let file = ArchiveFile(in: folder, system: system)
    try file.replace(with: "old")
    system.recover()
    system.fail(call, onFolder: false, .error(number))
    let code: GlobalDataError.Code = call == .openat || call == .fstat ? .readFailed : .writeFailed
    let error = expectError(code) { try file.replace(with: "new") }
    #expect(error?.systemCall == name)
    #expect(error?.errorNumber == number)
    #expect(error?.fileURL == file.url)
    #expect(system.openDescriptors == 0)
    #expect(try folder.names() == ["store"])
    #expect(try ArchiveFile(in: folder).readText() == "old")

    system.recover()
    try file.replace(with: "new")
    #expect(try file.readText() == "new")
  }

  /// A container often has a single file mounted, which then cannot be replaced or removed.
  @Test func aFileThatIsMountedIsAClearError() async throws {
    let file = ArchiveFile(in: folder, system: system)
    try file.replace(with: "old")
    system.fail(.renameat, .error(EBUSY))
    let error = expectError(.writeFailed) { try file.replace(with: "new") }
    #expect(error?.advice.contains("Mount the file's folder") == true)
    #expect(try file.readText() == "old")
  }

  @Test func aFailedFirstWriteLeavesNoFile() async throws {
    for call in [SystemCall.create, .fstat, .write, .fsync, .close, .renameat] {
      try await withTemporaryDirectory { folder throws in
        let system = FaultySystemCalls()
        system.fail(call, onFolder: false, .error(EIO))
        expectError(.writeFailed) { try ArchiveFile(in: folder, system: system).replace(with: "new") }
        #expect(try folder.names() == [], "\(call)")
        #expect(system.openDescriptors == 0)
      }
    }
  }

  @Test(arguments: [EACCES, EPERM])
  func anUnreadableFileIsNotReplaced(number: Int32) async throws {
    let file = ArchiveFile(in: folder, system: system)
    try file.replace(with: "old")
    system.recover()
    system.fail(.openat, .error(number))
    expectError(.locked) { try file.replace(with: "new") }
    #expect(system.count(of: .create) == 0)
    #expect(try ArchiveFile(in: folder).readText() == "old")
  }

  @Test func aFailedSyncIsNotRepeated() async throws {
    system.fail(.fsync, nth: 1, onFolder: false, .error(EIO))
    expectError(.writeFailed) { try ArchiveFile(in: folder, system: system).replace(with: "new") }
    #expect(system.count(of: .fsync) == 1)
    #expect(system.count(of: .renameat) == 0)
  }

  @Test func aFolderThatCannotBeCreatedFailsTheWrite() async throws {
    system.fail(.mkdir, .error(EROFS))
    let error = expectError(.writeFailed) {
      try ArchiveFile(in: folder, "inner/store", system: system).replace(with: "new")
    }
    #expect(error?.systemCall == "mkdir")
    #expect(try folder.names() == [])
  }

  @Test func aTemporaryFileThatCannotBeRemovedDoesNotHideTheFailure() async throws {
    let file = ArchiveFile(in: folder, system: system)
    system.fail(.write, .error(ENOSPC))
    system.fail(.unlinkat, .error(EIO))
    let error = expectError(.writeFailed) { try file.replace(with: "new") }
    #expect(error?.systemCall == "write")
    #expect(try folder.names().count == 1)
  }

  // MARK: After the rename

  @Test func aFolderThatCannotBeSyncedLeavesDurabilityUnknown() async throws {
    let file = ArchiveFile(in: folder, system: system)
    try file.replace(with: "old")
    system.recover()
    system.fail(.fsync, onFolder: true, .error(EIO))
    let error = expectError(.durabilityUnknown) { try file.replace(with: "new") }
    #expect(error?.systemCall == "fsync")
    #expect(try ArchiveFile(in: folder).readText() == "new")
    #expect(try folder.names() == ["store"])
    #expect(system.openDescriptors == 0)
  }

  @Test(arguments: [EINVAL, ENOTSUP])
  func aFileSystemThatCannotSyncFoldersIsAcceptedAndReported(number: Int32) async throws {
    system.fail(.fsync, onFolder: true, .error(number))
    let result = try ArchiveFile(in: folder, system: system)
      .replace(with: [Data("new".utf8)], durability: .powerLoss)
    #expect(result.concessions == [.folderNotSynced])
    #expect(try ArchiveFile(in: folder).readText() == "new")
  }

  @Test func aFolderThatCannotBeListedCanBeWritten() async throws {
    let file = ArchiveFile(in: folder, system: system)
    system.fail(.open, nth: 1, .error(EACCES))
    let result = try file.replace(with: [Data("new".utf8)], durability: .powerLoss)
    #expect(result.concessions == [.folderNotSynced])
    system.recover()
    system.fail(.open, nth: 1, .error(EACCES))
    #expect(try file.readText() == "new")
    #expect(system.openDescriptors == 0)
  }

  @Test func aRenameThatHappenedDespiteItsFailureIsASuccess() async throws {
    system.fail(.renameat, .errorAfterwards(ENOENT))
    let file = ArchiveFile(in: folder, system: system)
    try file.replace(with: "old")
    try file.replace(with: "new")
    #expect(try ArchiveFile(in: folder).readText() == "new")
    #expect(try folder.names() == ["store"])
  }

  // MARK: Partial calls

  @Test(arguments: [1, 7, 4096])
  func shortWritesAreContinued(length: Int) async throws {
    let pieces = [Data(repeating: 1, count: 20_000), Data(repeating: 2, count: 70_000), Data(repeating: 3, count: 5)]
    system.fail(.write, .short(length))
    try ArchiveFile(in: folder, system: system).replace(with: pieces, durability: .processCrash)
    #expect(try ArchiveFile(in: folder).read(limit: 1 << 20) == pieces.reduce(into: Data()) { $0.append($1) })
  }

  @Test func aWriteOfZeroBytesIsAnError() async throws {
    system.fail(.write, .bytes(0))
    let error = expectError(.writeFailed) { try ArchiveFile(in: folder, system: system).replace(with: "new") }
    #expect(error?.errorNumber == EIO)
    #expect(system.count(of: .write) == 1)
    #expect(try folder.names() == [])
  }

  @Test func interruptedCallsAreRepeated() async throws {
    let file = ArchiveFile(in: folder, system: system)
    try file.replace(with: "old")
    try folder.file("store").setPermissions(0o640)
    system.recover()
    for call in [SystemCall.open, .openat, .create, .fstat, .protect, .copyAttributes, .fchmod, .write] {
      system.fail(call, nth: 1, .error(EINTR))
    }
    system.fail(.fsync, nth: 1, onFolder: false, .error(EINTR))
    system.fail(.fsync, nth: 1, onFolder: true, .error(EINTR))
    system.fail(.close, .error(EINTR))
    let result = try file.replace(with: [Data("new".utf8)], durability: .powerLoss)
    #expect(result.concessions == [])
    #expect(system.faults >= 12)
    #expect(system.count(of: .fsync) == 2)
    #expect(system.openDescriptors == 0)
    #expect(try ArchiveFile(in: folder).readText() == "new")
  }

  // MARK: Every call

  /// Each call fails once, in turn, with each of several errors. Whatever fails, the file is complete, the caller is
  /// informed which one it is, no temporary file and no open descriptor remain, and the next write works.
  @Test(arguments: [EIO, ENOSPC, EACCES, EINTR, EINVAL, ENOENT, EBADF], [true, false])
  func theFileIsCompleteWhicheverCallFails(number: Int32, hasEarlierFile: Bool) async throws {
    for call in 1... {
      let finished = try await withTemporaryDirectory { folder in
        let system = FaultySystemCalls()
        let file = ArchiveFile(in: folder, "inner/store", system: system)
        if hasEarlierFile {
          try file.replace(with: "old")
          try folder.file("inner/store").setPermissions(0o640)
        }
        system.recover()
        system.failCall(number: call, .error(number))
        let outcome = Result { try file.replace(with: "new") }

        let old = hasEarlierFile ? "old" : nil
        let text = try ArchiveFile(in: folder, "inner/store").readText()
        switch outcome {
        case .success: #expect(text == "new", "call \(call)")
        case .failure(let error as GlobalDataError):
          #expect(text == (error.code == .durabilityUnknown ? "new" : old), "call \(call): \(error)")
        case .failure(let error): Issue.record(error)
        }
        #expect(system.openDescriptors == 0, "call \(call)")
        if text != nil { #expect(try folder.file("inner").names() == ["store"], "call \(call)") }

        let isLast = system.faults == 0
        system.recover()
        try file.replace(with: "newer")
        #expect(try ArchiveFile(in: folder, "inner/store").readText() == "newer")
        return isLast
      }
      if finished { break }
    }
  }
}
