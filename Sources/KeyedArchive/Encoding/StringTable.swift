import Foundation

/// The strings of a namespace (tag 256) that a later occurrence can refer to (tag 25).
///
/// Every string of a certain length gets the next number, whether it is looked up again or not, because a reader counts
/// them all. To find a repetition, the table remembers where in the output a string stands and compares the bytes there.
/// Looking one up costs a few comparisons at the most, and memory is bounded: a string that is not found is written
/// again, which is never wrong. The hash has no random seed, so that the same values give the same bytes.
///
/// Source: <http://cbor.schmorp.de/stringref>.
struct StringTable {
  private struct Entry {
    var offset: Int
    var length: Int32
    var hash: UInt32
  }

  /// The number of strings that are remembered; later ones are only counted.
  private static let capacity = 16384
  private static let maximumProbes = 8

  /// The number that the next string gets.
  private(set) var count = 0
  /// The first strings, by number.
  private var entries = ContiguousArray<Entry>()
  /// A hash table of numbers; -1 is free. Its size is a power of two.
  private var slots = ContiguousArray<Int32>(repeating: -1, count: 64)

  /// Whether a string of a length gets a number now.
  @inline(__always)
  func numbersString(ofLength length: Int) -> Bool {
    length >= StructureIndex.minimumLength(ofString: count)
  }

  /// Gives the next number to a string whose bytes will not be looked up.
  ///
  /// - Returns: The number, or `nil` when a string of this length gets none.
  mutating func number(stringOfLength length: Int, at offset: Int) -> Int? {
    guard numbersString(ofLength: length) else { return nil }
    if count < StringTable.capacity {
      entries.append(Entry(offset: offset, length: -1, hash: 0))
    }
    count += 1
    return count - 1
  }

  /// The number of an earlier string with the same bytes. If there is none, the string is given the next number, for
  /// the caller to write its bytes at `offset`.
  mutating func find(_ bytes: UnsafeBufferPointer<UInt8>, orNumberAt offset: Int, in buffer: ByteBuffer) -> Int? {
    let hash = StringTable.hash(bytes)
    var slot = Int(hash) & (slots.count - 1)
    var probes = 0
    while probes < StringTable.maximumProbes {
      let number = slots[slot]
      if number < 0 { break }
      let entry = entries[Int(number)]
      if entry.hash == hash, Int(entry.length) == bytes.count, buffer.matches(bytes, at: entry.offset) {
        return Int(number)
      }
      slot = (slot + 1) & (slots.count - 1)
      probes += 1
    }
    if count < StringTable.capacity, let length = Int32(exactly: bytes.count) {
      entries.append(Entry(offset: offset, length: length, hash: hash))
      if probes < StringTable.maximumProbes { slots[slot] = Int32(truncatingIfNeeded: count) }
      if count * 2 >= slots.count { growSlots() }
    } else if count < StringTable.capacity {
      entries.append(Entry(offset: offset, length: -1, hash: 0))
    }
    count += 1
    return nil
  }

  /// Follows bytes that moved: all from an offset on, by a distance.
  ///
  /// - Complexity: O(*n*) in the number of strings after the offset.
  mutating func shift(from offset: Int, by distance: Int) {
    for index in entries.indices.reversed() {
      guard entries[index].offset >= offset else { return }
      entries[index].offset += distance
    }
  }

  private mutating func growSlots() {
    let size = slots.count * 4
    slots = ContiguousArray(repeating: -1, count: size)
    for (number, entry) in entries.enumerated() where entry.length >= 0 {
      var slot = Int(entry.hash) & (size - 1)
      var probes = 0
      while slots[slot] >= 0, probes < StringTable.maximumProbes {
        slot = (slot + 1) & (size - 1)
        probes += 1
      }
      if probes < StringTable.maximumProbes { slots[slot] = Int32(truncatingIfNeeded: number) }
    }
  }

  /// A multiplicative hash of eight bytes at a time.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let raw = UnsafeRawBufferPointer(bytes)
    var hash = UInt64(truncatingIfNeeded: raw.count) &* 0x9e37_79b9_7f4a_7c15
    var offset = 0
    while raw.count - offset >= 8 {
      hash = (hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0xff51_afd7_ed55_8ccd
      hash ^= hash >> 32
      offset += 8
    }
    var tail: UInt64 = 0
    while offset < raw.count {
      tail = tail << 8 | UInt64(raw[offset])
      offset += 1
    }
    hash = (hash ^ tail) &* 0xc4ce_b9fe_1a85_ec53
    return UInt32(truncatingIfNeeded: hash >> 32)
  }
}
