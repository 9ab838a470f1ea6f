import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

struct ArchiveFileReplacingTests {
  @TemporaryFolder private var folder

  // MARK: Contents

  @Test(arguments: Durability.allCases)
  func writtenValuesAreReadBack(durability: Durability) async throws {
    let file = ArchiveFile(in: folder)
    try file.replace(with: "old", durability: durability)
    #expect(try ArchiveFile(in: folder).readText() == "old")
    try file.replace(with: "new", durability: durability)
    #expect(try ArchiveFile(in: folder).readText() == "new")
    #expect(try folder.names() == ["store"])
  }

  @Test func noPiecesMakeAnEmptyFile() async throws {
    try ArchiveFile(in: folder).replace(with: [], durability: .powerLoss)
    #expect(try ArchiveFile(in: folder).read(limit: 100) == Data())
  }

  /// Sizes around those at which pieces are gathered, flushed, and written without a copy.
  @Test(arguments: [
    [0, 1, 0], [65_535, 65_535, 65_535, 65_535, 65_535], [65_536], [1, 65_536, 1], [262_144], [262_143, 1, 1],
    [65_535, 65_535, 65_535, 65_535, 4, 1], [1_000_000, 10, 1_000_000],
  ])
  func piecesOfAnySizesAreWrittenInOrder(sizes: [Int]) async throws {
    var random = SeededGenerator(seed: 7)
    let pieces = sizes.map { size in Data((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }) }
    try ArchiveFile(in: folder).replace(with: pieces, durability: .processCrash)
    let whole = pieces.reduce(into: Data()) { $0.append($1) }
    #expect(try ArchiveFile(in: folder).read(limit: 1 << 24) == whole)
  }

  @Test func piecesMayBePartsOfALargerBuffer() async throws {
    let buffer = Data("abcdefghijklmnopqrstuvwxyz".utf8)
    try ArchiveFile(in: folder).replace(with: [buffer[20...], buffer[..<3]], durability: .processCrash)
    #expect(try ArchiveFile(in: folder).readText() == "uvwxyzabc")
  }

  @Test func manyPiecesTakeFewCallsAndKeepTheirOrder() async throws {
    let system = FaultySystemCalls()
    let pieces = (0..<1000).map { Data("\($0) ".utf8) + Data(count: $0 % 3 * 100) } + [Data()]
    try ArchiveFile(in: folder, system: system).replace(with: pieces, durability: .powerLoss)
    #expect(system.count(of: .write) == 16)
    #expect(try ArchiveFile(in: folder).read(limit: 1 << 24) == pieces.reduce(Data(), +))
  }

  @Test(arguments: [1, 7, 100, 1000]) func aPartialWriteOfManyPiecesIsContinued(_ length: Int) async throws {
    let system = FaultySystemCalls()
    system.fail(.write, .short(length))
    let pieces = (0..<50).map { Data("\($0) ".utf8) + Data(count: $0 % 3 * 20) }
    try ArchiveFile(in: folder, system: system).replace(with: pieces, durability: .powerLoss)
    let bytes = pieces.reduce(Data(), +)
    #expect(system.count(of: .write) == (bytes.count + length - 1) / length)
    #expect(try ArchiveFile(in: folder).read(limit: 1 << 24) == bytes)
  }

