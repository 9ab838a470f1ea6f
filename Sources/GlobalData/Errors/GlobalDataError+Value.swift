import CodingSupport
import FoundationCore

// Errors about one key and its value.

extension GlobalDataError {
  static func encoding(_ error: any Error, key: String, in url: URL?) -> GlobalDataError {
    let path: [any CodingKey] =
      switch error {
      case let error as KeyedArchiveError: error.codingPath
      case EncodingError.invalidValue(_, let context): context.codingPath
      default: []
      }
    return GlobalDataError(
      .encodingFailed, "the value under the key \(key.quoted) could not be encoded", fileURL: url, key: key,
      codingPath: path, underlyingError: error)
  }

  /// Returns the error for a stored value that could not be decoded.
  ///
  /// The type to decode is the one that the caller named or, without one, the type recorded in the archive.
  static func decoding(
    _ error: any Error, key: String, of entry: StoredEntry, wanted: Any.Type?, in url: URL?
  ) -> GlobalDataError {
    var facts = GlobalDataError(
      .decodingFailed, "the value under the key \(key.quoted) could not be decoded", fileURL: url, key: key,
      storedType: KeyedArchiveDecoder().storedTypeName(of: entry.content),
      wantedType: wanted.map { TypeRegistry.shared.tag(for: $0).name }, underlyingError: error
    ).facts
    let tree = Result { try KeyedArchiveDecoder().decode(ArchiveValue.self, from: entry.content) }
    if case .success(let value) = tree, let type = value.versionedTypeName {
      facts.message = "the value under the key \(key.quoted), \(type), could not be decoded"
    }
    switch error {
    case let error as KeyedArchiveError:
      facts.codingPath = error.codingPath
      facts.describe(error)
    case let error as DecodingError: facts.describe(error)
    default: break
    }
    if case .failure(let failure) = tree, facts.code == .decodingFailed {
      facts.advise(error, whereNoTreeCanBeRead: failure)
    } else if facts.code == .typeMismatch || facts.code == .decodingFailed && !(error is KeyedArchiveError) {
      facts.advice += " If a later version of the app wrote the entry, update the app."
    }
    return GlobalDataError(facts)
  }

  static func tooLarge(_ url: URL, size: Int, limits: ArchiveLimits) -> GlobalDataError {
    GlobalDataError(
      .fileTooLarge, "\(url.path) would grow to \(size) bytes; the limit is \(limits.maximumFileSize)", fileURL: url)
  }

  static func duplicateElement(_ key: String, in url: URL?) -> GlobalDataError {
    GlobalDataError(.duplicateElement, "the element \(key.quoted) already exists", fileURL: url, key: key)
  }

  /// Returns the error for an identifier that could not be used to find its element after a relaunch.
  static func unstorableIdentifier(_ type: Any.Type, of element: Any.Type, in url: URL?) -> GlobalDataError {
    GlobalDataError(
      .invalidKey, "an identifier of type \(type) cannot be part of a key",
      advice: "Give \(element) an id that is a String, a number, a UUID or another Codable type.", fileURL: url)
  }

  static func elementNotFound(_ key: String, in url: URL?) -> GlobalDataError {
    GlobalDataError(.elementNotFound, "the element \(key.quoted) does not exist", fileURL: url, key: key)
  }

  /// Returns the error for a key that Swift considers equal to an existing key with different bytes.
  static func ambiguousKey(_ key: String, in url: URL?) -> GlobalDataError {
    GlobalDataError(
      .invalidKey, "the key \(key.quoted) equals an existing key whose bytes differ",
      advice: "Use the key as allKeys has it, and normalize new keys to one Unicode form.", fileURL: url, key: key)
  }
}

extension ArchiveValue {
  /// The type and the version of the value, if a version is stored with the value.
  fileprivate var versionedTypeName: String? {
    switch self {
    case .object(let object) where object.version > 1: "version \(object.version) of \(object.tag?.name ?? "")"
    case .named(let tag, let version, _) where version > 1: "version \(version) of \(tag)"
    default: nil
    }
  }
}

