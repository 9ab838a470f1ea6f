import Foundation

// Errors about one key and its value.

extension GlobalDataError {
  /// A value could not be encoded.
  static func encoding(_ error: any Error, key: String, in url: URL?) -> GlobalDataError {
    let path: [any CodingKey] =
      switch error {
      case let error as KeyedArchiveError: error.codingPath
      case EncodingError.invalidValue(_, let context): context.codingPath
      default: []
      }
    return GlobalDataError(
      .encodingFailed, "the value for the key \"\(key)\" could not be encoded", fileURL: url, key: key,
      codingPath: path, underlyingError: error)
  }

  /// A stored value could not be decoded as the type that the caller named, or as what the archive tells.
  static func decoding(
    _ error: any Error, key: String, of entry: StoredEntry, wanted: Any.Type?, in url: URL?
  ) -> GlobalDataError {
    var result = GlobalDataError(
      .decodingFailed, "the value under the key \"\(key)\" could not be decoded", fileURL: url, key: key,
      storedType: KeyedArchiveDecoder().storedTypeName(of: entry.content),
      wantedType: wanted.map { TypeRegistry.shared.tag(for: $0).name }, underlyingError: error)
    switch error {
    case let error as KeyedArchiveError:
      result.codingPath = error.codingPath
      if error.code == .unregisteredTag {
        result.code = .unregisteredType
        result.advice = result.code.advice
        result.storedType = error.tag?.name ?? result.storedType
      }
    case let error as DecodingError:
      result.describe(error)
    default: break
    }
    return result
  }

  private mutating func describe(_ error: DecodingError) {
    switch error {
    case .typeMismatch(let type, let context):
      code = .typeMismatch
      advice = code.advice
      if !context.codingPath.isEmpty { wantedType = TypeRegistry.shared.tag(for: type).name }
      codingPath = context.codingPath
    case .valueNotFound(_, let context), .keyNotFound(_, let context), .dataCorrupted(let context):
      codingPath = context.codingPath
    @unknown default: break
    }
  }

  /// A commit would make a file that the store could not open again.
  static func tooLarge(_ url: URL, size: Int, limits: ArchiveLimits) -> GlobalDataError {
    GlobalDataError(
      .fileTooLarge, "\(url.path) would have \(size) bytes; the limit is \(limits.maximumFileSize)", fileURL: url)
  }

  /// There is an element with the identifier of a new one.
  static func duplicateElement(_ key: String, in url: URL?) -> GlobalDataError {
    GlobalDataError(.duplicateElement, "there is an element \"\(key)\" already", fileURL: url, key: key)
  }

  /// An identifier that nothing could be found by after a relaunch.
  static func unstorableIdentifier(_ type: Any.Type, of element: Any.Type, in url: URL?) -> GlobalDataError {
    GlobalDataError(
      .invalidKey, "an identifier of type \(type) cannot be a part of a key",
      advice: "Give \(element) an id that is a text, a number, a UUID or another Codable type.", fileURL: url)
  }

  /// The file was changed by a program that does not take the lock.
  static func changedMeanwhile(_ url: URL) -> GlobalDataError {
    GlobalDataError(
      .writeFailed, "\(url.path) was changed by another program in this moment",
      advice: "Nothing was written. Try again, and let only this library write the file.", fileURL: url)
  }

  /// There is nothing to replace.
  static func elementNotFound(_ key: String, in url: URL?) -> GlobalDataError {
    GlobalDataError(.elementNotFound, "there is no element \"\(key)\"", fileURL: url, key: key)
  }

  /// A key that Swift takes for another one that is there.
  static func ambiguousKey(_ key: String, in url: URL?) -> GlobalDataError {
    GlobalDataError(
      .invalidKey, "the key \"\(key)\" equals one that is there but is composed of other bytes",
      advice: "Bring keys into one Unicode normalization form before you use them.", fileURL: url, key: key)
  }
}
