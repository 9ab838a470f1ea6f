/// Long runs of zeros, which never occur in a change in a file.
///
/// A disk sector (512 bytes) that was never written reads as zeros. Such a sector shows a reader that a power cut
/// interrupted a change. A written sector must not look the same, not even after one of its bits has flipped. For this
/// reason, any 512 consecutive bytes of a change contain at least two nonzero bytes. A value that would break this rule
/// is stored in chunks of 255 bytes, each with a head of two nonzero bytes.
enum ZeroRuns {
  /// The number of consecutive zeros that make a run long. Two shorter runs, with one byte between them, are shorter
  /// than a sector.
  static let limit = 255

  /// Returns whether bytes contain a long run of zeros. Reads only one byte in 255 if none of those is zero.
  static func areLong(in bytes: UnsafeRawBufferPointer) -> Bool {
    // A long run always covers one of the bytes at these offsets.
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
