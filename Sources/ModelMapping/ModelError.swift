public import Foundation

/// A mistake in a model's declaration, or JSON that cannot be read.
///
/// A value that does not fit its field throws a `DecodingError`, as with every coder. When a model reads JSON, the
/// underlying error of its context is a `ModelError` with the position in the text.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private let name: String

    /// A model's fields contradict each other, or some property is neither a field nor ignored.
    public static let invalidDeclaration = Code(name: "invalidDeclaration")
    /// A text is not valid JSON.
    public static let malformedJSON = Code(name: "malformedJSON")
    /// An object in JSON has a key twice.
    public static let duplicateKey = Code(name: "duplicateKey")
    /// A value does not fit its field.
    public static let mismatch = Code(name: "mismatch")
    /// In strict mode, a value would have been converted, left out or replaced.
    public static let notStrict = Code(name: "notStrict")
    /// A value is nested too deeply.
    public static let limitReached = Code(name: "limitReached")

    public var description: String { name }
  }

  /// The kind of failure.
  public let code: Code
  /// What failed, and what to do about it.
  public let message: String
  /// The path of the value in the input.
  public let path: ValuePath
  /// The position in the JSON text, if known.
  public let location: TextLocation?
  /// The findings that strict mode does not allow.
  public let report: DecodingReport

  init(
    _ code: Code, _ message: String, path: ValuePath = [], location: TextLocation? = nil,
    report: DecodingReport = DecodingReport()
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.location = location
    self.report = report
  }

  public var description: String { "\(code): \(errorDescription ?? message)" }
}

extension ModelError: LocalizedError {
  /// What failed, where, and what to do about it.
  public var errorDescription: String? {
    let position = path.components.isEmpty ? "" : " At \(path)."
    return "\(message)\(position)\(location.map { " At \($0)." } ?? "")"
  }
}

/// A position in a text.
public struct TextLocation: Hashable, Sendable, CustomStringConvertible {
  /// The number of bytes before it, in UTF-8.
  public let offset: Int
  /// The line, counted from 1.
  public let line: Int
  /// The position of the byte in its line, counted from 1.
  public let column: Int

  init(offset: Int, in bytes: [UInt8]) {
    let before = bytes.prefix(offset)
    self.offset = offset
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    column = offset - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
  }

  public var description: String { "line \(line), column \(column) (byte \(offset))" }
}
