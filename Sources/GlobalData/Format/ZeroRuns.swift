/// Long runs of zeros, which no change in a file has.
///
/// A sector of a disk (512 bytes) that was never written reads as zeros. A reader tells by such a sector that a power
/// cut stopped a change. So a sector that was written must not look like one, not even after one bit of it has flipped:
/// any 512 bytes of a change in a row have at least two bytes that are not zero. Where a value would break that, it is
/// stored in chunks of 255 bytes, each with a head of two bytes that are not zero.
enum ZeroRuns {
  /// The number of zeros in a row that make a run long. Two runs that are shorter, and a byte between them, are less
  /// than a sector.
  static let limit = 255

  /// Reads one byte in 255 where none of these is zero.
  static func areLong(in bytes: UnsafeRawBufferPointer) -> Bool {
    // A long run covers one of the bytes at these offsets.
    var offset = limit - 1
    while offset < bytes.count {
      guard bytes[offset] == 0 else {
        offset += limit
        continue
      }
      var (start, end) = (offset, offset + 1)
      while start > 0, offset - start < limit, bytes[start - 1] == 0 { start -= 1 }
      while end < bytes.count, end - start < limit, bytes[end] == 0 { end += 1 }
      if end - start >= limit { return true }
      // The byte at `end` is not zero, so the next long run starts after it.
      offset = end + limit
    }
    return false
  }
}
