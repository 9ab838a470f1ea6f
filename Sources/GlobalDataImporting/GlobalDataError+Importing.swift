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
    let subject = key.map { "the value under the key \($0.quoted) of \(source.name)" } ?? source.name
    var result = GlobalDataError(
      .importFailed, "\(subject) could not be imported", fileURL: source.url, key: key, underlyingError: error)
    func explain(_ reason: String, _ path: [any CodingKey]) {
      // Foundation's reasons are sentences with a period, and the message is one without.
      result.message += ": " + (reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
      result.codingPath = path
    }
    switch error {
    case let failure as ImportFailure: explain(failure)
    case let error as PropertyListError: explain(ImportFailure(error))
    case let error as KeyedArchiveError: explain(error.message, error.codingPath)
    case let error as DecodingError:
      if case .typeMismatch(let type, _) = error { result.wantedType = "\(type)" }
      if let failure = error.context?.underlyingError as? ImportFailure {
        explain(failure)
      } else {
        explain(error.context?.debugDescription ?? "\(error)", error.context?.codingPath ?? [])
      }
    default: break
    }
    return result

    func explain(_ failure: ImportFailure) {
      explain(failure.message, failure.path)
      result.storedType = failure.className
      if let advice = failure.advice { result.advice = "Nothing was changed. " + advice }
      result.underlyingError = nil
    }
  }

  /// Returns the error for two keys of a source that are equal in Swift.
  static func importedTwice(_ key: String, from source: ImportSource) -> GlobalDataError {
    GlobalDataError(
      .importFailed, "the key \(key.quoted) appears twice in \(source.name), possibly in another Unicode form",
      advice: "Nothing was changed. " + doubleKeyAdvice, fileURL: source.url, key: key)
  }
}
