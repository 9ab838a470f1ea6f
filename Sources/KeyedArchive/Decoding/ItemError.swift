/// A failure near the bytes, before it is known where in a model they belong.
///
/// The value that was being decoded turns it into a `DecodingError` with the full coding path.
enum ItemError: Error {
  /// The stored item is of another kind than the wanted type.
  case mismatch(stored: String)
  /// The stored item is of the right kind, but the wanted type cannot hold its value.
  case unrepresentable(stored: String)
  /// The stored item has a form that no archive has.
  case malformed(String)

  /// The description of null, which is the absence of any value rather than one of another type.
  static let null = "null"

  func decodingError(wanted type: Any.Type, path: [any CodingKey]) -> DecodingError {
    let wanted = defaultArchiveName(of: type)
    switch self {
    case .mismatch(let stored):
      let context = DecodingError.Context(
        codingPath: path, debugDescription: "Wanted \(wanted), but the archive holds \(stored).",
        underlyingError: StoredMismatch(stored: stored))
      return stored == ItemError.null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    case .unrepresentable(let stored):
      return .dataCorrupted(
        DecodingError.Context(codingPath: path, debugDescription: "\(wanted) cannot hold \(stored)."))
    case .malformed(let what):
      return .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: what))
    }
  }
}

/// What stands where another type was wanted, in words; beside a `DecodingError`, which knows the wanted type only.
package struct StoredMismatch: Error, CustomStringConvertible {
  package let stored: String

  package var description: String { "the archive holds \(stored)" }
}

extension CBORError {
  /// The error that a program sees.
  func publicError(codingPath: [any CodingKey]) -> any Error {
    guard reason == .decodingIsOver else { return KeyedArchiveError(self, codingPath: codingPath) }
    return DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "A decoder or container was used after the decoding that it was made for."))
  }
}
