import KeyedArchive

/// The answer of the parser: what a file is, and what could be read of it.
///
/// This is the one decision between intact, damaged and newer; the store maps it to what it does with the file.
enum ParsedArchive: Sendable {
  /// The file is as it was written, but for a change at its end that was not written to its end.
  case intact(ArchiveImage.Contents)
  /// The file is damaged, and these are its intact entries.
  case damaged(ArchiveImage.Contents)
  /// The file has a later version of the format. The contents are what has the form of the known one; `nil` if not even the
  /// head of the file could be read.
  case newer(version: UInt64, ArchiveImage.Contents?)
  /// The bytes before the entries are damaged, and nothing could be read.
  case unreadable(ArchiveDamage)
  /// The file does not start as archives do.
  case foreign

  /// What could be read.
  var contents: ArchiveImage.Contents? {
    switch self {
    case .intact(let contents), .damaged(let contents): contents
    case .newer(_, let contents): contents
    case .unreadable, .foreign: nil
    }
  }

  var isDamaged: Bool {
    if case .unreadable = self { true } else { contents?.damage.isEmpty == false }
  }

  init(_ contents: ArchiveImage.Contents) {
    if contents.version > ArchiveImage.version {
      self = .newer(version: contents.version, contents)
    } else {
      self = contents.damage.isEmpty ? .intact(contents) : .damaged(contents)
    }
  }
}

extension ArchiveImage {
  /// The part of a file that could be read, and what could not be.
  struct Contents: Sendable {
    /// The intact entries, changes included, and the other facts as they stand in the file.
    var image: ArchiveImage
    /// The version of the format. Of a newer one, only what has the form of the known one could be read.
    var version: UInt64
    var byteCount: Int
    /// Empty if and only if the file is as it was written, but for a change at its end that was not written to its end.
    var damage: [ArchiveDamage]
    var losses = LostRecords.Result()
    /// Where the next change may be appended; `nil` where the file has to be rewritten first.
    var appendPoint: AppendPoint?
  }

  /// Reads a store's file.
  ///
  /// No value is decoded. The entries share the memory of `bytes`. Each entry in the result has passed its own
  /// checksum; a damaged one is left out, and as long as it has a credible length those after it are read.
  ///
  /// - Complexity: O(*n*) in the number of bytes. Memory beyond `bytes` is within a small multiple of its size.
  static func parsing(_ bytes: SharedBytes, limits: ArchiveLimits) -> ParsedArchive {
    bytes.withUnsafeBytes { buffer in
      var parser = ArchiveParser(bytes, buffer, limits)
      return parser.parse()
    }
  }
}
