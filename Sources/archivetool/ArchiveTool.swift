import Foundation
import GlobalData
import GlobalDataImporting

/// The entry point: finds and runs the command, and returns an exit status.
@main
enum ArchiveTool {
  static let commands: [any Command.Type] = [
    ListCommand.self, GetCommand.self, SetCommand.self, RemoveCommand.self, ClearCommand.self, CheckCommand.self,
    RepairCommand.self, DiffCommand.self, ExportCommand.self, ImportCommand.self, WatchCommand.self,
    BackupCommand.self, RestoreCommand.self,
  ]

  static func main() async {
    let status = await run(Array(CommandLine.arguments.dropFirst()))
    exit(status.rawValue)
  }

  private static func run(_ arguments: [String]) async -> ExitStatus {
    do {
      // Swift replaces what is not UTF-8: the name of a file would become that of another, and two keys could become
      // one.
      for case let argument? in UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        .dropFirst()
      where String(validatingCString: argument) == nil {
        throw UsageError("the argument \(String(cString: argument).quoted) is not valid UTF-8")
      }
      guard let name = arguments.first else { throw UsageError("no command given") }
      if ["help", "--help", "-h"].contains(name) { return try help(arguments.dropFirst().first) }
      guard let command = commands.first(where: { $0.name == name }) else {
        throw UsageError("unknown command \"\(name)\"")
      }
      let rest = Array(arguments.dropFirst())
      if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
        return try help(name)
      }
      return try await command.run(Arguments(rest, for: command))
    } catch let error as UsageError {
      Output.complain("\(error.message)\n\(usage(error.command))")
      return .usage
    } catch let thrown {
      let error = (thrown as? GlobalDataError)?.inCommands
      Output.complain(String(describing: error ?? thrown))
      let isLimit = (error?.underlyingError as? KeyedArchiveError)?.code == .limitReached || error?.isOfLimit == true
      let command = commands.first { $0.name == arguments.first }
      if isLimit, command?.options.contains(ValueOutput.option) == true, !arguments.contains(ValueOutput.option) {
        Output.complain(ValueOutput.optionAdvice)
      }
      return .failed
    }
  }

  private static func help(_ name: String?) throws -> ExitStatus {
    guard let name else {
      try Output.write(usage(nil))
      return .done
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      throw UsageError("unknown command \"\(name)\"")
    }
    try Output.write("\(usage(command))\n\n\(command.discussion)")
    return .done
  }

  private static func usage(_ command: (any Command.Type)?) -> String {
    if let command { return "usage: archivetool \(command.name) \(command.synopsis)" }
    let width = commands.map { $0.call.count }.max() ?? 0
    let lines = commands.map { command in
      "  archivetool \(command.call.padding(toLength: width + 3, withPad: " ", startingAt: 0))\(command.summary)"
    }
    return """
      usage: archivetool COMMAND ...

      \(lines.joined(separator: "\n"))

      "archivetool help COMMAND" prints details and options.
      Exit status: 0 success; 1 damaged, different or no such key; 2 usage error; 3 failure.
      """
  }
}

extension GlobalDataError {
  /// The error with advice for a user of the tool, who has its commands instead of the library's functions.
  var inCommands: GlobalDataError {
    var advice = advice
    if code == .damaged {
      advice.replace("recover()", with: "archivetool repair")
      advice.replace("clear()", with: "archivetool clear")
    } else if code == .importFailed {
      advice.replace("skipping: .unreadable", with: "--skip-unreadable")
    }
    return advising(advice)
  }
}

/// A failure that only has a message.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The exit status for scripts.
enum ExitStatus: Int32 {
  case done = 0
  /// The file is damaged, the files differ, or there is no such key.
  case no = 1
  case usage = 2
  case failed = 3
}
