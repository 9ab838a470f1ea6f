/// A hash of a text's bytes, eight at a time. It is fast, but no protection against attacks. A table with untrusted
/// contents uses a random seed, or limits its probes if equal values must have equal bytes in every process.
enum TextHash {
  @inline(__always)
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt32 {
    let count = bytes.count
    var hash = UInt64(truncatingIfNeeded: count) ^ seed ^ 0x9e37_79b9_7f4a_7c15
    guard count >= 8 else { return finish(hash, word(ofFew: bytes)) }
    var offset = 0
    while count &- offset > 8 {
      hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset &+= 8
    }
    // The last eight bytes. Some of them may already be part of the hash.
    return finish(hash, bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
  }

  /// Returns up to seven bytes in one word. The loads overlap, so no loop is needed.
  @inline(__always)
  static func word(ofFew bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    if count >= 4 {
      return UInt64(bytes.loadUnaligned(as: UInt32.self)) &<< 32
        | UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    }
    guard count > 0 else { return 0 }
    return UInt64(bytes[0]) &<< 16 | UInt64(bytes[count / 2]) &<< 8 | UInt64(bytes[count - 1])
  }

  /// Combines both halves of a product, so that each bit of the word changes bits above and below its own position.
  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: 0xff51_afd7_ed55_8ccd)
    return product.high ^ product.low
  }

  @inline(__always)
  private static func finish(_ hash: UInt64, _ word: UInt64) -> UInt32 {
    let mixed = mix(hash, word)
    return UInt32(truncatingIfNeeded: mixed ^ mixed &>> 32)
  }
}

extension String {
  /// Calls a function with the text's UTF-8. Nearly all texts are contiguous and need no copy.
  @inline(__always)
  func withContiguousUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return copy.withUTF8(body)
  }
}
