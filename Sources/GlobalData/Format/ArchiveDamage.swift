/// A part of a store's file that differs from the bytes that were written.
struct ArchiveDamage: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// The file is empty. A store never writes an empty file.
    case empty
    /// The file starts with zeros, like a file whose bytes never reached the disk.
    case zeros
    case truncated
    /// Something that is not allowed here. The associated value completes a message after "found".
    case malformed(String)
    /// An item of another kind. The associated value names the expected item.
    case expected(String)
    /// The head of the archive does not match its checksum.
    case archiveHead
    /// One bit was flipped and has been corrected. The associated value names the part that contained the bit.
    case flippedBit(String)
    /// An entry's key or value does not match the entry's checksum.
    case entryChecksum
    /// An entry is missing, or the bytes before the entries do not match the checksum.
    case archiveChecksum
    /// An appended change does not match its checksum.
    case changeChecksum
    /// A key that is already in use, perhaps in another spelling that Unicode considers equivalent.
    case duplicateKey
    case invalidKey(String)
    case trailingBytes
  }

  var kind: Kind
  /// The key of the damaged item, or `nil` if it could not be read.
  var key: String?
  /// The offset in the file of the damaged item, in bytes.
  var offset: Int

  init(_ kind: Kind, key: String? = nil, at offset: Int) {
    self.kind = kind
    self.key = key
    self.offset = offset
  }
}
