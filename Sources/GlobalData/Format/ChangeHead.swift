import KeyedArchive

/// The 46 bytes before the steps of a change. See ``ArchiveChange``.
struct ChangeHead {
  var generation: UInt64
  /// The number of bytes of the file that were on stable storage, as the file claims.
  var syncedLength: UInt64
  /// The number of bytes after the head, as the file claims.
  var length: UInt64
  var previousChecksum: UInt64

  static let length = 46

  private static let form: [UInt8?] = {
    var form: [UInt8?] = Array(repeating: nil, count: length)
    (form[0], form[1], form[10], form[19], form[28], form[37]) = (0x88, 0x1b, 0x1b, 0x1b, 0x48, 0x48)
    return form
  }()

  struct Found {
    var head: ChangeHead
    var checksum: UInt64
    var isRepaired: Bool
  }

  /// Reads a head, and repairs one flipped bit if `repairs` is true. Returns `nil` if the head is missing or still
  /// damaged.
  static func read(_ bytes: UnsafeRawBufferPointer, archiveChecksum: UInt64, repairs: Bool) -> Found? {
    let start = UnsafeRawBufferPointer(rebasing: bytes.prefix(length))
    guard let fixed = FixedHead(start, form: form, seed: archiveChecksum, repairs: repairs) else { return nil }
    let head = ChangeHead(
      generation: fixed.number(at: 2), syncedLength: fixed.number(at: 11), length: fixed.number(at: 20),
      previousChecksum: fixed.number(at: 29))
    return Found(head: head, checksum: fixed.number(at: 38), isRepaired: fixed.isRepaired)
  }

  /// Returns whether bytes are the start of a head whose remainder may be missing.
  static func isStart(_ bytes: UnsafeRawBufferPointer) -> Bool {
    zip(bytes, form).allSatisfy { byte, expected in expected == nil || expected == byte }
  }

  /// Returns whether bytes look like the start of a change, even a damaged one.
  static func isLikely(_ bytes: UnsafeRawBufferPointer) -> Bool {
    zip(bytes, form).count { byte, expected in expected == byte } >= 3
  }

  func encoded(archiveChecksum: UInt64, capacity: Int) -> (bytes: ByteBuffer, checksum: UInt64) {
    let buffer = ByteBuffer(capacity: capacity)
    buffer.appendHead(.array, 8)
    buffer.appendFixed(generation)
    buffer.appendFixed(syncedLength)
    buffer.appendFixed(length)
    buffer.appendHead(.bytes, 8)
    buffer.append(bigEndian: previousChecksum)
    return (buffer, FixedHead.appendChecksum(to: buffer, seed: archiveChecksum))
  }
}
