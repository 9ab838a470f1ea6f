/// The strings of a namespace (tag 256) that later occurrences can refer to (tag 25).
///
/// Every string of sufficient length gets the next number, even if it is never looked up, because a reader counts them
/// all. To find a repetition, the table stores the hashes and offsets of strings in the output and compares the bytes
/// there. A lookup costs a few comparisons at most, and memory is limited to 256 KiB. A string that is not found is
/// written again, which is always valid. The hash has no random seed, so equal values have equal bytes.
/// Source: <http://cbor.schmorp.de/stringref>.
struct StringTable: ~Copyable {
  /// A string that was written. Its length is in its head.
  private struct Entry {
    /// The offset of the head, or the greatest number if the string is not looked up.
    var offset: UInt32
    /// The hash. If the string is not looked up, the number of entries up to and including the nearest one before it
    /// that is, or 0.
    var hash: UInt32

    var isHidden: Bool { offset == .max }
  }

  /// The number of strings that the table remembers. Later strings are only counted.
  private static var capacity: Int { 16 * 1024 - 1 }
  /// The next number marks a free bucket.
  private static var free: UInt16 { UInt16(truncatingIfNeeded: capacity) }
  private static var maximumProbes: Int { 8 }

  /// The number of the next string.
  private(set) var count = 0
  /// The first strings, by number.
  private var entries = ContiguousArray<Entry>()
  /// A hash table of numbers. Its size is a power of two, at least twice the number of strings in it.
  private var buckets = ContiguousArray<UInt16>()

  /// Forgets all strings, but keeps the memory.
  mutating func removeAll() {
    count = 0
    entries.removeAll(keepingCapacity: true)
    for index in buckets.indices { buckets[index] = StringTable.free }
  }

  /// Whether the table takes little memory, and little time to forget all strings.
  var isSmall: Bool { buckets.count <= 64 && entries.capacity <= 1024 }

  @inline(__always)
  func numbersString(ofLength length: Int) -> Bool {
    length >= StructureIndex.minimumLength(ofString: count)
  }

  /// Assigns the next number to a string that will not be looked up. Returns `nil` if a string of this length has no
  /// number.
  @inline(__always)
  mutating func number(stringOfLength length: Int) -> Int? {
    guard numbersString(ofLength: length) else { return nil }
    if count < StringTable.capacity { appendHidden() }
    count += 1
    return count - 1
  }

  /// Returns the number of an earlier text with the same bytes. If there is none, gives this text the next number and
  /// returns `nil`. The caller then writes the text with its head at `offset`.
  @inline(__always)
  mutating func find(_ text: UnsafeBufferPointer<UInt8>, orNumberAt offset: Int, in buffer: ByteBuffer) -> Int? {
    if entries.count &* 2 >= buckets.count { growBuckets() }
    let hash = TextHash.hash(UnsafeRawBufferPointer(text))
    let mask = buckets.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    var probes = 0
    while buckets[slot] != StringTable.free, probes < StringTable.maximumProbes {
      let entry = entries[Int(buckets[slot])]
      if entry.hash == hash, !entry.isHidden, buffer.hasText(text, at: Int(truncatingIfNeeded: entry.offset)) {
        return Int(buckets[slot])
      }
      slot = (slot &+ 1) & mask
      probes &+= 1
    }
    if count < StringTable.capacity {
      if let offset = UInt32(exactly: offset) {
        entries.append(Entry(offset: offset, hash: hash))
        if probes < StringTable.maximumProbes { buckets[slot] = UInt16(truncatingIfNeeded: count) }
      } else {
        appendHidden()  // beyond 4 GiB
      }
    }
    count += 1
    return nil
  }

  @inline(__always)
  private mutating func appendHidden() {
    let previous = entries.last.map { $0.isHidden ? $0.hash : UInt32(truncatingIfNeeded: entries.count) }
    entries.append(Entry(offset: .max, hash: previous ?? 0))
  }

  /// Adjusts the offsets after all bytes from an offset on were moved by a distance. The complexity is O(*n*) in the
  /// strings after the offset that can be looked up.
  mutating func shift(from offset: Int, by distance: Int) {
    var rest = entries.count
    while rest > 0 {
      let entry = entries[rest - 1]
      if entry.isHidden {
        rest = Int(truncatingIfNeeded: entry.hash)
        continue
      }
      rest -= 1
      let earlier = Int(truncatingIfNeeded: entry.offset)
      guard earlier >= offset else { return }
      entries[rest] =
        UInt32(exactly: earlier + distance).map { Entry(offset: $0, hash: entry.hash) }
        ?? Entry(offset: .max, hash: UInt32(truncatingIfNeeded: rest))
    }
  }

  @inline(never)
  private mutating func growBuckets() {
    let size = max(64, buckets.count * 4)
    buckets = ContiguousArray(repeating: StringTable.free, count: size)
    for (number, entry) in entries.enumerated() where !entry.isHidden {
      var slot = Int(truncatingIfNeeded: entry.hash) & (size - 1)
      var probes = 0
      while buckets[slot] != StringTable.free, probes < StringTable.maximumProbes {
        slot = (slot + 1) & (size - 1)
        probes += 1
      }
      if probes < StringTable.maximumProbes { buckets[slot] = UInt16(truncatingIfNeeded: number) }
    }
  }
}
