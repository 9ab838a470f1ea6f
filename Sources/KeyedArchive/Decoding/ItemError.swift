/// A failure in an item, before its path is known. The value being decoded converts it to a `DecodingError` with a
/// path.
package enum ItemError: Error {
  /// The kind of the stored item does not match the requested type.
  case mismatch(stored: String)
  /// The stored item has the right kind, but the requested type cannot represent its value.
  case unrepresentable(stored: String)
  /// The stored item has a form that no archive has.
  case malformed(String)

  /// The description of null, which is the absence of a value and not a value of another type.
  static let null = "null"

  func decodingError(wanted type: Any.Type, path: [any CodingKey]) -> DecodingError {
    let wanted = defaultArchiveName(of: type)
    switch self {
    case .mismatch(let stored):
      let context = DecodingError.Context(
        codingPath: path, debugDescription: "Expected \(wanted), but found \(stored).",
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

/// Thrown in a container that has no value under a key, or no more elements. The container reports that.
struct NoItem: Error {}

/// Returns an error in its public form. The coding path is evaluated only if the error contains it.
/// It is not inlined, because that would slow down the functions that read.
@inline(never)
func publicError(_ error: any Error, wanted type: Any.Type, _ path: @autoclosure () -> [any CodingKey]) -> any Error {
  switch error {
  case let error as ItemError: error.decodingError(wanted: type, path: path())
  case let error as CBORError where error.reason == .decodingIsOver:
    DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: path(), debugDescription: "A decoder or container was used after its decoding had ended."))
  case let error as CBORError: KeyedArchiveError(error, codingPath: path())
  default: error
  }
}

/// A description of an item whose type was not the requested one. It accompanies a `DecodingError`, which contains only
/// the requested type.
package struct StoredMismatch: Error, CustomStringConvertible {
  package let stored: String

  package var description: String { "the archive holds \(stored)" }
}

extension DecodingInput {
  /// Returns the error for an item of another kind than the requested type's, or the error of reading the item.
  @inline(never)
  func mismatch(at cursor: CBORCursor) -> any Error {
    do {
      return ItemError.mismatch(stored: try describe(cursor))
    } catch {
      return error
    }
  }

  func describe(_ cursor: CBORCursor) throws -> String {
    let item = try item(at: cursor)
    switch item.head.major {
    case .unsigned: return "the integer \(item.head.argument)"
    case .negative: return "the integer \(~Int128(item.head.argument))"
    case .bytes: return "bytes"
    case .text: return "text"
    case .array: return "an array"
    case .map: return "a map"
    case .simple:
      if item.isNull { return ItemError.null }
      if item.bool != nil { return "a Boolean" }
      return reader.float(item.head).map { "the number \($0)" } ?? "a simple value"
    case .tag:
      switch item.head.argument {
      case CBORTag.stringReference: return "text"
      case CBORTag.dateText, CBORTag.date: return "a date"
      case CBORTag.positiveBigInteger, CBORTag.negativeBigInteger: return "a big integer"
      case CBORTag.decimalFraction: return "a decimal number"
      case CBORTag.url: return "a URL"
      case CBORTag.uuid: return "a UUID"
      case CBORTag.set: return "a set"
      case CBORTag.typedArrays:
        let hasType = NumberArrayFormat(tag: item.head.argument) != nil
        return hasType ? "an array of numbers" : "an array of numbers of a format that has no type here"
      case CBORTag.object: return try namedValue(item).map { "a value of type \($0.name)" } ?? "a named value"
      default: return "an item with tag \(item.head.argument)"
      }
    }
  }
}
