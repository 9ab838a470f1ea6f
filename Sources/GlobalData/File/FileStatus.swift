import FoundationCore

/// The system's number of an open file or folder.
package struct FileDescriptor: Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }
}

/// The guarantee that ``SystemCalls/sync(_:_:)`` gives.
package enum SyncStrength: Sendable {
  /// The bytes are on disk when the call returns.
  case flush
  /// The bytes reach the disk before anything that is written later.
  case barrier
  /// The bytes are on disk when the call returns, with the metadata needed to read them, but not the times.
  case data
}

/// The rule by which a volume distinguishes names; see ``NameComparison/folded(_:)``.
package enum NameComparison: Sendable {
  /// By their bytes.
  case bytes
  /// Canonically equivalent names are the same ("é" as one character or two).
  case normalized
  /// Names that differ only in case are the same, too.
  case caseless
}

/// The properties of a file that a store compares, or keeps when it replaces the file.
package struct FileStatus: Equatable, Sendable {
  package enum Kind: Sendable {
    case regular, folder, link, pipe
    /// A device or a socket.
    case other
  }

  package internal(set) var kind: Kind
  package internal(set) var device: UInt64
  package internal(set) var inode: UInt64
  package internal(set) var size: Int
  /// The time of the last change of the contents; `nil` if it was not requested.
  package internal(set) var modified: FileTime?
  /// The nine permission bits.
  package internal(set) var permissions: UInt32
  package internal(set) var owner: UInt32
  package internal(set) var group: UInt32
  package internal(set) var linkCount: Int

  var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
}

/// The identity of an existing file, which no other existing file shares.
struct FileIdentity: Equatable, Sendable {
  var device: UInt64
  var inode: UInt64
}

package struct FileTime: Equatable, Sendable {
  /// The number of seconds since 1970.
  package internal(set) var seconds: Int
  package internal(set) var nanoseconds: Int
}
