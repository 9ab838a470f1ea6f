/// The strings of a namespace (tag 256) that later occurrences can refer to (tag 25).
///
/// Every string of sufficient length gets the next number, even if it is never looked up, because a reader counts them
/// all. To find a repetition, the table stores the offsets of strings in the output and compares the bytes there. A
/// lookup costs a few comparisons at most, and memory is limited to 256 KiB. A string that is not found is written
/// again, which is always valid. The hash has no random seed, so equal values have equal bytes.
/// Source: <http://cbor.schmorp.de/stringref>.
struct StringTable {
  private struct Extent {
    var offset: UInt32
    var length: UInt32

    /// The extent of a string that is not looked up.
    static var none: Extent { Extent(offset: 0 as UInt32, length: .max as UInt32) }

    private init(offset: UInt32, length: UInt32) {
      self.offset = offset
      self.length = length
    }

    /// Creates the extent of a text. A text beyond 4 GiB is not looked up.
    init(offset: Int, length: Int) {
      if let offset = UInt32(exactly: offset), let length = UInt32(exactly: length) {
        self.init(offset: offset, length: length)
      } else {
        self = .none
      }
    }
  }

  /// The number of a string. The hash is not stored: comparing hashes would save less time than the additional memory
  /// accesses cost.
  private struct Bucket {
    static var free: Bucket { Bucket(number: StringTable.capacity) }
    private let bits: UInt16

    init(number: Int) {
      bits = UInt16(truncatingIfNeeded: number)
    }

    var isFree: Bool { bits == Bucket.free.bits }
    var number: Int { Int(bits) }
  }

  /// The number of strings that the table remembers. Later strings are only counted. The next number marks a free
  /// bucket.
  private static var capacity: Int { (1 << 14) - 1 }
  private static var maximumProbes: Int { 8 }

  /// The number of the next string.
  private(set) var count = 0
  /// The first strings, by number.
  private var extents = ContiguousArray<Extent>()
  /// A hash table of numbers. Its size is a power of two, at least twice the number of strings in it.
  private var buckets = ContiguousArray<Bucket>()

  /// Forgets all strings, but keeps the memory.
  mutating func removeAll() {
    count = 0
    extents.removeAll(keepingCapacity: true)
    for index in buckets.indices { buckets[index] = .free }
  }

  /// Whether the table takes little memory, and little time to forget all strings.
  var isSmall: Bool { buckets.count <= 64 && extents.capacity <= 1024 }

  @inline(__always)
  func numbersString(ofLength length: Int) -> Bool {
    length >= StructureIndex.minimumLength(ofString: count)
  }

  /// Assigns the next number to a string that will not be looked up. Returns `nil` if a string of this length has no
  /// number.
  mutating func number(stringOfLength length: Int) -> Int? {
    guard numbersString(ofLength: length) else { return nil }
    if count < StringTable.capacity { extents.append(.none) }
    count += 1
    return count - 1
  }

  /// Returns the number of an earlier string with the same bytes. If there is none, returns `nil` and assigns the next
  /// number to this string, whose bytes the caller writes at `offset`.
  mutating func find(_ bytes: UnsafeBufferPointer<UInt8>, orNumberAt offset: Int, in buffer: ByteBuffer) -> Int? {
    if extents.count * 2 >= buckets.count { growBuckets(buffer) }
    let hash = TextHash.hash(UnsafeRawBufferPointer(bytes))
    let mask = buckets.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    var probes = 0
    while !buckets[slot].isFree, probes < StringTable.maximumProbes {
      let extent = extents[buckets[slot].number]
      if Int(truncatingIfNeeded: extent.length) == bytes.count,
        buffer.matches(bytes, at: Int(truncatingIfNeeded: extent.offset))
      {
        return buckets[slot].number
      }
      slot = (slot + 1) & mask
      probes += 1
    }
    if count < StringTable.capacity {
      extents.append(Extent(offset: offset, length: bytes.count))
      if probes < StringTable.maximumProbes { buckets[slot] = Bucket(number: count) }
    }
    count += 1
    return nil
  }

  /// Adjusts the offsets after all bytes from an offset on were moved by a distance. The complexity is O(*n*) in the
  /// strings after the offset.
  mutating func shift(from offset: Int, by distance: Int) {
    for index in extents.indices.reversed() where extents[index].length != .max {
      let extent = extents[index]
      guard Int(truncatingIfNeeded: extent.offset) >= offset else { return }
      extents[index] = Extent(
        offset: Int(truncatingIfNeeded: extent.offset) + distance, length: Int(truncatingIfNeeded: extent.length))
    }
  }

  @inline(never)
  private mutating func growBuckets(_ buffer: ByteBuffer) {
    let size = max(64, buckets.count * 4)
    buckets = ContiguousArray(repeating: .free, count: size)
    for (number, extent) in extents.enumerated() where extent.length != .max {
      let hash = TextHash.hash(
        buffer.bytes(Int(truncatingIfNeeded: extent.offset), count: Int(truncatingIfNeeded: extent.length)))
      var slot = Int(truncatingIfNeeded: hash) & (size - 1)
      var probes = 0
      while !buckets[slot].isFree, probes < StringTable.maximumProbes {
        slot = (slot + 1) & (size - 1)
        probes += 1
      }
      if probes < StringTable.maximumProbes { buckets[slot] = Bucket(number: number) }
    }
  }
}
