import FoundationCore
import KeyedArchive

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

  deinit {
    free(base)
  }

  var isFull: Bool { count >= capacity }

  /// The unfilled part, limited to the number of bytes that one call can read on every system.
  var unfilled: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base?.advanced(by: count), count: min(capacity - count, 1 << 30))
  }

  /// Makes room for more bytes, but for no more than are needed to detect that the limit is exceeded.
  func grow(limit: Int) throws(SystemCallError) {
    let room = max(capacity / 2, 1 << 16)
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
