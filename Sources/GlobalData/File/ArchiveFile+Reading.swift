import Foundation

extension ArchiveFile {
  /// Reads the whole file.
  ///
  /// - Parameter limit: The greatest number of bytes to accept.
  /// - Returns: The bytes, or `nil` if and only if there is no file: neither its name nor, perhaps, its folder.
  /// - Throws: ``GlobalDataError`` with code `locked`, `notAFile`, `danglingLink`, `fileTooLarge` or `readFailed`.
  func read(limit: Int) throws(GlobalDataError) -> Data? {
    let location = try followPath()
    guard let descriptor = try openForReading(location) else { return nil }
    defer { system.closeUnwritten(descriptor) }

    let status: FileStatus
    do {
      status = try retryingInterruptions(system.status(of: descriptor, withTime: false))
    } catch {
      throw .cannotRead(error, url)
    }
    guard status.kind == .regular else { throw .notRegular(status.kind, url) }
    guard status.size <= limit else { throw .tooLarge(limit: limit, url) }

    let contents: Data?
    do {
      contents = try readAll(descriptor, expecting: status.size, limit: limit)
    } catch {
      throw .cannotRead(error, url)
    }
    guard let contents else { throw .tooLarge(limit: limit, url) }
    return contents
  }

  private func openForReading(_ location: FileLocation) throws(GlobalDataError) -> FileDescriptor? {
    do {
      let folder = try openFolder(location.folder)
      defer { system.closeUnwritten(folder.descriptor) }
      return try openForReading(location.name, in: folder)
    } catch {
      guard error.isAbsent else { throw .cannotOpen(error, url) }
      return nil
    }
  }

  func openForReading(_ name: String, in folder: OpenFolder) throws(SystemCallError) -> FileDescriptor {
    try open(name, in: folder, isForUpdating: false)
  }

  func open(
    _ name: String, in folder: OpenFolder, isForUpdating: Bool
  ) throws(SystemCallError) -> FileDescriptor {
    if isForUpdating { return try retryingInterruptions(system.openForUpdating(name, in: folder.descriptor)) }
    return try retryingInterruptions(system.openForReading(name, in: folder.descriptor))
  }

  /// Reads to the end, or returns `nil` when the end is not within the limit.
  ///
  /// The file may grow or shrink meanwhile: `expected` is a hint, and the end is where the system says it is. It is
  /// read, not mapped: a mapped file that somebody truncates kills the process.
  private func readAll(
    _ descriptor: FileDescriptor,
    expecting expected: Int,
    limit: Int
  ) throws(SystemCallError) -> Data? {
    // One byte more than expected, so that the end shows without another buffer.
    let buffer = try ReadBuffer(capacity: max(0, min(expected, limit)) &+ 1)
    while true {
      if buffer.isFull {
        guard buffer.count <= limit else { return nil }
        try buffer.grow(limit: limit)
      }
      let count = try retryingInterruptions(system.read(descriptor, into: buffer.unfilled))
      guard count > 0 else { break }
      buffer.count += count
    }
    return buffer.count <= limit ? buffer.takeData() : nil
  }
}

/// Memory that a file is read into and that then becomes `Data`, without a copy.
///
/// Unsafe memory is confined to this class: `base` addresses `capacity` bytes until `takeData()` gives them away or
/// `deinit` frees them.
private final class ReadBuffer {
  var count = 0
  private var base: UnsafeMutableRawPointer?
  private var capacity: Int

  init(capacity: Int) throws(SystemCallError) {
    guard capacity > 0, let memory = malloc(capacity) else { throw SystemCallError(.read, ENOMEM) }
    base = memory
    self.capacity = capacity
  }

  deinit {
    free(base)
  }

  var isFull: Bool { count >= capacity }

  /// The part that is not filled, or as much of it as one call of any system can read.
  var unfilled: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base?.advanced(by: count), count: min(capacity - count, 1 << 30))
  }

  /// Makes room for more bytes, but for no more than show that the limit is passed.
  func grow(limit: Int) throws(SystemCallError) {
    let room = max(capacity / 2, 1 << 16)
    let wanted = capacity &+ min(room, limit &- capacity &+ 1)
    guard wanted > capacity, let memory = realloc(base, wanted) else { throw SystemCallError(.read, ENOMEM) }
    base = memory
    capacity = wanted
  }

  /// The bytes that were read; the buffer has none afterwards.
  func takeData() -> Data {
    guard let block = base else { return Data() }
    base = nil
    return Data(bytesNoCopy: block, count: count, deallocator: .free)
  }
}
