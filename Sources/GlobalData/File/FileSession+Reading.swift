import FoundationCore
import KeyedArchive

extension FileSession {
  struct Reading {
    var stamp: FileStamp
    let bytes: SharedBytes
    let parsed: ParsedArchive
  }

  /// Reads and parses the file if it has at most `limit` bytes. Returns `nil` if there is no file. Takes no lock.
  ///
  /// While another process appends, a read may see one page from before a change and the next page from after it, which
  /// resembles damage. So damage counts only if two readings find it in the same bytes.
  func readArchive(limit: Int, isForUpdating: Bool = false) throws(GlobalDataError) -> Reading? {
    var last: Reading?
    // All attempts fail only if each of them meets a writer in the middle of a change.
    for _ in 0..<20 {
      guard let (bytes, stamp) = try read(limit: limit, isForUpdating: isForUpdating) else {
        return nil
      }
      if var last, last.bytes == bytes {
        last.stamp = stamp
        return last
      }
      let reading = Reading(stamp: stamp, bytes: bytes, parsed: ArchiveImage.parsing(bytes))
      guard reading.parsed.isDamaged else { return reading }
      last = reading
      // The next reading opens the file that the path leads to then.
      try followAgain()
    }
    return last
  }

  /// Reads the whole file if it has at most `limit` bytes. With `isForUpdating`, leaves the file open for writing in
  /// place. Returns `nil` if and only if the file does not exist, whether or not its folder does.
  func read(limit: Int, isForUpdating: Bool = false) throws(GlobalDataError) -> (SharedBytes, FileStamp)? {
    guard let (file, status) = try fileToRead(isForUpdating: isForUpdating) else { return nil }
    guard status.size <= limit else { throw .tooLarge(limit: limit, url) }
    guard let contents = try naming(.read, FileSession.readAll(file, expecting: status.size, limit: limit)) else {
      throw .tooLarge(limit: limit, url)
    }
    // The status was requested first. If the file is written in the meantime, its status differs from this one.
    return (contents, FileStamp(status, head: contents.withUnsafeBytes(FileStamp.head)))
  }

  /// Returns `nil` if the file does not exist.
  private func fileToRead(isForUpdating: Bool) throws(GlobalDataError) -> (OpenFile, FileStatus)? {
    if isForUpdating { _ = try fileToUpdate() }
    let current: ExaminedFile?
    do {
      current = try currentFile()
    } catch {
      // There may now be a link or a folder at the location that the path led to when it was last followed.
      guard try archive.followPath() != location else { throw error }
      forgetFolder()
      current = try currentFile()
    }
    guard let current else { return nil }
    if current.status.modified != nil { return (current.file, current.status) }
    return (current.file, try naming(.read, current.file.status(withTime: true)))
  }

  /// Reads to the end. Returns `nil` if the end is beyond the limit.
  ///
  /// The file may change size in the meantime, so `expected` is a hint. The file is not mapped, because truncating a
  /// mapped file kills the process.
  private static func readAll(
    _ file: OpenFile, expecting expected: Int, limit: Int
  ) throws(SystemCallError) -> SharedBytes? {
    // One byte more than expected, to detect the end without another buffer.
    let buffer = try ReadBuffer(capacity: max(0, min(expected, limit)) &+ 1)
    while true {
      if buffer.isFull {
        guard buffer.count <= limit else { return nil }
        try buffer.grow(limit: limit)
      }
      let count = try file.read(into: buffer.unfilled, at: buffer.count)
      guard count > 0 else { break }
      buffer.count += count
    }
    return buffer.count <= limit ? buffer.takeBytes() : nil
  }
}
