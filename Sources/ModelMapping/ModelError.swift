public import Foundation

/// What is wrong with a model's declaration, or with JSON as a whole.
///
/// A value that does not fit its field is a `DecodingError`, as for every coder. When JSON is read by a model, the
/// error's context carries one of these as its underlying error, which has the place in the text.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String {
      case invalidDeclaration, malformedJSON, duplicateKey, mismatch, notStrict, limitReached
    }
    private let name: Name

    /// A model's fields contradict each other, or some property is neither a field nor ignored.
    public static let invalidDeclaration = Code(name: .invalidDeclaration)
    /// A text is not JSON.
    public static let malformedJSON = Code(name: .malformedJSON)
    /// An object in JSON has a key twice.
    public static let duplicateKey = Code(name: .duplicateKey)
    /// A value does not fit its field.
    public static let mismatch = Code(name: .mismatch)
    /// Something had to be converted, left out or replaced, and the caller wanted none of it.
    public static let notStrict = Code(name: .notStrict)
    /// A value is nested too deeply.
    public static let limitReached = Code(name: .limitReached)

    public var description: String { name.rawValue }
  }

  /// The kind of failure.
  public let code: Code
  /// What failed, and what can be done about it.
  public let message: String
  /// Where the value is in what was read.
  public let path: ValuePath
  /// Where it is in the text of JSON, if that is known.
  public let location: TextLocation?
  /// What strict reading does not allow.
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

  public var description: String {
    "\(code): \(errorDescription ?? message)"
  }
}

extension ModelError: LocalizedError {
  /// What failed, where, and what can be done about it.
  public var errorDescription: String? {
    let place = path.components.isEmpty ? "" : " At \(path)."
    return "\(message)\(place)\(location.map { " At \($0)." } ?? "")"
  }
}

/// A place in a text.
public struct TextLocation: Hashable, Sendable, CustomStringConvertible {
  /// The number of bytes before it, in UTF-8.
  public let offset: Int
  /// The line, counted from 1.
  public let line: Int
  /// The byte in the line, counted from 1.
  public let column: Int

  init(offset: Int, in bytes: [UInt8]) {
    let before = bytes.prefix(offset)
    self.offset = offset
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    column = offset - (before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0) + 1
  }

  public var description: String { "line \(line), column \(column) (byte \(offset))" }
}
