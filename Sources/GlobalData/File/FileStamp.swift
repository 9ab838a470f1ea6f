/// The properties that show whether a file is still the one that was last read or written, without reading all of it.
///
/// Every rewrite creates a new file, which changes `inode`; size and time reveal writes in place. This is not enough:
/// file systems reuse the number of a removed file, and the times of kernels before Linux 6.13 are no finer than a few
/// milliseconds. So a stamp includes a checksum of the archive's head, which contains the identity and the generation.
struct FileStamp: Equatable, Sendable {
  let identity: FileIdentity
  var size: Int
  /// `nil` if it was not requested, because the request would make the next append slower.
  var modified: FileTime?
  /// The checksum of the head; `nil` if the head was not read.
  var head: UInt64?

  init(_ status: FileStatus, head: UInt64?) {
    identity = status.identity
    size = status.size
    modified = status.modified
    self.head = head
  }

  /// Returns whether everything that is known of both stamps is equal.
  func agrees(with other: FileStamp) -> Bool {
    guard identity == other.identity, size == other.size else { return false }
    if let modified, let otherModified = other.modified, modified != otherModified { return false }
    if let head, let otherHead = other.head, head != otherHead { return false }
    return true
  }

  /// Returns the checksum of the head of a file whose bytes, or at least the first ones, are given.
  static func head(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    XXHash64.checksum(UnsafeRawBufferPointer(rebasing: bytes.prefix(ArchiveHead.length)))
  }
}
