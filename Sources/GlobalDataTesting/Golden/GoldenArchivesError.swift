/// What stands between an app's models of today and the archives of its releases.
public struct GoldenArchivesError: Error, Sendable, CustomStringConvertible {
  /// One of the things that are wrong.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The release whose archive it is about; `nil` where it is about none.
    public let release: String?

    /// What is wrong, and what can be done about it.
    public let message: String

    /// The release and the message.
    public var description: String { release.map { "release \($0): \(message)" } ?? message }
  }

  /// All that is wrong.
  public let problems: [Problem]

  /// All problems, one a line.
  public var description: String {
    let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
    return "\(count) with golden archives:\n" + problems.map { "- \($0)" }.joined(separator: "\n")
  }
}
