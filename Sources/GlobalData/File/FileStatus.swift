import FoundationCore

package struct FileDescriptor: Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }
}

/// How far ``SystemCalls/sync(_:_:)`` goes.
package enum SyncStrength: Sendable {
  /// The bytes are on disk when the call returns.
  case flush
  /// The bytes reach the disk before anything that is written later.
  case barrier
  /// The bytes are on disk when the call returns, with the metadata that reading them takes, but not the times.
  case data
}

/// How a volume tells names apart; see ``NameComparison/folded(_:)``.
package enum NameComparison: Sendable {
  /// By their bytes.
  case bytes
  /// Canonically equivalent names are one ("é" as one character or two).
  case normalized
  /// Names that differ in upper and lower case only are one, too.
  case caseless
}

package struct FileStatus: Equatable, Sendable {
  package enum Kind: Sendable {
    case regular, folder, link, pipe
    /// A device or a socket.
    case other
  }

  package var kind: Kind
  package var device: UInt64
  package var inode: UInt64
  package var size: Int
  /// The time of the last change of the contents; `nil` where it was not requested.
  package var modified: FileTime?
  /// The nine permission bits.
  package var permissions: UInt32
  package var owner: UInt32
  package var group: UInt32
  package var linkCount: Int
}

extension FileStatus {
  var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
}

/// Distinguishes a file that exists from all others that do.
struct FileIdentity: Equatable, Sendable {
  var device: UInt64
  var inode: UInt64
}

package struct FileTime: Equatable, Sendable {
  /// Since 1970.
  package var seconds: Int
  package var nanoseconds: Int
}

/// Tells whether a file is still the one that was last read or written, without reading all of it.
///
/// Every rewrite makes a new file, which shows in `inode`; size and time show writes in place. That is not enough: file
/// systems reuse the number of a removed file, and kernels before Linux 6.13 have times no finer than some
/// milliseconds. So the file's beginning, with the archive's identity and generation, belongs to it.
struct FileStamp: Equatable, Sendable {
  let identity: FileIdentity
  var size: Int
  /// `nil` where it was not requested, because that would make the next append slower.
  var modified: FileTime?
  /// `nil` where it was not read.
  var beginning: [UInt8]?

  /// As much as an archive needs to tell its identity, generation and number of entries.
  static let beginningLength = 64

  init(_ status: FileStatus, beginning: [UInt8]?) {
    identity = status.identity
    size = status.size
    modified = status.modified
    self.beginning = beginning
  }

  /// Whether all that is known of both is equal.
  func agrees(with other: FileStamp) -> Bool {
    guard identity == other.identity, size == other.size else { return false }
    if let modified, let otherModified = other.modified, modified != otherModified { return false }
    if let beginning, let otherBeginning = other.beginning, beginning != otherBeginning { return false }
    return true
  }
}
