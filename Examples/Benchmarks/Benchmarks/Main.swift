import Foundation

/// Runs the benchmarks named on the command line, or all of them.
///
///     swift run --package-path Examples/Benchmarks -c release Benchmarks [codecs | collections | models | memory]
@main
enum Main {
  static func main() async throws {
    let names = CommandLine.arguments.dropFirst()
    if names.isEmpty || names.contains("codecs") { try CodecBenchmarks.run() }
    if names.isEmpty || names.contains("collections") { try await CollectionBenchmarks.run() }
    if names.isEmpty || names.first == "models" { try ModelBenchmarks.run() }
    if names.first == "memory" { try MemoryBenchmarks.run() }
    if names.first == "profile" { try CodecBenchmarks.profile(Array(names.dropFirst())) }
  }
}
