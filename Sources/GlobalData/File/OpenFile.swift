import FoundationCore
import KeyedArchive

/// An open file. It is closed with the last reference to it, at the latest.
///
/// Each function makes one system call and repeats it while signals interrupt it, unless its documentation says
/// otherwise.
final class OpenFile {
  private let system: any SystemCalls
  let descriptor: FileDescriptor
  private var isClosed = false

  init(_ descriptor: FileDescriptor, _ system: any SystemCalls) {
    self.descriptor = descriptor
    self.system = system
  }

  deinit { discard() }

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

  /// Returns the status. Requesting its time makes the next write slower.
  func status(withTime: Bool = false) throws(SystemCallError) -> FileStatus {
    try retryingInterruptions(system.status(of: descriptor, withTime: withTime))
  }

  // MARK: Bytes

  /// Reads bytes into a buffer, which must not be empty. Returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
    try retryingInterruptions(system.read(descriptor, into: buffer, at: offset))
  }

  /// Returns fewer bytes if the file ends earlier.
  func bytes(at offset: Int, count: Int) throws(SystemCallError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    return [UInt8](buffer.prefix(try read(into: buffer, at: offset)))
  }

  func truncate(to size: Int) throws(SystemCallError) {
    try retryingInterruptions(system.truncate(descriptor, to: size))
  }

  func sync(_ strength: SyncStrength) throws(SystemCallError) {
    try retryingInterruptions(system.sync(descriptor, strength))
  }

  // MARK: Locks

  /// Takes the file's lock without waiting.
  func tryLock() throws(SystemCallError) { try retryingInterruptions(system.tryLock(descriptor)) }

  func unlock() throws(SystemCallError) { try retryingInterruptions(system.unlock(descriptor)) }

  /// Tries to lock the file, less and less often, until a deadline (only once if it is `nil`) or until the activity
  /// expires. Returns whether the file is locked; throws if the file cannot be locked.
  func waitForLock(until deadline: Duration?, during activity: ExpiringActivity?) throws(SystemCallError) -> Bool {
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

  /// The number of pieces per call; systems accept 1,024.
  private static let piecesPerCall = 64
  /// The number of bytes per call: systems write at most 2 GiB, and some reject larger requests.
  static let chunk = 64 * 1024 * 1024

  /// Writes pieces in order, in few calls, without copying them.
  func write(_ pieces: [SharedBytes]) throws(SystemCallError) {
    defer { withExtendedLifetime(pieces) {} }
    var later = pieces[...]
    while !later.isEmpty {
      try writeAll(later.prefix(OpenFile.piecesPerCall).map(\.contents))
      later = later.dropFirst(OpenFile.piecesPerCall)
    }
  }

  private func writeAll(_ buffers: [UnsafeRawBufferPointer]) throws(SystemCallError) {
    var (rest, missing) = (buffers, buffers.reduce(0) { $0 + $1.count })
    while missing > 0 {
      let chunk = missing <= OpenFile.chunk ? rest : rest.prefix(bytes: OpenFile.chunk)
      let count = try retryingInterruptions(system.write(descriptor, chunk))
      // A write to a regular file does not return 0; stop instead of looping.
      guard count > 0 else { throw SystemCallError(.write, EIO) }
      missing -= count
      if missing > 0 { rest = rest.dropFirst(bytes: count) }
    }
  }

  /// Writes all bytes, in as many calls as it takes.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemCallError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...].prefix(OpenFile.chunk))
      let count = try retryingInterruptions(system.write(descriptor, rest, at: offset + written))
      // A write to a regular file does not return 0; stop instead of looping.
      guard count > 0 else { throw SystemCallError(.pwrite, EIO) }
      written += count
    }
  }
}

extension [UnsafeRawBufferPointer] {
  package func prefix(bytes count: Int) -> Self {
    var (result, missing) = (Self(), count)
    for buffer in self where missing > 0 {
      result.append(.init(rebasing: buffer.prefix(missing)))
      missing -= Swift.min(missing, buffer.count)
    }
    return result
  }

  /// Returns the rest, without empty buffers.
  fileprivate func dropFirst(bytes count: Int) -> Self {
    var (result, surplus) = (Self(), count)
    for buffer in self {
      if surplus < buffer.count { result.append(.init(rebasing: buffer.dropFirst(surplus))) }
      surplus -= Swift.min(surplus, buffer.count)
    }
    return result
  }
}

/// Memory that a file is read into and that then becomes `SharedBytes` without a copy.
///
/// Unsafe memory is confined to this class: `base` addresses `capacity` bytes until `takeBytes()` gives them away or
/// `deinit` frees them.
final class ReadBuffer {
  var count = 0
  private var base: UnsafeMutableRawPointer?
  private var capacity: Int

  init(capacity: Int) throws(SystemCallError) {
    guard capacity > 0, let memory = malloc(capacity) else { throw SystemCallError(.read, ENOMEM) }
    base = memory
    self.capacity = capacity
  }

  deinit { free(base) }

  var isFull: Bool { count >= capacity }

  /// The unfilled part, limited to the number of bytes that one call can read on every system.
  var unfilled: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base?.advanced(by: count), count: min(capacity - count, 1024 * 1024 * 1024))
  }

  /// Makes room for more bytes, but for no more than are needed to detect that the limit is exceeded.
  func grow(limit: Int) throws(SystemCallError) {
    let room = max(capacity / 2, 64 * 1024)
    let wanted = capacity &+ min(room, limit &- capacity &+ 1)
    guard wanted > capacity, let memory = realloc(base, wanted) else { throw SystemCallError(.read, ENOMEM) }
    base = memory
    capacity = wanted
  }

  /// Returns the bytes that were read, and leaves the buffer empty.
  func takeBytes() -> SharedBytes {
    guard let block = base else { return SharedBytes() }
    base = nil
    return SharedBytes(adopting: block, count: count)
  }
}
