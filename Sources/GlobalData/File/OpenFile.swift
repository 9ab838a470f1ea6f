import FoundationCore
import KeyedArchive

/// An open file. It is closed with the last reference to it, at the latest.
///
/// Each function makes one system call and repeats it while signals interrupt it, unless its documentation says
/// otherwise.
final class OpenFile {
  let system: any SystemCalls
  let descriptor: FileDescriptor
  private var isClosed = false

  init(_ descriptor: FileDescriptor, _ system: any SystemCalls) {
    self.descriptor = descriptor
    self.system = system
  }

  deinit {
    discard()
  }

  /// Closes a file that was not written, or that is about to be removed.
  func discard() {
    guard !isClosed else { return }
    isClosed = true
    system.closeUnwritten(descriptor)
  }

  /// Closes a file that was written. Throws the errors that a network or a quota delayed.
  func close() throws(SystemCallError) {
    isClosed = true
    try system.closeWritten(descriptor)
  }

  // MARK: Status

  func status() throws(SystemCallError) -> FileStatus {
    try retryingInterruptions(system.status(of: descriptor, withTime: false))
  }

  /// Returns the status with its time. Requesting the time makes the next write slower.
  func statusAndTime() throws(SystemCallError) -> FileStatus {
    try retryingInterruptions(system.status(of: descriptor, withTime: true))
  }

  // MARK: Bytes

  /// Reads bytes into a buffer, which must not be empty. Returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemCallError) -> Int {
    try retryingInterruptions(system.read(descriptor, into: buffer))
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
    try retryingInterruptions(system.read(descriptor, into: buffer, at: offset))
  }

  /// Returns fewer bytes if the file ends earlier.
  func bytes(at offset: Int, count: Int) throws(SystemCallError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return [UInt8](buffer.prefix(try read(into: buffer, at: offset)))
  }

  func sync(_ strength: SyncStrength) throws(SystemCallError) {
    try retryingInterruptions(system.sync(descriptor, strength))
  }

  // MARK: Locks

  /// Takes the file's lock without waiting.
  func tryLock() throws(SystemCallError) {
    try retryingInterruptions(system.tryLock(descriptor))
  }

  func unlock() throws(SystemCallError) {
    try retryingInterruptions(system.unlock(descriptor))
  }

  /// Tries to lock the file, less and less often, until a deadline (only once if it is `nil`) or until the activity
  /// expires. Returns whether the file is locked; throws if the file cannot be locked.
  func waitForLock(
    until deadline: Duration?, during activity: ExpiringActivity?
  ) throws(SystemCallError) -> Bool {
    var pause: UInt32 = 50
    while true {
      do {
        try tryLock()
        return true
      } catch {
        guard error.isWouldBlock else { throw error }
      }
      guard let deadline, SteadyClock.now < deadline, !(activity?.isExpired ?? false) else { return false }
      usleep(pause)
      pause = min(pause * 2, 10_000)
    }
  }

  /// Duplicates the descriptor. The duplicate keeps the lock after this descriptor is closed.
  func duplicate() throws(SystemCallError) -> OpenFile {
    OpenFile(try retryingInterruptions(system.duplicate(descriptor)), system)
  }

  // MARK: Rights and attributes

  func setPermissions(_ permissions: UInt32) throws(SystemCallError) {
    try retryingInterruptions(system.setPermissions(permissions, of: descriptor))
  }

  /// Leaves the owner unchanged if `owner` is `nil`.
  func setOwner(_ owner: UInt32?, group: UInt32) throws(SystemCallError) {
    try retryingInterruptions(system.setOwner(owner, group: group, of: descriptor))
  }

  func copyAttributes(from other: OpenFile) throws(SystemCallError) {
    try retryingInterruptions(system.copyAttributes(from: other.descriptor, to: descriptor))
  }

  func protect(_ protection: GlobalData.FileProtection?, like other: OpenFile?) throws(SystemCallError) {
    try retryingInterruptions(system.protect(descriptor, protection, like: other?.descriptor))
  }
}
