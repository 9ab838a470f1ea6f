protocol Command: Sendable {
  static var name: String { get }
  /// The arguments, as in a usage line.
  static var synopsis: String { get }
  /// A short description.
  static var summary: String { get }
  /// A full description.
  static var discussion: String { get }
  /// The options, with their dashes.
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
