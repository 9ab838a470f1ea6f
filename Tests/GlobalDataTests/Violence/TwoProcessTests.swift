import Foundation
import GlobalData
import TestSupport
import Testing

/// Processes that write one file at the same time. `Violence/run.sh` does the same at length.
@Suite(.enabled(if: ChildProcess.isPossible), .serialized) struct TwoProcessTests {
  @TemporaryFolder private var folder

  /// The counter's values that a process received, and the number of increments that it began.
  private func numbers(_ outcome: ProcessOutcome) -> (acknowledged: [Int], started: Int) {
    // A line that was cut off by a kill has no end.
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let acknowledged = lines.filter { $0.hasPrefix("ACK ") }.compactMap { Int($0.dropFirst(4)) }
    return (acknowledged, lines.count { $0.hasPrefix("TRY ") })
  }

  private func counter(_ url: URL) throws -> Int {
    let store = GlobalData(at: url)
    return try store.object(Int.self, forKey: "counter") ?? 0
  }

  @Test(arguments: [[], ["--appending"]])
  func incrementsOfTwoProcessesAllArrive(options: [String]) async throws {
    let url = folder.appendingPathComponent("store")
    let arguments = options + ["increment", url.path, "150"]
    async let first = ChildProcess.run("stress-writer", arguments, outputIn: folder)
    async let second = ChildProcess.run("stress-writer", arguments, outputIn: folder)
    let outcomes = try await [first, second]
    #expect(outcomes.allSatisfy { $0.status == 0 })
    #expect(outcomes.flatMap { numbers($0).acknowledged }.sorted() == Array(1...300))
    #expect(try counter(url) == 300)
  }

  @Test func aKilledProcessDoesNotBlockOthers() async throws {
    let url = folder.appendingPathComponent("store")
    var random = SystemRandomNumberGenerator()
    var before = 0
    for round in 0..<15 {
      let living = try ChildProcess("stress-writer", ["increment", url.path, "20"], outputIn: folder)
      let victim = try ChildProcess("stress-writer", ["increment", url.path, "100000"], outputIn: folder)
      let lines = Int.random(in: 1...20, using: &random)
      try await victim.waitForOutput { $0.split(separator: "\n").count >= lines }
      victim.kill()
      let (acknowledged, started) = numbers(try await victim.outcome())
      let outcome = try await living.outcome()
      #expect(outcome.status == 0, "round \(round): \(outcome.output)")
      let now = try counter(url)
      #expect((before + 20 + acknowledged.count...before + 20 + started).contains(now), "round \(round)")
      before = now
    }
    #expect(try folderContents(folder).filter { $0.hasSuffix(".tmp") }.isEmpty)
  }
}
