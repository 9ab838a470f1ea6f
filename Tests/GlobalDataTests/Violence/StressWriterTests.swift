import Foundation
import GlobalData
import TestSupport
import Testing

/// The tool that the other tests of this folder rely on must detect each kind of loss, and report wrong usage.
@Suite(.enabled(if: ChildProcess.isPossible)) struct StressWriterTests {
  @TemporaryFolder private var folder

  private func writer(_ words: [String], in folder: URL) async throws -> ProcessOutcome {
    try await ChildProcess.run("stress-writer", words, outputIn: folder)
  }

  @Test(arguments: ["powerLoss", "ordered", "processCrash"])
  func eachSaveIsAnnouncedAndAcknowledged(durability: String) async throws {
    let path = folder.appendingPathComponent("store").path
    let first = try await writer(["--durability", durability, path, "2", "100"], in: folder)
    #expect(first.output == "TRY 1\nACK 1\nTRY 2\nACK 2\n")
    // A writer that is started again continues the numbers.
    let second = try await writer([path, "1", "0"], in: folder)
    #expect(second.output == "TRY 3\nACK 3\n")
    #expect(first.status == 0 && second.status == 0)
  }

  @Test func aFailedSaveIsReportedInOneLineAndTheNextOneIsTried() async throws {
    // A value larger than the system lets a file become, and a path that does not fit on one line.
    let path = folder.appendingPathComponent("two\nlines/store").path
    // A coverage profile would become too large as well, and half a profile fails `swift test --enable-code-coverage`.
    let outcome = try await ChildProcess.run(
      "stress-writer", [path, "2", "100000"], environment: ["LLVM_PROFILE_FILE": "/dev/null"], outputIn: folder,
      through: "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\"")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.last?.hasPrefix("ERR 2 ") == true)
    #expect(outcome.status == 0)
  }

  @Test func aWriterRefusesAFileThatCannotBeOpened() async throws {
    let outcome = try await writer([folder.path, "2", "10"], in: folder)
    #expect(outcome.status == 3)
    #expect(outcome.output.isEmpty)
    #expect(!outcome.errors.isEmpty)
  }

  @Test(
    arguments: [
      (2, 2, nil), (0, 2, nil), (2, 9, nil), (3, 9, "STALE"), (0, 1, "FUTURE"),
    ] as [(Int, Int, String?)]
  )
  func aFileWithSaveTwoIsJudgedCorrectly(acknowledged: Int, started: Int, problem: String?) async throws {
    let path = folder.appendingPathComponent("store").path
    _ = try await writer([path, "2", "100"], in: folder)
    let outcome = try await writer(["check", path, "\(acknowledged)", "\(started)"], in: folder)
    #expect(outcome.status == (problem == nil ? 0 : 1))
    #expect(outcome.output.split(separator: " ").first.map(String.init) == problem)
  }

  @Test func aMissingFileIsCorrectOnlyBeforeTheFirstAcknowledgement() async throws {
    let path = folder.appendingPathComponent("store").path
    #expect(try await writer(["check", path, "0", "3"], in: folder).status == 0)
    let lost = try await writer(["check", path, "1", "3"], in: folder)
    #expect(lost.status == 1)
    #expect(lost.output.hasPrefix("LOST "))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func unreadableBytesAreCorrupt() async throws {
    let url = folder.appendingPathComponent("store")
    _ = try await writer([url.path, "1", "100"], in: folder)
    let whole = try Data(contentsOf: url)
    let other = folder.appendingPathComponent("other")
    try await GlobalData(at: other).set("of another type", forKey: "value")
    for contents in [Data(), whole.dropLast(), Data("no archive".utf8), try Data(contentsOf: other)] {
      try contents.write(to: url)
      let outcome = try await writer(["check", url.path, "0", "1"], in: folder)
      #expect(outcome.status == 1)
      #expect(outcome.output.hasPrefix("CORRUPT "))
    }
    #expect(try await writer(["check", folder.path, "0", "1"], in: folder).output.hasPrefix("CORRUPT "))
  }

  @Test func aCounterIsIncrementedAndItsLastValuePrinted() async throws {
    let path = folder.appendingPathComponent("store").path
    let first = try await writer(["increment", path, "2"], in: folder)
    #expect(first.output == "TRY 1\nACK 1\nTRY 2\nACK 2\n2\n")
    let second = try await writer(["increment", path, "1", "--durability", "ordered"], in: folder)
    #expect(second.output == "TRY 1\nACK 3\n3\n")
    #expect(try await writer(["increment", path, "0"], in: folder).output == "3\n")
    try await GlobalData(at: URL(fileURLWithPath: path)).set("no number", forKey: "counter")
    let failed = try await writer(["increment", path, "1"], in: folder)
    #expect(failed.output.hasPrefix("TRY 1\nERR 1 "))
    #expect(failed.status == 3)
  }

  @Test func operationsArePerformedWithTheirTimes() async throws {
    let (path, backup) = (folder.appendingPathComponent("store").path, folder.appendingPathComponent("backup").path)
    #expect(try await writer(["increment", backup, "1"], in: folder).status == 0)
    let operations = ["set", "read", "remove", "read", "restore", "read", "reopen", "clear", "read"]
    let outcome = try await writer(["perform", path, "a", backup] + operations, in: folder)
    #expect(outcome.status == 0)
    var (lines, time) = ([String](), 0)
    for line in outcome.output.split(separator: "\n") {
      var words = line.split(separator: " ").map(String.init)
      let position = words[0] == "TRY" ? 3 : 2
      let next = try #require(Int(words.remove(at: position)))
      #expect(next >= time)
      time = next
      if words != ["ACK", words[1]] { lines.append(words.joined(separator: " ")) }
    }
    let expected = [
      "TRY 1 set", "TRY 2 read", "ACK 2 a=1", "TRY 3 remove", "TRY 4 read", "TRY 5 restore", "TRY 6 read",
      "ACK 6 counter=1", "TRY 7 reopen", "TRY 8 clear", "TRY 9 read",
    ]
    #expect(lines == expected)
    let failed = try await writer(["perform", path, "a", "\(backup) 2", "restore", "set"], in: folder)
    #expect(failed.output.contains("\nERR 1 ") && failed.output.contains("\nACK 2 "))
  }

  @Test(
    arguments: [
      [], ["FILE"], ["FILE", "1"], ["FILE", "1", "1", "1"], ["FILE", "-1", "1"], ["FILE", "1", "-1"],
      ["FILE", "one", "1"], ["FILE", "1", "9223372036854775807"], ["FILE", "99999999999999999999", "1"],
      ["", "1", "1"], ["check"], ["check", "FILE"], ["check", "FILE", "1"], ["check", "FILE", "1", "1", "1"],
      ["increment"], ["increment", "FILE"], ["perform", "FILE", "a", "backup"],
      ["perform", "FILE", "a", "backup", "save"], ["perform", "FILE", "a", "", "set"],
      ["increment", "FILE", "1", "1"], ["increment", "FILE", "-1"], ["check", "FILE", "x", "1"],
      ["check", "FILE", "2", "1"], ["--durability", "FILE", "1", "1"],
      ["FILE", "1", "1", "--durability"], ["FILE", "1", "1", "--durable"], ["--append", "FILE", "1", "1"],
      ["--", "--durability", "ordered", "FILE", "1", "1"],
    ])
  func wrongUsageIsReportedAndTouchesNothing(words: [String]) async throws {
    let path = folder.appendingPathComponent("store").path
    let outcome = try await writer(words.map { $0 == "FILE" ? path : $0 }, in: folder)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("usage: stress-writer"))
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
