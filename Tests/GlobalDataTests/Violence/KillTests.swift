import Foundation
import GlobalData
import TestSupport
import Testing

/// A writer that is killed at any moment leaves a readable store with every acknowledged value.
/// `Violence/run.sh` does the same at length, and at every call.
@Suite(.enabled(if: ChildProcess.isPossible), .serialized) struct KillTests {
  @TemporaryFolder private var folder

  @Test(arguments: [[], ["--appending"]])
  func everyAcknowledgedValueIsThereAfterEachKill(options: [String]) async throws {
    let url = folder.appendingPathComponent("store.archive")
    var random = SystemRandomNumberGenerator()
    var acknowledged = 0
    // A save that began before an earlier kill may have reached the file without being acknowledged.
    var started = 0
    var interrupted = 0
    for round in (0..<30).oneIn(2) {
      let size = [200, 20_000, 400_000][round % 3]
      let writer = try ChildProcess(
        "stress-writer", options + [url.path, "100000", String(size)], outputIn: folder)
      // Killed after a random number of lines and of further polls: anywhere in a save.
      let lines = Int.random(in: 0...12, using: &random)
      try await writer.waitForOutput { $0.split(separator: "\n").count >= lines }
      for _ in 0..<Int.random(in: 0...40, using: &random) { await Task.yield() }
      writer.kill()
      let outcome = try await writer.outcome()

      let report = WriterReport(outcome.output)
      #expect(report.errors.isEmpty)
      acknowledged = max(acknowledged, report.acknowledged)
      started = max(started, report.started)
      if report.started > report.acknowledged { interrupted += 1 }
      let check = try await ChildProcess.run(
        "stress-writer", options + ["check", url.path, String(acknowledged), String(started)], outputIn: folder)
      try #require(check.status == 0, "round \(round): \(check.output)")
    }
    // Some kills interrupted a save, and nothing of these saves remains.
    #expect(interrupted > 1)
    #expect(try folderContents(folder).filter { $0.hasSuffix(".tmp") }.count <= 1)
    try GlobalData(at: url).openNow()
    #expect(try folderContents(folder).filter { $0.hasSuffix(".tmp") }.isEmpty)
  }

  @Test func waitingForTheOutputOfAnEndedProcessThrows() async throws {
    let process = try ChildProcess("stress-writer", [], outputIn: folder)
    await #expect(throws: ChildProcess.EndedTooEarly.self) { try await process.waitForOutput { _ in false } }
  }
}

/// The output of a `stress-writer`.
struct WriterReport {
  var started = 0
  var acknowledged = 0
  var errors: [String] = []

  init(_ output: String) {
    for line in output.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count >= 2, let number = Int(words[1]) else { continue }
      switch words[0] {
      case "TRY": started = number
      case "ACK": acknowledged = number
      case "ERR": errors.append(String(line))
      default: break
      }
    }
  }
}