// Errors about the contents of a file that could be read.

extension GlobalDataError {
  static func notIntact(_ parsed: ParsedArchive, _ url: URL) -> GlobalDataError {
    switch parsed {
    case .foreign: GlobalDataError(.foreignFormat, "\(url.path) is not an archive of GlobalData", fileURL: url)
    case .newer(let version, _):
      GlobalDataError(
        .newerFormat,
        "\(url.path) has version \(version) of the archive format; this app reads versions up to \(ArchiveImage.version)",
        fileURL: url)
    case .unreadable(let damage): damaged([damage], url)
    case .intact(let contents), .damaged(let contents): damaged(contents.damage, url)
    }
  }

  /// Returns the error for writing to a file in a newer format, which must not be overwritten.
  static func cannotWriteNewer(_ version: UInt64, _ url: URL?) -> GlobalDataError {
    GlobalDataError(
      .newerFormat,
      "\(url?.path ?? "the file") has version \(version) of the archive format; this app writes version "
        + "\(ArchiveImage.version)", fileURL: url)
  }

  /// Returns the error for a damaged file. The message describes the first damage in full.
  static func damaged(_ damage: [ArchiveDamage], _ url: URL) -> GlobalDataError {
    let first = damage.first.map { ": \($0)" } ?? ""
    let more = damage.count > 1 ? " (and \(counted(damage.count - 1, "more problem", "more problems")))" : ""
    return GlobalDataError(
      .damaged, "\(url.path) is damaged\(first)\(more)", fileURL: url, key: damage.first?.key,
      underlyingError: damage.first)
  }
}

extension GlobalDataError.Facts {
  /// Replaces the advice to read the value as a tree, because that fails, too.
  fileprivate mutating func advise(_ error: any Error, whereNoTreeCanBeRead failure: any Error) {
    func isLimit(_ error: any Error) -> Bool { (error as? KeyedArchiveError)?.code == .limitReached }
    if isLimit(error) {
      advice = "The entry is unchanged, and other entries can be used. To read it, raise the limits of the store."
    } else if !isLimit(failure) {  // the store may have higher limits than those of this attempt
      advice =
        "The entry is unchanged, and other entries can be used. No type can read it. Set the key again or remove it."
    }
  }

  fileprivate mutating func describe(_ error: KeyedArchiveError) {
    switch error.code {
    case .unregisteredTag: code = .unregisteredType
    case .newerVersion: code = .newerVersion
    case .migrationFailed: code = .migrationFailed
    // The cause says what to do about the types, and the entry is as it should be.
    case .tagClash, .notOnMainActor:
      advice = "The entry is unchanged."
      return
    default: return
    }
    advice = code.advice
    storedType = error.tag?.name ?? storedType
    storedVersion = error.storedVersion
    knownVersion = error.knownVersion
  }

  fileprivate mutating func describe(_ error: DecodingError) {
    guard let context = error.context else { return }
    codingPath = context.codingPath
    switch error {
    case .typeMismatch(let type, _):
      code = .typeMismatch
      advice = code.advice
      // If the type has the stored name, or was found by it, the single value that it stores is of another type.
      guard !codingPath.isEmpty || wantedType == nil || wantedType == storedType else {
        advice += " If the type was renamed, add its old name to Archivable's formerArchiveTags, an [ArchiveTag]."
        return
      }
      if let mismatch = context.underlyingError as? StoredMismatch {
        (storedType, wantedType) = (mismatch.stored, TypeRegistry.shared.tag(for: type).name)
      }
    case .keyNotFound:
      advice =
        "The entry is unchanged. If a property is new, make it optional or give it a value in Archivable's archiveDefaults. "
        + "If one was renamed, add its old name to formerFieldNames. "
        + "Declare both with exactly the types that Archivable has."
    default: break
    }
  }
}
