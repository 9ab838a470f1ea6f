import Foundation
import GlobalDataTesting
import TestSupport
import Testing

@testable import GlobalData

struct ArchiveFileReadingTests {
  @TemporaryFolder private var folder

  // MARK: Absent files and unreadable ones

  @Test func aMissingFileIsAbsent() async throws {
    #expect(try ArchiveFile(in: folder).read(limit: 100) == nil)
    #expect(try ArchiveFile(in: folder).stamp() == nil)
    #expect(try folder.names() == [])
  }

  @Test func aMissingFolderIsAbsent() async throws {
    let file = ArchiveFile(in: folder, "one/two/three/store")
    #expect(try file.read(limit: 100) == nil)
    #expect(try file.stamp() == nil)
    #expect(try folder.names() == [])
  }

  @Test func anEmptyFileIsNotAbsent() async throws {
    try Data().write(to: folder.file("store"))
    #expect(try ArchiveFile(in: folder).read(limit: 100) == Data())
  }

  @Test func aDanglingLinkIsNotAbsent() async throws {
    try folder.file("store").makeLink(to: "nowhere")
    try folder.file("folder").makeLink(to: "nowhere")
    expectError(.danglingLink) { _ = try ArchiveFile(in: folder).read(limit: 100) }
    expectError(.danglingLink) { _ = try ArchiveFile(in: folder, "folder/store").read(limit: 100) }
    expectError(.danglingLink) { try ArchiveFile(in: folder).replace(with: "new") }
    expectError(.danglingLink) { try ArchiveFile(in: folder, "folder/store").replace(with: "new") }
    #expect(try folder.names() == ["folder", "store"])
  }

  @Test func aCycleOfLinksIsAnError() async throws {
    try folder.file("store").makeLink(to: "other")
    try folder.file("other").makeLink(to: "store")
    expectError(.danglingLink) { _ = try ArchiveFile(in: folder).read(limit: 100) }
    expectError(.danglingLink) { try ArchiveFile(in: folder).replace(with: "new") }
    expectError(.danglingLink) { try ArchiveFile(in: folder).remove(durability: .powerLoss) }
  }

  @Test func foldersPipesAndDevicesAreNotFiles() async throws {
    try FileManager.default.createDirectory(at: folder.file("folder"), withIntermediateDirectories: false)
    try folder.file("pipe").makePipe()
    for path in [folder.file("folder"), folder.file("pipe"), URL(fileURLWithPath: "/dev/null")] {
      let system = FaultySystemCalls()
      expectError(.notAFile) { _ = try ArchiveFile(url: path, system: system).read(limit: 100) }
      expectError(.notAFile) { try ArchiveFile(url: path, system: system).replace(with: "new") }
      expectError(.notAFile) { try ArchiveFile(url: path, system: system).remove(durability: .processCrash) }
      #expect(system.openDescriptors == 0)
    }
    #expect(try folder.names() == ["folder", "pipe"])
  }

  @Test func aPathThroughAFileLeadsNowhere() async throws {
    try Data("x".utf8).write(to: folder.file("file"))
    expectError(.notAFile) { _ = try ArchiveFile(in: folder, "file/store").read(limit: 100) }
    expectError(.notAFile) { try ArchiveFile(in: folder, "file/store").replace(with: "new") }
  }

