import KeyedArchive

/// The 62 bytes before the entries of an archive.
///
///     d9 d9f7                        tag 55799: this is CBOR
///       88                           array of 8
///         6a 476c6f62616c44617461    text "GlobalData"
///         01                         version of the format, 1 to 23
///         d8 25 50 …16 bytes…        tag 37: the identity of the store, a UUID
///         1b …8 bytes…               the generation, which grows with each commit
///         1b …8 bytes…               the length of the entries, their map's head included, in bytes
///         48 …8 bytes…               checksum of the head: XXH64 of the bytes before this item
///
/// Every version of the format keeps this layout.
struct ArchiveHead {
  var version: UInt64
  var identity: StoreIdentity
  var generation: UInt64
  /// The number of bytes from the head of the entries' map to the end of the last entry, as the file claims.
  var entriesLength: UInt64

  static let length = 62

  /// The bytes that every archive starts with, regardless of its version.
  static let magic: [UInt8] = [0xd9, 0xd9, 0xf7, 0x88, 0x6a] + Array("GlobalData".utf8)

  private static let versionOffset = 15
  private static let identityOffset = 19
  private static let generationOffset = 36
  private static let lengthOffset = 45
  private static let checksumOffset = 54

  private static let form: [UInt8?] = {
    var form: [UInt8?] = Array(repeating: nil, count: length)
    for (offset, byte) in magic.enumerated() { form[offset] = byte }
    (form[16], form[17], form[18]) = (0xd8, 0x25, 0x50)
    (form[generationOffset - 1], form[lengthOffset - 1], form[checksumOffset - 1]) = (0x1b, 0x1b, 0x48)
    return form
  }()

  /// Reads the head of an archive. Returns `nil` if the head has more than one flipped bit.
  static func read(_ bytes: UnsafeRawBufferPointer) -> (head: ArchiveHead, fixed: FixedHead)? {
    let start = UnsafeRawBufferPointer(rebasing: bytes.prefix(length))
    guard let fixed = FixedHead(start, form: form, seed: 0), let head = ArchiveHead(fixed) else { return nil }
    return (head, fixed)
  }

  /// Returns the version that a damaged head claims, if it is later than the known version.
  ///
  /// Such a file is either damaged or in a format with a different head checksum. It is never written to.
  static func claimedLaterVersion(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard bytes.count > versionOffset, bytes.prefix(magic.count).elementsEqual(magic) else { return nil }
    let version = UInt64(bytes[versionOffset])
    return version > ArchiveImage.version && version < 24 ? version : nil
  }

  func encoded() -> ByteBuffer {
    let buffer = ByteBuffer(capacity: ArchiveHead.length + 9)
    buffer.append(contentsOf: ArchiveHead.magic)
    buffer.appendHead(.unsigned, version)
    buffer.append(contentsOf: [0xd8, 0x25, 0x50])
    buffer.append(bigEndian: identity.high)
    buffer.append(bigEndian: identity.low)
    buffer.appendFixed(generation)
    buffer.appendFixed(entriesLength)
    _ = FixedHead.appendChecksum(to: buffer, seed: 0)
    return buffer
  }
}

extension ArchiveHead {
  fileprivate init?(_ fixed: FixedHead) {
    let version = fixed.bytes[ArchiveHead.versionOffset]
    guard 1...23 ~= version else { return nil }
    self.version = UInt64(version)
    identity = StoreIdentity(
      high: fixed.number(at: ArchiveHead.identityOffset), low: fixed.number(at: ArchiveHead.identityOffset + 8))
    generation = fixed.number(at: ArchiveHead.generationOffset)
    entriesLength = fixed.number(at: ArchiveHead.lengthOffset)
  }
}
