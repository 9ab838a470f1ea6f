import KeyedArchive

/// The result of the parser: the kind of a file, and the contents that could be read.
///
/// Only the parser decides whether a file is intact, damaged, or newer. The store decides how to handle each case.
enum ParsedArchive: Sendable {
  /// The file is as it was written, except for an incomplete change at its end.
  case intact(ArchiveImage.Contents)
  /// The file is damaged. The contents are its intact entries.
  case damaged(ArchiveImage.Contents)
  /// The file has a later version of the format. The contents are the parts that have the form of the known version, or
  /// `nil` if not even the head of the file could be read.
  case newer(version: UInt64, ArchiveImage.Contents?)
  /// The bytes before the entries are damaged, and nothing could be read.
  case unreadable(ArchiveDamage)
  /// The file does not start like an archive.
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
  /// The contents of a file. This is a class, so that they are one reference wherever they are passed on.
  final class Contents: Sendable {
    /// The intact entries, including changes, and the identity and generation of the file.
    let image: ArchiveImage
    /// The version of the format. In a newer version, only the parts that have the form of the known version could be
    /// read.
    let version: UInt64
    let byteCount: Int
    /// Empty if and only if the file is as it was written, except for an incomplete change at its end.
    let damage: [ArchiveDamage]
    let losses: LostRecords.Result
    /// The point for appending a change, or `nil` if the file must be rewritten first.
    let appendPoint: AppendPoint?

    init(
      image: ArchiveImage, version: UInt64 = ArchiveImage.version, byteCount: Int, damage: [ArchiveDamage],
      losses: LostRecords.Result = LostRecords.Result(), appendPoint: AppendPoint? = nil
    ) {
      (self.image, self.version, self.byteCount) = (image, version, byteCount)
      (self.damage, self.losses, self.appendPoint) = (damage, losses, appendPoint)
    }
  }

  /// Reads a store's file, in linear time and with memory within a small multiple of `bytes`.
  ///
  /// No value is decoded. The entries share the memory of `bytes`. Each entry matches its own checksum. A damaged entry
  /// is omitted, and the entries after it are read as long as the damaged entry has a credible length.
  static func parsing(_ bytes: SharedBytes) -> ParsedArchive {
    bytes.withUnsafeBytes { buffer in
      var parser = ArchiveParser(bytes, buffer)
      return parser.parse()
    }
  }
}
