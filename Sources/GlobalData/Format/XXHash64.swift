import KeyedArchive

/// The XXH64 checksum, which is fast and good at detecting accidental changes. It does not protect against forgery.
///
/// Source: the xxHash specification 0.1.1, github.com/Cyan4973/xxHash/doc/xxhash_spec.md, section "XXH64".
struct XXHash64 {
  private var lanes: Lanes
  private let seed: UInt64
  private var total: UInt64 = 0
  /// The bytes of an incomplete stripe. `total % 32` of them are in use.
  private var rest: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  init(seed: UInt64 = 0) {
    self.seed = seed
    lanes = Lanes(seed: seed)
  }

  /// Returns the checksum of bytes. Never inlined, because the algorithm would be copied into each caller.
  @inline(never)
  static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    inlinedChecksum(bytes, seed: seed)
  }

  /// Returns the checksum of bytes like ``checksum(_:seed:)``, faster by a call.
  @inline(__always)
  static func inlinedChecksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    guard bytes.count >= 32 else { return finish(seed &+ prime5, total: UInt64(bytes.count), rest: bytes) }
    var lanes = Lanes(seed: seed)
    let consumed = lanes.consume(bytes)
    return finish(lanes.merged, total: UInt64(bytes.count), rest: bytes.part(consumed...))
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let buffered = Int(total % 32)
    total &+= UInt64(bytes.count)
    var taken = 0
    if buffered > 0 {
      taken = min(32 - buffered, bytes.count)
      keep(bytes.part(..<taken), at: buffered)
      guard buffered + taken == 32 else { return }
      _ = withUnsafeBytes(of: rest) { lanes.consume($0) }
    }
    let others = bytes.part(taken...)
    let consumed = lanes.consume(others)
    keep(others.part(consumed...), at: 0)
  }

  @inline(__always)
  private mutating func keep(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    withUnsafeMutableBytes(of: &rest) { rest in
      UnsafeMutableRawBufferPointer(rebasing: rest[offset...]).copyMemory(from: bytes)
    }
  }

  var checksum: UInt64 {
    withUnsafeBytes(of: rest) { rest in
      XXHash64.finish(
        total >= 32 ? lanes.merged : seed &+ XXHash64.prime5, total: total, rest: rest.part(..<Int(total % 32)))
    }
  }

  // MARK: The algorithm

  private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
  private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
  private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
  private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
  private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

  @inline(__always)
  private static func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value &<< count | value &>> (64 - count)
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    rotated(lane &+ input &* prime2, 31) &* prime1
  }

  /// The four accumulators of steps 1 to 3.
  private struct Lanes {
    var first: UInt64
    var second: UInt64
    var third: UInt64
    var fourth: UInt64

    init(seed: UInt64) {
      first = seed &+ prime1 &+ prime2
      second = seed &+ prime2
      third = seed
      fourth = seed &- prime1
    }

    /// Consumes whole stripes of 32 bytes and returns the number of bytes consumed.
    @inline(__always)
    mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Int {
      let end = bytes.count & ~31
      guard end > 0, let base = bytes.baseAddress else { return 0 }
      // Local copies stay in registers.
      var (first, second, third, fourth) = (self.first, self.second, self.third, self.fourth)
      var offset = 0
      while offset < end {
        first = round(first, word(base, offset))
        second = round(second, word(base, offset &+ 8))
        third = round(third, word(base, offset &+ 16))
        fourth = round(fourth, word(base, offset &+ 24))
        offset &+= 32
      }
      (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
      return end
    }

    @inline(__always)
    var merged: UInt64 {
      var result = rotated(first, 1) &+ rotated(second, 7) &+ rotated(third, 12) &+ rotated(fourth, 18)
      result = (result ^ round(0, first)) &* prime1 &+ prime4
      result = (result ^ round(0, second)) &* prime1 &+ prime4
      result = (result ^ round(0, third)) &* prime1 &+ prime4
      return (result ^ round(0, fourth)) &* prime1 &+ prime4
    }
  }

  @inline(__always)
  private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Performs steps 4 to 6: the length, the bytes after the last stripe, and the final mix.
  @inline(__always)
  private static func finish(_ start: UInt64, total: UInt64, rest: UnsafeRawBufferPointer) -> UInt64 {
    var result = start &+ total
    var offset = 0
    if let base = rest.baseAddress {
      while rest.count &- offset >= 8 {
        result = rotated(result ^ round(0, word(base, offset)), 27) &* prime1 &+ prime4
        offset &+= 8
      }
      if rest.count & 4 != 0 {
        let half = UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        result = rotated(result ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
        offset &+= 4
      }
      while offset < rest.count {
        let byte = base.load(fromByteOffset: offset, as: UInt8.self)
        result = rotated(result ^ UInt64(byte) &* prime5, 11) &* prime1
        offset &+= 1
      }
    }
    result = (result ^ result &>> 33) &* prime2
    result = (result ^ result &>> 29) &* prime3
    return result ^ result &>> 32
  }
}
