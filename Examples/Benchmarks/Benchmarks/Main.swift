import Foundation

/// Runs the benchmarks named on the command line, or all of them.
///
///     swift run --package-path Examples/Benchmarks -c release Benchmarks [codecs | collections | import | models | observing | stores | table
///         | transactions]
///         [--json FILE] [--folder FOLDER]
///
/// `--json` writes the measurements for `plots.py`. `--folder` selects the disk to measure, for example if the folder
/// for temporary files is in memory. `openings` measures only a part of `stores`. `memory` and `profile` are for use
/// with other tools, which their sources describe.
@main
enum Main {
  /// Not `async`, because the main thread has to wait: valgrind, which `.ci/counts.py` counts with, crashes when Swift
  /// parks the main thread. All commands that measure need that thread for the main actor, though.
  static func main() {
    let isCounted = ["write", "read", "reopen", "profile", "repeat", "importing"].contains(
      CommandLine.arguments.dropFirst().first)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await runAll()
      } catch {
        report(error)
        exit(1)
      }
      if isCounted { isDone.signal() } else { exit(0) }
    }
    if isCounted { isDone.wait() } else { dispatchMain() }
  }

  private static func report(_ failure: any Error) {
    do {
      try FileHandle.standardError.write(contentsOf: Data("\(failure)\n".utf8))
    } catch {
      return  // standard error is closed, so there is no stream left to report it
    }
  }

  private static func runAll() async throws {
    var names = Array(CommandLine.arguments.dropFirst())
    let json = option("--json", in: &names)
    let workplace = try Workplace(in: option("--folder", in: &names))
    do {
      try await run(names, workplace, json)
    } catch {
      try workplace.remove()
      throw error
    }
    try workplace.remove()
  }

  private static func run(_ names: [String], _ workplace: Workplace, _ json: String?) async throws {
    switch names.first {
    case "memory": return try MemoryBenchmarks.run()
    case "repeat": return try await TableBenchmarks.repeatWork(Array(names.dropFirst()))
    case "profile": return try CodecBenchmarks.profile(Array(names.dropFirst()))
    case "open": return try await MemoryAfterOpening.open(names.last ?? "")
    case "importing": return try await ImportBenchmarks.insert(Array(names.dropFirst()))
    case "write": return try await StoreBenchmarks.write(Array(names.dropFirst()), in: workplace)
    case "read": return try await StoreBenchmarks.read(Array(names.dropFirst()), in: workplace)
    case "compare": return try await StoreBenchmarks.compare(Array(names.dropFirst()), in: workplace)
    case "reopen": return try await StoreBenchmarks.reopen(Array(names.dropFirst()), in: workplace)
    case "columns": return StoreBenchmarks.listColumns()
    default: break
    }
    var report = Report()
    if names.isEmpty || names.contains("stores") { try await StoreBenchmarks.run(&report, in: workplace) }
    if names.contains("transactions") {  // they are part of the stores
      for table in try await WriteBenchmarks.transaction(in: workplace) { report.add(table) }
    }
    if names.contains("openings") { try await StoreBenchmarks.openings(&report, in: workplace) }
    if names.isEmpty || names.contains("codecs") { try CodecBenchmarks.run(&report) }
    if names.isEmpty || names.contains("collections") { try await CollectionBenchmarks.run(&report) }
    if names.isEmpty || names.contains("table") { try await TableBenchmarks.run(&report, in: workplace) }
    #if os(Linux)  // they read /proc
    if names.isEmpty || names.contains("import") { try await ImportBenchmarks.run(&report, in: workplace) }
    #endif
    if names.isEmpty || names.contains("observing") { try await ObservingBenchmarks.run(&report) }
    if names.isEmpty || names.contains("models") { try ModelBenchmarks.run(&report) }
    if let json { try report.write(to: json) }
  }

  /// Removes an option and the word after it, and returns that word.
  private static func option(_ name: String, in words: inout [String]) -> String? {
    guard let index = words.firstIndex(of: name), index + 1 < words.count else { return nil }
    defer { words.removeSubrange(index...index + 1) }
    return words[index + 1]
  }
}
