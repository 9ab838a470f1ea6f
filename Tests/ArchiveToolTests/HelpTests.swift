import Foundation
import TestSupport
import Testing

@testable import archivetool

/// Help for each command, requested in both ways.
@Suite(.enabled(if: ChildProcess.isPossible)) struct HelpTests {
  private let bench = ToolBench()
  private static let names = ArchiveTool.commands.map { $0.name }

  @Test(arguments: names)
  func eachCommandExplainsItself(_ name: String) async throws {
    let command = try #require(ArchiveTool.commands.first { $0.name == name })
    let help = try await bench.tool("help", name)
    #expect(help.status == 0)
    #expect(help.errors.isEmpty)
    #expect(help.output == "usage: archivetool \(name) \(command.synopsis)\n\n\(command.discussion)\n")
    #expect(try await bench.tool(name, "--help").output == help.output)
    for option in command.options { #expect(command.discussion.contains(option)) }
  }

  @Test func theOverviewNamesEachCommand() async throws {
    let help = try await bench.tool("help")
    #expect(help.status == 0)
    for command in ArchiveTool.commands {
      #expect(help.output.contains("  archivetool \(command.call) "))
      #expect(help.output.contains(command.summary))
    }
  }

  @Test func helpForNoCommandIsWrongUsage() async throws {
    let help = try await bench.tool("help", "unknown")
    #expect(help.status == 2)
    #expect(help.output.isEmpty)
    #expect(help.errors.hasPrefix("archivetool: unknown command \"unknown\"\nusage: archivetool COMMAND"))
  }
}
