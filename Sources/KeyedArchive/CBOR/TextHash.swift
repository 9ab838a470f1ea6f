/// A hash of a text's bytes, eight at a time. It is fast, but no protection against attacks. A table with untrusted
/// contents uses a random seed, or limits its probes if equal values must have equal bytes in every process.
enum TextHash {
  @inline(__always)
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt32 {
    let count = bytes.count
    var hash = UInt64(truncatingIfNeeded: count) ^ seed ^ 0x9e37_79b9_7f4a_7c15
    var offset = 0
    while count &- offset > 8 {
      hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset &+= 8
    }
    let mixed = mix(hash, bytes.lastWord)
    return UInt32(truncatingIfNeeded: mixed ^ mixed &>> 32)
  }

  /// Combines both halves of a product, so that each bit of the word changes bits above and below its own position.
  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: 0xff51_afd7_ed55_8ccd)
    return product.high ^ product.low
  }
}

extension String {
  /// Calls a function with the text's UTF-8. Nearly all texts are contiguous and need no copy.
  @inline(__always)
  func withContiguousUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    utf8.withContiguousStorageIfAvailable(body) ?? withCopiedUTF8(body)
  }

  @inline(never)
  private func withCopiedUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var copy = self
    return copy.withUTF8(body)
  }
}

extension UnsafeRawBufferPointer {
  /// The last eight bytes as one number, or all bytes if there are fewer. Some bytes may be included twice, which is
  /// faster than reading each of them separately.
  @inlinable @inline(__always) package var lastWord: UInt64 {
    if count >= 8 { return loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self) }
    if count >= 4 {
      let first = UInt64(loadUnaligned(as: UInt32.self))
      return first &<< 32 | UInt64(loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
    }
    guard count > 0 else { return 0 }
    return UInt64(self[0]) &<< 16 | UInt64(self[count / 2]) &<< 8 | UInt64(self[count &- 1])
  }

  @inlinable package var isASCII: Bool {
    var offset = 0
    var bits = lastWord
    while count &- offset > 8 {
      bits |= loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    return bits & (0x8080_8080_8080_8080 as UInt64) == 0
  }
}
