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
  public static let read = StorageOperation("read", [.read, .pread])
  /// Writing bytes of the temporary file, or appending to the store's file.
  public static let write = StorageOperation("write", [.write, .pwrite])
  /// Syncing a file to the disk.
  public static let sync = StorageOperation("sync", [.fsync], onFolder: false)
  /// Syncing a folder's names to the disk.
  public static let syncFolder = StorageOperation("syncFolder", [.fsync], onFolder: true)
  /// Renaming the temporary file to the store's name: the moment at which readers see the change.
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