  @Test(arguments: ["https://example.org/store", "file:///", "data:,x"])
  func someURLsAreNotFileURLs(text: String) throws {
    let file = ArchiveFile(url: try #require(URL(string: text)))
    expectError(.notAFile) { _ = try file.read(limit: 100) }
    expectError(.notAFile) { try file.replace(with: "new") }
  }

  @Test func aPathThatIsTooLongIsAnError() async throws {
    let name = String(repeating: "n", count: 256)
    expectError(.notAFile) { _ = try ArchiveFile(in: folder, name).read(limit: 100) }
  }

  // MARK: Contents

  @Test(arguments: [0, 1, 14, 15, 4096, 100_000])
  func contentsAreReadWhole(length: Int) async throws {
    let contents = Data((0..<length).map { UInt8(truncatingIfNeeded: $0) })
    try contents.write(to: folder.file("store"))
    #expect(try ArchiveFile(in: folder).read(limit: length) == contents)
  }

  @Test func contentsAreReadThroughALink() async throws {
    try Data("here".utf8).write(to: folder.file("real"))
    try folder.file("store").makeLink(to: "real")
    #expect(try ArchiveFile(in: folder).readText() == "here")
  }

  @Test func aFileBeyondTheLimitIsRefusedUnread() async throws {
    try Data(count: 101).write(to: folder.file("store"))
    let system = FaultySystemCalls()
    let file = ArchiveFile(in: folder, system: system)
    expectError(.fileTooLarge) { _ = try file.read(limit: 100) }
    #expect(system.count(of: .read) == 0)
    #expect(system.openDescriptors == 0)
    #expect(try file.read(limit: 101)?.count == 101)
  }

  @Test func aHugeSparseFileIsRefusedUnread() async throws {
    let path = folder.file("store").path
    try Data().write(to: folder.file("store"))
    try #require(truncate(path, 1 << 40) == 0)
    expectError(.fileTooLarge) { _ = try ArchiveFile(in: folder).read(limit: 256 << 20) }
  }

  /// The size that the system reports is a hint: it is 0 for files in `/proc`.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/maps"), "there is no /proc"))
  func aFileThatIsLongerThanItsStatusIsReadToItsEnd() throws {
    let file = ArchiveFile(url: URL(fileURLWithPath: "/proc/self/maps"))
    #expect(try file.read(limit: 1 << 24)?.isEmpty == false)
    expectError(.fileTooLarge) { _ = try file.read(limit: 10) }
  }

  @Test func shortReadsAreContinued() async throws {
    try Data("many small steps".utf8).write(to: folder.file("store"))
    let system = FaultySystemCalls()
    system.fail(.read, .short(1))
    #expect(try ArchiveFile(in: folder, system: system).readText() == "many small steps")
    #expect(system.count(of: .read) == 17)
  }

  // MARK: Failures

  @Test(
    arguments: [
      (.open, EACCES, .locked),
      (.openat, EACCES, .locked),
      (.openat, EPERM, .locked),
      (.read, EPERM, .locked),
      (.realpath, EACCES, .locked),
      (.realpath, ELOOP, .danglingLink),
      (.realpath, EIO, .readFailed),
      (.openat, ELOOP, .danglingLink),
      (.openat, ENXIO, .notAFile),
      (.openat, EMFILE, .readFailed),
      (.openat, EIO, .readFailed),
      (.fstat, EIO, .readFailed),
      (.read, EIO, .readFailed),
      (.read, ESTALE, .readFailed),
    ] as [(SystemCall, Int32, GlobalDataError.Code)]
  )
  func anUnreadableFileIsNotAbsent(call: SystemCall, number: Int32, code: GlobalDataError.Code) async throws {
    try Data("kept".utf8).write(to: folder.file("store"))
    let system = FaultySystemCalls()
    system.fail(call, .error(number))
    let file = ArchiveFile(in: folder, system: system)
    let error = expectError(code) { _ = try file.read(limit: 100) }
    #expect(error?.systemCall == call.rawValue)
    #expect(error?.errorNumber == number)
    #expect(error?.fileURL == file.url)
    #expect(system.openDescriptors == 0)

    system.recover()
    #expect(try file.readText() == "kept")
  }

  @Test func interruptedCallsAreRepeated() async throws {
    try Data("kept".utf8).write(to: folder.file("store"))
    let system = FaultySystemCalls()
    for call in [SystemCall.realpath, .open, .openat, .fstat, .read] { system.fail(call, nth: 1, .error(EINTR)) }
    system.fail(.close, .error(EINTR))
    #expect(try ArchiveFile(in: folder, system: system).readText() == "kept")
    #expect(system.faults == 7)
    #expect(system.openDescriptors == 0)
  }

  /// Each call of a read fails once, in turn. An existing file must never be treated as absent.
  @Test(arguments: [EIO, EACCES, EINTR, ENOMEM])
  func noFailedCallMakesTheFileSeemAbsent(number: Int32) async throws {
    try Data("kept".utf8).write(to: folder.file("store"))
    for call in 1... {
      let system = FaultySystemCalls()
      system.failCall(number: call, .error(number))
      let text = Result { try ArchiveFile(in: folder, system: system).readText() }
      #expect(system.openDescriptors == 0, "call \(call)")
      if case .success(let text) = text { #expect(text == "kept", "call \(call)") }
      if system.faults == 0 { break }
    }
  }
}
