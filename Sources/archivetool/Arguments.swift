/// A command of the tool.
protocol Command: Sendable {
  static var name: String { get }
  /// The options in brackets, and the operands, as in a usage line. Each is one word: no option takes a value.
  static var synopsis: String { get }
  static var summary: String { get }
  static var discussion: String { get }

  static func run(_ arguments: Arguments) async throws -> ExitStatus
}

extension Command {
  /// The options, with their dashes.
  static var options: [String] {
    synopsis.split(separator: " ").filter { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) }
  }

  /// The names of the operands.
  static var operands: [String] {
    synopsis.split(separator: " ").filter { !$0.hasPrefix("[") }.map(String.init)
  }

  static var call: String { ([name] + operands).joined(separator: " ") }
}

/// The parsed arguments of a command. An option is a word that begins with two dashes, unlike a value such as `-1`.
/// After `--`, nothing is an option.
struct Arguments {
  private(set) var operands: [String] = []
  private var options: Set<String> = []

  init(_ words: [String], for command: any Command.Type) throws(UsageError) {
    var onlyOperands = false
    for word in words {
      if onlyOperands || !word.hasPrefix("--") {
        operands.append(word)
      } else if word == "--" {
        onlyOperands = true
      } else if command.options.contains(word) {
        options.insert(word)
      } else {
        throw UsageError("unknown option \(word)", command)
      }
    }
    let expected = command.operands.count
    guard operands.count == expected else {
      throw UsageError(
        operands.count < expected ? "missing arguments" : "unexpected argument \"\(operands.last ?? "")\"", command)
    }
  }

  func has(_ option: String) -> Bool { options.contains(option) }
}

struct UsageError: Error {
  var message: String
  var command: (any Command.Type)?

  init(_ message: String, _ command: (any Command.Type)? = nil) {
    self.message = message
    self.command = command
  }
}
