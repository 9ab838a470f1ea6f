/// The few system calls that a store makes.
///
/// Each function makes one kernel call, or a few that are one operation to a store, such as listing the names in a
/// folder. No function retries after an interruption or checks anything, so that a test can replace any of them and
/// answer as a kernel may (an interruption, a short write, a full disk). ``FileSession`` decides what the answers mean.
///
/// Names are looked up in an open folder: whatever happens to the path in the meantime, all steps of one operation act
/// on the same folder. No call on a file follows a symbolic link in the last component; ``realPath(_:)`` and the
/// opening of a folder do.
package protocol SystemCalls: AnyObject, Sendable {
  // MARK: Paths

  /// Returns the absolute path without symbolic links. The path must lead to something that exists.
  func realPath(_ path: String) throws(SystemCallError) -> String

  func nameComparison(atPath path: String) -> NameComparison

  /// Returns the status of the item at a path, without its time.
  func status(ofPath path: String) throws(SystemCallError) -> FileStatus

  /// Creates a folder that only its owner may use.
  func makeDirectory(_ path: String) throws(SystemCallError)

  /// Opens a folder. A folder that is not opened for listing cannot be listed or synced.
  func openDirectory(_ path: String, forListing: Bool) throws(SystemCallError) -> FileDescriptor

  /// Excludes a file from backups. Does nothing if the system makes no backups.
  func excludeFromBackups(_ path: String) throws(SystemCallError)

  // MARK: Names in a folder

  /// Opens an existing item of any kind for reading or, if `isForUpdating` is true, also for writing, without waiting
  /// for the other end of a pipe.
  func openExisting(
    _ name: String, in folder: FileDescriptor, isForUpdating: Bool
  ) throws(SystemCallError) -> FileDescriptor

  /// Creates a file that only its owner may use, and opens it for writing. The file must not exist.
  func create(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor

  /// Returns the status of the item with a name. Request its time only if you need it: the request makes the next write
  /// to the item slower.
  func status(of name: String, in folder: FileDescriptor, withTime: Bool) throws(SystemCallError) -> FileStatus

  /// Gives a file another name in the same folder. Replaces the item that has that name.
  func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemCallError)

  /// Gives a file another name in the same folder. Throws `EEXIST` if an item has that name.
  ///
  /// A file system that cannot do this may replace an item that has had the name for only a moment.
  func renameWithoutReplacing(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemCallError)

  /// Gives a file one more name in the same folder. The name must be free.
  func link(_ name: String, as newName: String, in folder: FileDescriptor) throws(SystemCallError)

  /// Removes a name, which must not be that of a folder.
  func unlink(_ name: String, in folder: FileDescriptor) throws(SystemCallError)

  /// Returns the names in a folder that are valid UTF-8.
  func names(in folder: FileDescriptor) throws(SystemCallError) -> [String]

  // MARK: Locks

  /// Opens a file for writing, in order to lock it. Creates the file, for its owner only, if it is missing. Does not
  /// wait, whatever kind of item has the name.
  func openLock(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor

  /// Takes the lock of an open file if the lock is free. Does not wait.
  ///
  /// The lock belongs to the open file. It ends with ``unlock(_:)``, and with the process, however the process ends.
  func tryLock(_ descriptor: FileDescriptor) throws(SystemCallError)

  func unlock(_ descriptor: FileDescriptor) throws(SystemCallError)

  // MARK: Open files

  /// Returns the status of an open file. Request its time only if you need it: the request makes the next write slower.
  func status(of descriptor: FileDescriptor, withTime: Bool) throws(SystemCallError) -> FileStatus

  /// Writes pieces, at most 1,024 of them, one after the other. Returns the number of bytes that were written, which
  /// may end within a piece.
  func write(_ descriptor: FileDescriptor, _ pieces: [UnsafeRawBufferPointer]) throws(SystemCallError) -> Int

  /// Reads the bytes at an offset of a file into a buffer, which must not be empty. Returns their number; 0 at the end.
  func read(
    _ descriptor: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int

  /// Writes bytes at an offset of a file. Returns the number of bytes that were written.
  func write(
    _ descriptor: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int

  /// Cuts off a file after a number of bytes.
  func truncate(_ descriptor: FileDescriptor, to size: Int) throws(SystemCallError)

  func sync(_ descriptor: FileDescriptor, _ strength: SyncStrength) throws(SystemCallError)

  /// Returns a second descriptor of an open file, which keeps the file's lock after the first one is closed.
  func duplicate(_ descriptor: FileDescriptor) throws(SystemCallError) -> FileDescriptor

  /// Closes a descriptor. The descriptor is closed afterward even if the call fails.
  func close(_ descriptor: FileDescriptor) throws(SystemCallError)

  func setPermissions(_ permissions: UInt32, of descriptor: FileDescriptor) throws(SystemCallError)

  /// Sets the group and, unless it is `nil`, the owner.
  func setOwner(_ owner: UInt32?, group: UInt32, of descriptor: FileDescriptor) throws(SystemCallError)

  func copyAttributes(from source: FileDescriptor, to destination: FileDescriptor) throws(SystemCallError)

  /// Gives a new file a data protection, by default that of an earlier file, or else that of stores. Does nothing if
  /// the system has no data protection.
  func protect(
    _ descriptor: FileDescriptor, _ protection: GlobalData.FileProtection?, like earlier: FileDescriptor?
  ) throws(SystemCallError)

  // MARK: Processes

  /// Whether this process may give files away to any owner.
  var isPrivileged: Bool { get }

  var processID: Int32 { get }
}
