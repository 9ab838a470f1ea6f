import CodingSupport
import Foundation
import GlobalData
import KeyedArchive

extension GlobalDataError {
  static let doubleKeyAdvice = "Remove one of the two or rename its key."
  static let depthAdvice = "Raise maximumDepth in the store's limits if the file is trusted."
  static let referencesAdvice = "Raise maximumItems in the store's limits if the file is trusted."

  /// Whether an import was refused only because values exceed the store's limits for nesting or references.
  package var isOfLimit: Bool {
    code == .importFailed
      && [GlobalDataError.depthAdvice, GlobalDataError.referencesAdvice].contains { advice.hasSuffix($0) }
  }

  static func nothingToImport(_ url: URL) -> GlobalDataError {
    GlobalDataError(
      .importFailed, "there is no file at \(url.path) to import",
      advice: "Nothing was changed. Check the path.", fileURL: url)
  }

  /// Returns the error for an entry or, without a key, for the whole source.
  static func cannotImport(_ error: any Error, key: String? = nil, from source: ImportSource) -> GlobalDataError {
    if let error = error as? GlobalDataError { return error }
    let decodingContext = (error as? DecodingError)?.context
    let failure =
      error as? ImportFailure ?? (error as? PropertyListError).map { ImportFailure($0) }
      ?? decodingContext?.underlyingError as? ImportFailure
    let (reason, path): (String, [any CodingKey]) =
      if let failure {
        (failure.message, failure.path)
      } else if let error = error as? KeyedArchiveError {
        (error.message, error.codingPath)
      } else {
        (decodingContext?.debugDescription ?? "", decodingContext?.codingPath ?? [])
      }
    var wantedType: String?
    if case DecodingError.typeMismatch(let type, _) = error { wantedType = "\(type)" }
    let subject = key.map { "the value under the key \($0.quoted) of \(source.name)" } ?? source.name
    var message = "\(subject) could not be imported"
    // Foundation's reasons are sentences with a period, and the message is one without.
    if !reason.isEmpty { message += ": " + (reason.hasSuffix(".") ? String(reason.dropLast()) : reason) }
    return GlobalDataError(
      .importFailed, message, advice: failure?.advice.map { "Nothing was changed. " + $0 }, fileURL: source.url,
      key: key, codingPath: path, storedType: failure?.className, wantedType: wantedType,
      underlyingError: failure == nil ? error : nil)
  }

  /// Returns the error for two keys of a source that are equal in Swift.
  static func importedTwice(_ key: String, from source: ImportSource) -> GlobalDataError {
    GlobalDataError(
      .importFailed, "the key \(key.quoted) appears twice in \(source.name), possibly in another Unicode form",
      advice: "Nothing was changed. " + doubleKeyAdvice, fileURL: source.url, key: key)
  }
}
