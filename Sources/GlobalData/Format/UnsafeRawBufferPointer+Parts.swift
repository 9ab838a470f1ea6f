extension UnsafeRawBufferPointer {
  /// Returns the bytes in a range, whose offsets then begin at 0.
  @inline(__always)
  func part(_ range: some RangeExpression<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[range])
  }

  /// Returns the number in eight bytes, most significant byte first.
  @inline(__always)
  func number(at offset: Int) -> UInt64 {
    UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
