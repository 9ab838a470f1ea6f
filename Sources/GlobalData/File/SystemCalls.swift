/// The few system calls that a store makes.
///
/// Each is one call of the kernel, or a few that are one thing to a store, such as the names in a folder: nothing is
/// retried after an interruption or checked here, so that a test can replace any of them and answer as a kernel may (an
/// interruption, a short write, a full disk). ``FileSession`` decides what the answers mean.
///
/// Names are looked up in an open folder: whatever happens to the path meanwhile, all steps of one operation act on the
/// same folder. No call on a file follows a symbolic link in the last component; ``realPath(_:)`` and the opening of a
/// folder do.
package protocol SystemCalls: Sendable {
  // MARK: Paths

  /// The absolute path without symbolic links, which must lead to something that exists.
  func realPath(_ path: String) throws(SystemCallError) -> String

  func nameComparison(atPath path: String) -> NameComparison

  /// What is at a path, without its time.
  func status(ofPath path: String) throws(SystemCallError) -> FileStatus

  /// Makes a folder that only its owner may use.
  func makeDirectory(_ path: String) throws(SystemCallError)

  /// Opens a folder; a folder that is not opened for listing cannot be listed or synced.
  func openDirectory(_ path: String, forListing: Bool) throws(SystemCallError) -> FileDescriptor

  /// Does nothing where the system makes no backups.
  func excludeFromBackups(_ path: String) throws(SystemCallError)

  // MARK: Names in a folder

  /// Opens what is there for reading, whatever it is, without waiting for anybody at the other end of a pipe.
  func openForReading(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor

  /// Opens a file that is there for reading and writing.
  func openForUpdating(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor

  /// Creates a file that only its owner may use and that must not exist, and opens it for writing.
  func create(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor

  /// What is under a name. Its time is to be asked for only where it is needed: that makes the next write to it slower.
  func status(of name: String, in folder: FileDescriptor, withTime: Bool) throws(SystemCallError) -> FileStatus

  /// Gives a file another name in the same folder, in place of what has that name.
  func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(SystemCallError)

  /// Gives a file one more name in the same folder; the name must be free.
  func link(_ name: String, as newName: String, in folder: FileDescriptor) throws(SystemCallError)

  /// Removes a name that is not a folder's.
  func unlink(_ name: String, in folder: FileDescriptor) throws(SystemCallError)

  /// The names in a folder that are valid UTF-8.
  func names(in folder: FileDescriptor) throws(SystemCallError) -> [String]

  // MARK: Locks

  /// Opens a file to lock for writing, and creates it, for its owner only, where it is missing. Does not wait, whatever
  /// it is.
  func openLock(_ name: String, in folder: FileDescriptor) throws(SystemCallError) -> FileDescriptor

  /// Takes the lock of an open file if nobody holds it; does not wait.
  ///
  /// The lock belongs to the open file: it ends with ``unlock(_:)``, and with the process, however that ends.
  func tryLock(_ descriptor: FileDescriptor) throws(SystemCallError)

  func unlock(_ descriptor: FileDescriptor) throws(SystemCallError)

  // MARK: Open files

  /// What a descriptor stands for; of its time holds the same.
  func status(of descriptor: FileDescriptor, withTime: Bool) throws(SystemCallError) -> FileStatus

  /// Reads the next bytes into a buffer that is not empty; returns their number, 0 at the end.
  func read(_ descriptor: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> Int

  /// Writes pieces, at most 1,024 of them, one after the other; returns the number of the bytes that were written,
  /// which may end within a piece.
  func write(_ descriptor: FileDescriptor, _ pieces: [UnsafeRawBufferPointer]) throws(SystemCallError) -> Int

  /// Reads bytes from a place of a file into a buffer that is not empty; returns their number, 0 at the end.
  func read(
    _ descriptor: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int

  /// Writes bytes at a place of a file; returns the number of those that were written.
  func write(
    _ descriptor: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemCallError) -> Int

  func sync(_ descriptor: FileDescriptor, _ strength: SyncStrength) throws(SystemCallError)

  /// A second descriptor of an open file, which keeps the file's lock when the first one is closed.
  func duplicate(_ descriptor: FileDescriptor) throws(SystemCallError) -> FileDescriptor

  /// Closes a descriptor, which is closed afterwards whatever the answer.
  func close(_ descriptor: FileDescriptor) throws(SystemCallError)

  func setPermissions(_ permissions: UInt32, of descriptor: FileDescriptor) throws(SystemCallError)

  /// Sets the group and, unless it is `nil`, the owner.
  func setOwner(_ owner: UInt32?, group: UInt32, of descriptor: FileDescriptor) throws(SystemCallError)

  func copyAttributes(from source: FileDescriptor, to destination: FileDescriptor) throws(SystemCallError)

  /// Gives a new file a data protection, by default that of an earlier one, or of stores; nothing where there is none.
  func protect(
    _ descriptor: FileDescriptor, _ protection: GlobalData.FileProtection?, like earlier: FileDescriptor?
  ) throws(SystemCallError)

  // MARK: Processes

  /// Whether this process may give files away to any owner.
  var isPrivileged: Bool { get }

  var processID: Int32 { get }
}
