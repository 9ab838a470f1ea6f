import CodingSupport

/// Lists the problems between current models and the archives of releases.
public struct GoldenArchivesError: Error, Sendable, CustomStringConvertible {
  /// One problem.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The release of the archive, if the problem concerns one.
    public let release: String?

    /// What is wrong, and what to do about it.
    public let message: String

    /// The release and the message.
    public var description: String { release.map { "release \($0): \(message)" } ?? message }
  }

  /// All problems.
  public let problems: [Problem]

  /// All problems, one on each line.
  public var description: String {
    "\(counted(problems.count, "problem", "problems")) with golden archives:\n"
      + problems.map { "- \($0)" }.joined(separator: "\n")
  }
}
