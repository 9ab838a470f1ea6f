import Foundation
import GlobalData
import TestSupport
import Testing

/// `archivetool watch`, a process that runs until it is ended.
@Suite(.enabled(if: ChildProcess.isPossible), .timeLimit(.minutes(5))) struct WatchCommandTests {
  private let bench = ToolBench()

  /// Writes until the tool, which may still be starting, has printed one of the values.
  private func write(to store: GlobalData, until text: String, isPrintedBy tool: ChildProcess) async throws {
    var number = 0
    while try !hasPrinted(text, tool) {
      number += 1
      try await store.set(number, forKey: "count")
    }
  }

  private func wait(for text: String, in tool: ChildProcess) async throws {
    while try !hasPrinted(text, tool) { await Task.yield() }
  }

  /// The suite's time limit cancels the test, which then reports the text that it waited for.
  private func hasPrinted(_ text: String, _ tool: ChildProcess) throws -> Bool {
    let output = try tool.output()
    guard Task.isCancelled, !output.contains(text) else { return output.contains(text) }
    tool.kill()
    Issue.record("waited for \(text.debugDescription), but the tool printed only: \(output)")
    throw CancellationError()
  }

  @Test func theWritesOfAnotherProcessArePrinted() async throws {
    let store = GlobalData(at: bench.file)
    let tool = try ChildProcess("archivetool", ["watch", bench.file.path], outputIn: bench.folder)
    try await write(to: store, until: "count  Int", isPrintedBy: tool)
    try await store.set("Ada", forKey: "name")
    try await wait(for: "+ name  String \"Ada\"\n", in: tool)
    try await store.set("Kim", forKey: "name")
    try await wait(for: "~ name  String \"Ada\" -> String \"Kim\"\n", in: tool)
    try await store.removeObject(forKey: "name")
    try await wait(for: "- name  String \"Kim\"\n", in: tool)
    tool.kill()
    #expect(try await tool.outcome().errors.contains("watching \(bench.file.path)"))
  }

  @Test func aFileThatDoesNotExistYetIsPointedOut() async throws {
    let tool = try ChildProcess(
      "archivetool", ["watch", bench.file.path], outputIn: bench.folder, through: #"exec "$0" "$@" 2>&1"#)
    try await wait(for: "watching \(bench.file.path), which does not exist yet\n", in: tool)
    tool.kill()
  }

  @Test func aValueThatCannotBeReadDoesNotEndTheWatching() async throws {
    var configuration = GlobalData.Configuration(location: .file(bench.file))
    configuration.limits.maximumDepth = 1_000
    let store = GlobalData(configuration)
    let tool = try ChildProcess("archivetool", ["watch", bench.file.path], outputIn: bench.folder)
    try await write(to: store, until: "count  Int", isPrintedBy: tool)
    try await store.set((0..<300).reduce(ArchiveValue.int(1)) { value, _ in [value] }, forKey: "deep")
    try await wait(for: "+ deep  [Any] that cannot be read\n", in: tool)
    try await store.set("Ada", forKey: "name")
    try await wait(for: "+ name  String \"Ada\"\n", in: tool)
    tool.kill()
    #expect(try await tool.outcome().errors.contains("more than 256 levels of nesting"))
  }

  @Test func theAdviceForADamagedFileNamesCommands() async throws {
    let store = GlobalData(at: bench.file)
    let tool = try ChildProcess(
      "archivetool", ["watch", bench.file.path], outputIn: bench.folder, through: #"exec "$0" "$@" 2>&1"#)
    try await write(to: store, until: "count  Int", isPrintedBy: tool)
    try Data().write(to: bench.file, options: .atomic)
    try await wait(for: "with archivetool repair, or start over with archivetool clear.\n", in: tool)
    tool.kill()
    #expect(try await !tool.outcome().output.contains("recover()"))
  }

  @Test func aFileThatCannotBeWatchedIsReportedOnce() async throws {
    let notes = try bench.write("my notes", to: "notes.txt")
    // Another report would come from another thread, and the process may end before it.
    for _ in 0..<6 {
      let outcome = try await bench.tool("watch", notes)
      #expect(outcome.status == 3 && outcome.output.isEmpty)
      #expect(outcome.errors.components(separatedBy: "is not an archive of GlobalData").count == 2, "\(outcome)")
    }
  }

  @Test func forProgramsEachKeyIsAnObjectOnALineOfItsOwn() async throws {
    let store = GlobalData(at: bench.file)
    let tool = try ChildProcess("archivetool", ["watch", "--json", bench.file.path], outputIn: bench.folder)
    try await write(to: store, until: "\"key\":\"count\"", isPrintedBy: tool)
    try await store.set("Ada", forKey: "name")
    try await wait(
      for: #"{"key":"name","change":"added","type":"String","size":4,"value":"Ada"}"# + "\n", in: tool)
    try await store.set("\u{9b}2J\u{202e}", forKey: "name")
    try await wait(
      for: #"{"key":"name","change":"changed","type":"String","size":8,"value":"\u009b2J\u202e"}"#, in: tool)
    try await store.clear()
    try await wait(for: #"{"key":"name","change":"removed"}"# + "\n", in: tool)
    tool.kill()
    _ = try await tool.outcome()
  }
}
