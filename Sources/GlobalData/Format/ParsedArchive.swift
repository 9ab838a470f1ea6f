import KeyedArchive

/// The answer of the parser: what a file is, and what could be read of it.
///
/// This is the one decision between intact, damaged and newer; the store maps it to what it does with the file.
indirect enum ParsedArchive: Sendable {
  /// The file is as it was written, but for a change at its end that was not written to its end.
  case intact(ArchiveImage.Contents)
  /// The file is damaged, and these are its intact entries.
  case damaged(ArchiveImage.Contents)
  /// The file has a later version of the format. The contents are what has the form of the known one; `nil` if not even
  /// the head of the file could be read.
  case newer(version: UInt64, ArchiveImage.Contents?)
  /// The bytes before the entries are damaged, and nothing could be read.
  case unreadable(ArchiveDamage)
  /// The file does not start as archives do.
  case foreign

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
  struct Contents: Sendable {
    /// The intact entries, changes included, and the other facts as they stand in the file.
    var image: ArchiveImage
    /// Of a newer version, only what has the form of the known one could be read.
    var version: UInt64
    var byteCount: Int
    /// Empty if and only if the file is as written, but for an incomplete change at its end.
    var damage: [ArchiveDamage]
    var losses = LostRecords.Result()
    /// `nil` where the file has to be rewritten first.
    var appendPoint: AppendPoint?
  }

  /// Reads a store's file, in linear time and memory within a small multiple of `bytes`.
  ///
  /// No value is decoded. The entries share the memory of `bytes`. Each has passed its own checksum; a damaged one is
  /// left out, and those after it are read as long as it has a credible length.
  static func parsing(_ bytes: SharedBytes, limits: ArchiveLimits) -> ParsedArchive {
    bytes.withUnsafeBytes { buffer in
      var parser = ArchiveParser(bytes, buffer, limits)
      return parser.parse()
    }
  }
}
