import Foundation
import GlobalData

/// A kind of call that a store makes to the operating system.
public struct StorageOperation: Hashable, Sendable, CustomStringConvertible {
  /// The name of the operation, for example `write`.
  public let description: String
  private let calls: Set<SystemCall>
  private let onFolder: Bool?

  private init(_ description: String, _ calls: Set<SystemCall>, onFolder: Bool? = nil) {
    self.description = description
    self.calls = calls
    self.onFolder = onFolder
  }

  /// Opening the store's folder, or its file to read it.
  public static let open = StorageOperation("open", [.open, .openat])
  /// Creating a file: the temporary file of a write, or the lock file.
  public static let create = StorageOperation("create", [.create])
  /// Reading bytes of the store's file.
  public static let read = StorageOperation("read", [.read])
  /// Writing bytes of the temporary file, or appending to the store's file and erasing what a failed append has
  /// written.
  public static let write = StorageOperation("write", [.write, .pwrite, .truncate])
  /// Syncing a file to the disk.
  public static let sync = StorageOperation("sync", [.fsync], onFolder: false)
  /// Syncing a folder's names to the disk.
  public static let syncFolder = StorageOperation("syncFolder", [.fsync], onFolder: true)
  /// Renaming the temporary file to the store's name, which makes the change visible to readers.
  public static let rename = StorageOperation("rename", [.renameat])
  /// Giving a file a second name.
  public static let link = StorageOperation("link", [.linkat])
  /// Removing a file.
  public static let remove = StorageOperation("remove", [.unlinkat])
  /// Closing a file or folder.
  public static let close = StorageOperation("close", [.close])
  /// Taking the lock that keeps other processes from writing.
  public static let lock = StorageOperation("lock", [.flock, .dup])
  /// Releasing the lock.
  public static let unlock = StorageOperation("unlock", [.unlock])
  /// Listing the folder, to find the temporary files of writers that died.
  public static let list = StorageOperation("list", [.readdir])
  /// Reading the status of a name or an open file.
  public static let status = StorageOperation("status", [.lstat, .fstatat, .fstat])
  /// Following a path through symbolic links.
  public static let resolve = StorageOperation("resolve", [.realpath])
  /// Creating the store's folder.
  public static let makeFolder = StorageOperation("makeFolder", [.mkdir])
  /// Setting permissions, owner, extended attributes or the protection class of a new file, and excluding a file from
  /// backups.
  public static let setAttributes = StorageOperation(
    "setAttributes", [.fchmod, .fchown, .copyAttributes, .protect, .excludeFromBackups])

  /// All operations.
  public static let all: [StorageOperation] = [
    .open, .create, .read, .write, .sync, .syncFolder, .rename, .link, .remove, .close, .lock, .unlock, .list, .status,
    .resolve, .makeFolder, .setAttributes,
  ]

  package func includes(_ record: FaultySystemCalls.Record) -> Bool {
    calls.contains(record.call) && (onFolder == nil || onFolder == record.isFolder)
  }
}

/// A call that a store made to the operating system.
public struct StorageCall: Hashable, Sendable {
  /// The kind of call.
  public let operation: StorageOperation
  /// The name or path of the file; for an open file, the one it was opened with.
  ///
  /// The names of temporary files vary.
  public let name: String
  /// Whether the call was for an open folder.
  public let isFolder: Bool
  /// The number of bytes to read or write.
  public let byteCount: Int
  /// Whether the call failed, did only part of its work, or was paused by a fault.
  public let isFaulty: Bool

  init?(_ record: FaultySystemCalls.Record) {
    guard let operation = StorageOperation.all.first(where: { $0.includes(record) }) else { return nil }
    self.operation = operation
    name = record.name
    isFolder = record.isFolder
    byteCount = record.byteCount
    isFaulty = record.isFaulty
  }
}

extension StorageCall: CustomStringConvertible {
  /// The operation, the name, and the number of bytes, for example `write .as-0000000100000002.tmp 310`.
  public var description: String {
    "\(operation) \(name)" + (byteCount > 0 ? " \(byteCount)" : "") + (isFaulty ? " (fault)" : "")
  }
}

/// The error number with which a call to the operating system fails.
public struct StorageFailure: Hashable, Sendable {
  /// The error number, which the store's error has as its `errorNumber`.
  public let errorNumber: Int32

  /// Creates a failure with an error number, for example `EBUSY`.
  public init(errorNumber: Int32) { self.errorNumber = errorNumber }

  /// No space is left on the disk (`ENOSPC`).
  public static let noSpace = StorageFailure(errorNumber: ENOSPC)
  /// The disk, or the connection to it, failed (`EIO`).
  public static let inputOutput = StorageFailure(errorNumber: EIO)
  /// The disk is mounted for reading only (`EROFS`).
  public static let readOnly = StorageFailure(errorNumber: EROFS)
  /// A signal interrupted the call (`EINTR`); a store repeats most calls.
  public static let interrupted = StorageFailure(errorNumber: EINTR)
}

extension StorageFailure: CustomStringConvertible {
  /// The system's description of the error.
  public var description: String { String(cString: strerror(errorNumber)) }
}
