/// A store's file with right checksums around any contents.
///
/// This second writer of the format follows FileFormat.md alone: it checks nothing, shares no code with the store, and
/// only handles bytes. Each number in a head can be wrong, but the checksums are right, so that a reader passes them. A
/// test changes the bytes that should be wrong afterward.
public struct ForgedFile: Sendable {
  /// A key with a value or a removal, and the checksum in it.
  public struct Record: Sendable {
    public var bytes: [UInt8]
    public var checksum: UInt64

    /// An entry.
    ///
    /// - Parameters:
    ///   - key: The bytes of the key, which need not be UTF-8.
    ///   - value: The bytes of the value, which need not be an item.
    ///   - length: The length in the record, if it is not that of the value.
    public init(key: [UInt8], value: [UInt8], length: UInt64? = nil) {
      checksum = ForgedFile.checksum(key, seed: ForgedFile.checksum(value))
      bytes = ForgedFile.head(3, UInt64(key.count)) + key + [0x83]
      bytes += ForgedFile.head(0, length ?? UInt64(value.count)) + ForgedFile.checksumItem(checksum) + value
    }

    public init(key: String, value: [UInt8], length: UInt64? = nil) {
      self.init(key: Array(key.utf8), value: value, length: length)
    }

    /// A removal, which only changes may contain.
    public init(removalOf key: [UInt8]) {
      checksum = ForgedFile.checksum(key, seed: ForgedFile.checksum([]))
      bytes = ForgedFile.head(3, UInt64(key.count)) + key + [0x81] + ForgedFile.checksumItem(checksum)
    }
  }

  public private(set) var bytes: [UInt8]
  /// The checksum of the archive, which is the seed for those of the changes.
  public let archiveChecksum: UInt64
  /// The checksum of the archive or the change that was appended last.
  public private(set) var checksum: UInt64
  /// The generation of the archive or the change that was appended last.
  public private(set) var generation: UInt64

  /// An archive.
  ///
  /// - Parameters:
  ///   - records: The entries.
  ///   - version: The version of the format, below 24.
  ///   - identity: The 16 bytes of its identity.
  ///   - generation: The generation.
  ///   - entriesLength: The length in the head, if it is not the true one.
  ///   - count: The number of entries in the map's head, if it is not the true one.
  public init(
    _ records: [Record], version: UInt8 = 1, identity: [UInt8] = Array(0..<16), generation: UInt64 = 1,
    entriesLength: UInt64? = nil, count: UInt64? = nil
  ) {
    let mapHead = ForgedFile.head(5, count ?? UInt64(records.count))
    let length = mapHead.count + records.reduce(0) { $0 + $1.bytes.count }
    bytes = [0xd9, 0xd9, 0xf7, 0x88, 0x6a] + Array("GlobalData".utf8) + [version, 0xd8, 0x25, 0x50] + identity
    bytes += ForgedFile.number(generation) + ForgedFile.number(entriesLength ?? UInt64(length))
    bytes += ForgedFile.checksumItem(ForgedFile.checksum(bytes))
    bytes += mapHead
    archiveChecksum = ForgedFile.checksum(bytes + records.flatMap { ForgedFile.bigEndian($0.checksum) })
    for record in records { bytes += record.bytes }
    bytes += ForgedFile.checksumItem(archiveChecksum)
    (checksum, self.generation) = (archiveChecksum, generation)
  }

  /// Appends a change.
  ///
  /// - Parameters:
  ///   - records: The steps.
  ///   - generation: The generation; by default one more than before.
  ///   - synced: The number of bytes on stable storage; by default, all bytes before the change.
  ///   - length: The length of the rest in the head, if it is not the true one.
  ///   - count: The length of the steps' array, if that is not the true one.
  ///   - previous: The checksum of the item before; by default, the right one.
  public mutating func append(
    _ records: [Record], generation: UInt64? = nil, synced: UInt64? = nil, length: UInt64? = nil, count: UInt64? = nil,
    previous: UInt64? = nil
  ) {
    self.generation = generation ?? self.generation &+ 1
    let stepsHead = ForgedFile.head(4, count ?? 2 * UInt64(records.count))
    let rest = stepsHead.count + records.reduce(0) { $0 + $1.bytes.count } + 13
    var change: [UInt8] = [0x88] + ForgedFile.number(self.generation) + ForgedFile.number(synced ?? UInt64(bytes.count))
    change += ForgedFile.number(length ?? UInt64(rest)) + ForgedFile.checksumItem(previous ?? checksum)
    let headChecksum = ForgedFile.checksum(change, seed: archiveChecksum)
    change += ForgedFile.checksumItem(headChecksum)
    checksum = ForgedFile.checksum(
      stepsHead + records.flatMap { ForgedFile.bigEndian($0.checksum) }, seed: headChecksum)
    change += stepsHead
    for record in records { change += record.bytes }
    bytes += change + ForgedFile.checksumItem(checksum) + [0x63] + Array("end".utf8)
  }

  /// Appends any bytes.
  public mutating func append(raw bytes: [UInt8]) {
    self.bytes += bytes
  }

  // MARK: Items

  /// The shortest head of a major type with an argument.
  public static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
    switch argument {
    case 0..<24: [major << 5 | UInt8(argument)]
    case 24...0xff: [major << 5 | 24, UInt8(argument)]
    case 0x100...0xffff: [major << 5 | 25] + bigEndian(UInt16(argument))
    case 0x1_0000...0xffff_ffff: [major << 5 | 26] + bigEndian(UInt32(argument))
    default: [major << 5 | 27] + bigEndian(argument)
    }
  }

  private static func number(_ number: UInt64) -> [UInt8] { [0x1b] + bigEndian(number) }

  private static func checksumItem(_ checksum: UInt64) -> [UInt8] { [0x48] + bigEndian(checksum) }

  private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  // MARK: The checksum

  /// XXH64, written like the specification, without regard to speed.
  ///
  /// Source: <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>.
  public static func checksum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    let primes: [UInt64] = [
      0, 0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63,
      0x27d4_eb2f_1656_67c5,
    ]
    func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }
    func round(_ lane: UInt64, _ input: UInt64) -> UInt64 { rotated(lane &+ input &* primes[2], 31) &* primes[1] }
    func word(_ offset: Int, _ count: Int) -> UInt64 {
      bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    var (offset, result) = (0, seed &+ primes[5])
    if bytes.count >= 32 {
      var lanes = [seed &+ primes[1] &+ primes[2], seed &+ primes[2], seed, seed &- primes[1]]
      while bytes.count - offset >= 32 {
        for lane in 0..<4 { lanes[lane] = round(lanes[lane], word(offset + 8 * lane, 8)) }
        offset += 32
      }
      result = rotated(lanes[0], 1) &+ rotated(lanes[1], 7) &+ rotated(lanes[2], 12) &+ rotated(lanes[3], 18)
      for lane in lanes { result = (result ^ round(0, lane)) &* primes[1] &+ primes[4] }
    }
    result &+= UInt64(bytes.count)
    while bytes.count - offset >= 8 {
      result = rotated(result ^ round(0, word(offset, 8)), 27) &* primes[1] &+ primes[4]
      offset += 8
    }
    if bytes.count - offset >= 4 {
      result = rotated(result ^ word(offset, 4) &* primes[1], 23) &* primes[2] &+ primes[3]
      offset += 4
    }
    for byte in bytes[offset...] { result = rotated(result ^ UInt64(byte) &* primes[5], 11) &* primes[1] }
    result = (result ^ result >> 33) &* primes[2]
    result = (result ^ result >> 29) &* primes[3]
    return result ^ result >> 32
  }
}
