/// A part of a store's file that is not as it was written.
struct ArchiveDamage: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// The file has no bytes: a store writes none such.
    case empty
    /// The file starts with zeros, as a file does whose bytes never reached the disk.
    case zeros
    case truncated
    /// Something that cannot stand here: words that follow "found".
    case malformed(String)
    /// An item of another kind; the words name the one that has to be there.
    case expected(String)
    /// The head of the archive is not what its checksum says.
    case archiveHead
    /// One bit was flipped and has been corrected; the words say of what.
    case flippedBit(String)
    /// An entry's key or value is not what its checksum says.
    case entryChecksum
    /// An entry is missing, or the bytes before the entries do not match the checksum.
    case archiveChecksum
    /// A change that was appended is not what its checksum says.
    case changeChecksum
    /// A key that is there already, perhaps in another spelling that Unicode holds equal.
    case duplicateKey
    case invalidKey(String)
    case trailingBytes
  }

  var kind: Kind
  /// `nil` where it could not be read.
  var key: String?
  /// The offset in the file, in bytes, of the damaged item.
  var offset: Int

  init(_ kind: Kind, key: String? = nil, at offset: Int) {
    self.kind = kind
    self.key = key
    self.offset = offset
  }
}