  @Test func theProtocolIsFollowedCallByCall() async throws {
    let system = FaultySystemCalls()
    let file = ArchiveFile(in: folder, system: system)
    try file.replace(with: "old")
    system.recover()
    try file.replace(with: "new")
    #expect(
      system.records.map(\.description) == [
        "open", "openat", "fstat",  // the folder, the old file
        "openat (O_CREAT)", "flock", "fstat", "fcntl (F_DUPFD_CLOEXEC)",  // the temporary file is locked
        "fcntl", "fsetxattr", "fstat",  // and becomes like the old one
        "write", "fsync", "fstat", "close", "fstatat", "renameat", "close",
        "fsync(folder)", "close", "close(folder)",
      ]
    )
  }

  @Test(arguments: [(.powerLoss, 1, 1), (.ordered, 1, 0), (.processCrash, 0, 0)] as [(Durability, Int, Int)])
  func eachTemporaryFileIsSyncedOnceOrNotAtAll(durability: Durability, files: Int, folders: Int) async throws {
    let system = FaultySystemCalls()
    try ArchiveFile(in: folder, system: system).replace(with: "new", durability: durability)
    #expect(system.count(of: .fsync) == files)
    #expect(system.count(of: .fsync, onFolder: true) == folders)
  }

  @Test func theResultDistinguishesTheNewFileFromLaterOnes() async throws {
    let file = ArchiveFile(in: folder)
    let first = try file.replace(with: [Data("one".utf8)], durability: .powerLoss)
    #expect(try file.stamp() == first.stamp)
    #expect(first.concessions == [])
    let second = try file.replace(with: [Data("two".utf8)], durability: .powerLoss)
    #expect(first.stamp != second.stamp)
    #expect(try ArchiveFile(in: folder).stamp() == second.stamp)
  }

  @Test func writingInPlaceChangesTheStamp() async throws {
    let file = ArchiveFile(in: folder)
    try file.replace(with: "one")
    let stamp = try file.stamp()
    let handle = try FileHandle(forWritingTo: folder.file("store"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("!".utf8))
    try handle.close()
    #expect(try file.stamp() != stamp)
  }

  // MARK: Locations

  @Test func missingFoldersAreCreatedForTheOwnerOnly() async throws {
    let system = FaultySystemCalls()
    try ArchiveFile(in: folder, "one/two/store", system: system).replace(with: "new")
    #expect(try ArchiveFile(in: folder, "one/two/store").readText() == "new")
    #expect(try folder.file("one").permissions == 0o700)
    #expect(try folder.file("one/two").permissions == 0o700)
    // Two parents of new folders, and the folder of the file.
    #expect(system.count(of: .fsync, onFolder: true) == 3)
    #expect(system.openDescriptors == 0)
  }

  @Test func aRemovedFolderIsCreatedAgain() async throws {
    let file = ArchiveFile(in: folder, "inner/store")
    try file.replace(with: "old")
    try FileManager.default.removeItem(at: folder.file("inner"))
    try file.replace(with: "new")
    #expect(try file.readText() == "new")
  }

  @Test(arguments: [250, 255])
  func namesMayBeAsLongAsTheSystemAllows(length: Int) async throws {
    let name = String(repeating: "n", count: length)
    try ArchiveFile(in: folder, name).replace(with: "old")
    try ArchiveFile(in: folder, name).replace(with: "new")
    #expect(try ArchiveFile(in: folder, name).readText() == "new")
    #expect(try folder.names() == [name])
  }

  @Test func namesMayContainAnyCharacters() async throws {
    for name in ["a b", "a%20b", "ü", "🚗", "\u{301}x", "a\nb", "..."] {
      try ArchiveFile(in: folder, name).replace(with: name)
      #expect(try ArchiveFile(in: folder, name).readText() == name)
    }
    #expect(try folder.names().count == 7)
  }

  @Test func aLinkStaysALinkAndItsTargetIsReplaced() async throws {
    let inner = folder.file("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    try Data("old".utf8).write(to: inner.file("real"))
    try folder.file("middle").makeLink(to: "inner/real")
    try folder.file("store").makeLink(to: "middle")
    try ArchiveFile(in: folder).replace(with: "new")
    #expect(try folder.file("store").linkDestination == "middle")
    #expect(try folder.file("middle").linkDestination == "inner/real")
    #expect(try String(contentsOf: inner.file("real"), encoding: .utf8) == "new")
    #expect(try folder.names() == ["inner", "middle", "store"])
    #expect(try inner.names() == ["real"])
  }

  @Test func aSwitchedLinkIsFollowedAgain() async throws {
    try Data("first".utf8).write(to: folder.file("first"))
    try Data("second".utf8).write(to: folder.file("second"))
    try folder.file("store").makeLink(to: "first")
    let file = ArchiveFile(in: folder)
    #expect(try file.readText() == "first")
    try FileManager.default.removeItem(at: folder.file("store"))
    try folder.file("store").makeLink(to: "second")
    try file.replace(with: "new")
    #expect(try String(contentsOf: folder.file("second"), encoding: .utf8) == "new")
    #expect(try String(contentsOf: folder.file("first"), encoding: .utf8) == "first")
  }

  /// A file that another program has written is not replaced by contents that were derived from the file before it.
  @Test(arguments: [true, false]) func aFileThatAnotherProgramReplacedIsNotReplaced(isThere: Bool) async throws {
    if isThere { try ArchiveFile(in: folder).replace(with: "old") }
    let system = FaultySystemCalls()
    system.fail(
      .close, nth: 1,
      .interlude {
        do {
          try Data("foreign".utf8).write(to: folder.file("foreign"))
          _ = try? FileManager.default.removeItem(at: folder.file("store"))
          try FileManager.default.moveItem(at: folder.file("foreign"), to: folder.file("store"))
        } catch {
          Issue.record(error)
        }
      })
    expectError(.busy) { try ArchiveFile(in: folder, system: system).replace(with: "new") }
    #expect(try folder.names() == ["store"])
    #expect(try ArchiveFile(in: folder).readText() == "foreign")
  }

  @Test func aLinkThatReplacedTheFileIsNotReplaced() async throws {
    let file = ArchiveFile(in: folder)
    try file.replace(with: "old")
    try FileManager.default.moveItem(at: folder.file("store"), to: folder.file("moved"))
    try folder.file("store").makeLink(to: "moved")
    expectError(.danglingLink) { try file.replace(with: "new") }
    #expect(try folder.file("store").linkDestination == "moved")
    #expect(try file.readText() == "old")
    try file.replace(with: "new")
    #expect(try String(contentsOf: folder.file("moved"), encoding: .utf8) == "new")
  }

  @Test func aTakenTemporaryNameIsTriedUnderSevenOthers() async throws {
    let system = FaultySystemCalls()
    for attempt in 1...7 { system.fail(.create, nth: attempt, .error(EEXIST)) }
    try ArchiveFile(in: folder, system: system).replace(with: "new")
    system.recover()
    system.fail(.create, .error(EEXIST))
    let error = expectError(.writeFailed) { try ArchiveFile(in: folder, system: system).replace(with: "newer") }
    #expect(error?.errorNumber == EEXIST)
    #expect(system.count(of: .create) == 8)
    #expect(try ArchiveFile(in: folder).readText() == "new")
  }
}
