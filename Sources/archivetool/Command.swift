protocol Command: Sendable {
  static var name: String { get }
  /// The arguments, as in a usage line.
  static var synopsis: String { get }
  /// What it does, in a few words.
  static var summary: String { get }
  /// What it does, in sentences.
  static var discussion: String { get }
  /// The options it takes, with their dashes.
  static var options: Set<String> { get }
  static var operandCount: Int { get }

  static func run(_ arguments: Arguments) async throws -> ExitStatus
}

extension Command {
  static var options: Set<String> { [] }

  static var call: String {
    ([name] + synopsis.split(separator: " ").filter { !$0.hasPrefix("[") }.map(String.init)).joined(separator: " ")
  }
}
