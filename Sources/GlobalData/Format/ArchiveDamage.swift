/// A place in a store's file that is not as it was written.
struct ArchiveDamage: Error, Hashable, Sendable, CustomStringConvertible {
  enum Kind: Hashable, Sendable {
    /// The file has no bytes: a store writes none such.
    case empty
    /// The file starts with zeros, as a file does whose bytes never reached the medium.
    case zeros
    /// The file ends too early.
    case truncated
    /// What stands here cannot: the reason, as words that follow "found".
    case malformed(String)
    /// The head of the archive is not what its checksum says.
    case archiveHead
    /// One bit had changed, and was put right; the words say of what.
    case flippedBit(String)
    /// An entry's key or value is not what its checksum says.
    case entryChecksum
    /// An entry is missing, or the bytes before the entries are not what the checksum says.
    case archiveChecksum
    /// A change that was appended is not what its checksum says.
    case changeChecksum
    /// A key that is there already, perhaps in another spelling that Unicode holds equal.
    case duplicateKey
    case invalidKey(String)
    /// Bytes after the end of the archive.
    case trailingBytes
  }

  var kind: Kind
  /// The key of the entry, where it could be read.
  var key: String?
  /// The offset in the file, in bytes, of the damaged item.
  var offset: Int

  init(_ kind: Kind, key: String? = nil, at offset: Int) {
    self.kind = kind
    self.key = key
    self.offset = offset
  }

  var description: String {
    let entry = key.map { "the entry \($0.quoted)" } ?? "an entry"
    let what =
      switch kind {
      case .empty: "it is empty"
      case .zeros: "it starts with zeros"
      case .truncated: key == nil ? "it ends too early" : "it ends in the middle of \(entry)"
      case .malformed(let what): key == nil ? "found \(what)" : "found \(what) in \(entry)"
      case .archiveHead: "the checksum of its head does not match"
      case .flippedBit(let what):
        "one bit of \(what)\(key.map { " \"\($0)\"" } ?? "") had changed, and was put right"
      case .entryChecksum: "the checksum of \(entry) does not match"
      case .archiveChecksum: "the checksum of the whole does not match"
      case .changeChecksum: "the checksum of an appended change does not match"
      case .duplicateKey: "\(entry) is there twice"
      case .invalidKey(let what): "\(entry) has a key that \(what)"
      case .trailingBytes: "there are bytes after its end"
      }
    return "\(what), at byte \(offset)"
  }
}

/// Why a file holds no archive that can be read at all.
enum ArchiveImageError: Error, Hashable, Sendable {
  /// The file does not start as archives do.
  case foreignFormat
  case newerFormat(version: UInt64)
  /// The bytes before the entries are damaged.
  case damaged(ArchiveDamage)
}
