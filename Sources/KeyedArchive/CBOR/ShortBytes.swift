/// Two to sixteen bytes in two words, which may overlap: the first bytes and the last ones. Comparing them takes no
/// loop and no call.
struct ShortBytes: Equatable {
  let count: Int
  private let first: UInt64
  private let last: UInt64

  /// Loads bytes, which must be readable, unless there are too few or too many of them.
  @inline(__always)
  init?(at bytes: UnsafeRawPointer, count: Int) {
    self.count = count
    if count >= 8, count <= 16 {
      first = bytes.loadUnaligned(as: UInt64.self)
      last = bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    } else if count >= 4, count < 8 {
      first = UInt64(bytes.loadUnaligned(as: UInt32.self))
      last = UInt64(bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
    } else if count == 2 || count == 3 {
      first = UInt64(bytes.loadUnaligned(as: UInt16.self))
      last = UInt64(bytes.loadUnaligned(fromByteOffset: count &- 2, as: UInt16.self))
    } else {
      return nil
    }
  }
}
