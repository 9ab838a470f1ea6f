import Foundation
import GlobalData
import TestSupport
import Testing

/// A program whose standard error is closed, like that of a daemon, works like any other.
@Suite(.enabled(if: ChildProcess.isPossible)) struct ClosedStandardErrorTests {
  @TemporaryFolder private var folder

  /// Not every system has a device that is always full.
  private static let redirections =
    ["2>&-"] + (FileManager.default.fileExists(atPath: "/dev/full") ? ["2>/dev/full"] : [])

  /// Creates a file whose damage is reported when it is opened.
  private func makeDamagedFile(in folder: URL) async throws -> URL {
    let file = folder.appending(path: "store")
    try await GlobalData(at: file).update { data in
      try data.set("the text", forKey: "damaged")
      try data.set(1, forKey: "count")
    }
    var bytes = try Data(contentsOf: file)
    bytes[try #require(bytes.range(of: Data("the text".utf8))?.lowerBound)] ^= 1
    try bytes.write(to: file)
    return file
  }

  @Test(arguments: redirections) func aFailedReportStopsNothing(redirection: String) async throws {
    let file = try await makeDamagedFile(in: folder)
    let outcome = try await ChildProcess.run(
      "stress-writer", ["--recovering", "increment", file.path, "3"], outputIn: folder,
      through: "exec \"$0\" \"$@\" \(redirection)")
    #expect(outcome.status == 0)
    #expect(try GlobalData(at: file).object(Int.self, forKey: "counter") == 3)
  }

  @Test func aDiagnosticIsOneLineUnlessAHandlerTakesIt() async throws {
    for options in [["--recovering"], ["--recovering", "--quiet"]] {
      let file = try await makeDamagedFile(in: folder)
      let outcome = try await ChildProcess.run(
        "stress-writer", options + ["increment", file.path, "1"], outputIn: folder)
      #expect(outcome.status == 0)
      let lines = outcome.errors.split(separator: "\n")
      #if canImport(os)
      #expect(lines == [], "it is in the system's log")
      #else
      #expect(lines.count == (options.contains("--quiet") ? 0 : 1))
      #expect(
        lines.allSatisfy { $0.hasPrefix("GlobalData: recovered: kept 1 entry and lost 1: ") }, "\(lines)")
      #endif
      try FileManager.default.removeItem(at: file)
    }
  }

  /// The system gives the number of a closed stream to the next file that is opened. Printed text must not end up in a
  /// store.
  @Test func noFileOfAStoreGetsTheNumberOfAClosedStream() async throws {
    let outcome = try await ChildProcess.run("stress-writer", ["descriptors", folder.path], outputIn: folder)
    let descriptors = outcome.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    #expect(descriptors.count == 6)
    #expect(descriptors.allSatisfy { $0 > 2 }, "\(descriptors)")
    #expect(Set(descriptors).count == descriptors.count)
  }
}
