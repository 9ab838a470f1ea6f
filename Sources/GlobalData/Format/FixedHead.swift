import KeyedArchive

/// The first bytes of an archive or a change. They have a fixed length and end with a checksum of their own.
///
/// Because the length of a head never depends on its contents, a reader knows which bytes to check before it trusts any
/// of them. Because the head contains the length of the rest, damage in the rest cannot hide the end.
struct FixedHead {
  /// The bytes of the head, with the flipped bit repaired if there was one.
  let bytes: [UInt8]
  let isRepaired: Bool

  /// Reads a head whose last eight bytes are the checksum of all but the last nine, and repairs one flipped bit, in
  /// O(*n*²). `form` contains the required bytes, and `nil` for each byte that may have any value. Fails if the bytes
  /// have another form or more than one wrong bit.
  init?(_ bytes: UnsafeRawBufferPointer, form: [UInt8?], seed: UInt64, repairs: Bool = true) {
    guard bytes.count == form.count else { return nil }
    var bytes = Array(bytes)
    let wrong = bytes.indices.filter { form[$0] != nil && form[$0] != bytes[$0] }
    isRepaired = !(wrong.isEmpty && FixedHead.hasRightChecksum(bytes, seed))
    if isRepaired {
      guard repairs, wrong.count <= 1 else { return nil }
      // The wrong bit is in the byte that does not match the form, or else in a byte that may have any value.
      let candidates = wrong.isEmpty ? bytes.indices.filter { form[$0] == nil } : wrong
      guard FixedHead.correctOneBit(of: &bytes, at: candidates, form, seed) else { return nil }
    }
    self.bytes = bytes
  }

  private static func correctOneBit(
    of bytes: inout [UInt8], at offsets: [Int], _ form: [UInt8?], _ seed: UInt64
  ) -> Bool {
    for offset in offsets {
      for bit in 0..<8 {
        bytes[offset] ^= 1 &<< bit
        if form[offset] ?? bytes[offset] == bytes[offset], hasRightChecksum(bytes, seed) { return true }
        bytes[offset] ^= 1 &<< bit
      }
    }
    return false
  }

  /// Appends the checksum of the buffer's contents and returns it.
  static func appendChecksum(to buffer: ByteBuffer, seed: UInt64) -> UInt64 {
    let checksum = buffer.withUnsafeBytes { XXHash64.checksum($0, seed: seed) }
    buffer.appendHead(.bytes, 8)
    buffer.append(bigEndian: checksum)
    return checksum
  }

  /// Returns the number in eight bytes, most significant byte first.
  func number(at offset: Int) -> UInt64 { bytes.withUnsafeBytes { $0.number(at: offset) } }

  private static func hasRightChecksum(_ bytes: [UInt8], _ seed: UInt64) -> Bool {
    bytes.withUnsafeBytes { bytes in
      let checksumStart = bytes.count - 8
      return XXHash64.checksum(bytes.part(..<(checksumStart - 1)), seed: seed) == bytes.number(at: checksumStart)
    }
  }
}

extension ByteBuffer {
  /// Appends an unsigned integer with a head of nine bytes, regardless of its value.
  func appendFixed(_ number: UInt64) {
    append(0x1b)
    append(bigEndian: number)
  }
}
