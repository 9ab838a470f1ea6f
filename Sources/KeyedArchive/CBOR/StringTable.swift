/// The strings of a namespace (tag 256) that a later occurrence can refer to (tag 25).
///
/// Every string of a certain length gets the next number, whether it is looked up again or not, because a reader counts
/// them all. To find a repetition, the table remembers where in the output a string stands and compares the bytes there.
/// Looking one up costs a few comparisons at the most, and memory is bounded, to 256 KiB: a string that is not found is
/// written again, which is never wrong. The hash has no random seed, so that the same values give the same bytes.
///
/// Source: <http://cbor.schmorp.de/stringref>.
struct StringTable {
  /// Where in the output a string stands.
  private struct Place {
    var offset: UInt32
    var length: UInt32

    /// A string that is not looked up.
    static var none: Place { Place(offset: 0 as UInt32, length: .max as UInt32) }

    private init(offset: UInt32, length: UInt32) {
      self.offset = offset
      self.length = length
    }

    /// The place of a text. One beyond 4 GiB is not looked up.
    init(offset: Int, length: Int) {
      if let offset = UInt32(exactly: offset), let length = UInt32(exactly: length) {
        self.init(offset: offset, length: length)
      } else {
        self = .none
      }
    }
  }

  /// The number of a string, without its hash: comparing it would save less time than the memory takes to be touched.
  private struct Slot {
    static var free: Slot { Slot(number: StringTable.capacity) }
    private let bits: UInt16

    init(number: Int) {
      bits = UInt16(truncatingIfNeeded: number)
    }

    var isFree: Bool { bits == Slot.free.bits }
    var number: Int { Int(bits) }
  }

  /// The number of strings that are remembered; later ones are only counted. The number after these marks a free slot.
  private static var capacity: Int { (1 << 14) - 1 }
  private static var maximumProbes: Int { 8 }

  /// The number that the next string gets.
  private(set) var count = 0
  /// The first strings, by number.
  private var places = ContiguousArray<Place>()
  /// A hash table of numbers. Its size is a power of two, at least twice the number of strings in it.
  private var slots = ContiguousArray<Slot>()

  /// Whether a string of a length gets a number now.
  @inline(__always)
  func numbersString(ofLength length: Int) -> Bool {
    length >= StructureIndex.minimumLength(ofString: count)
  }

  /// Gives the next number to a string whose bytes will not be looked up.
  ///
  /// - Returns: The number, or `nil` when a string of this length gets none.
  mutating func number(stringOfLength length: Int) -> Int? {
    guard numbersString(ofLength: length) else { return nil }
    if count < StringTable.capacity { places.append(.none) }
    count += 1
    return count - 1
  }

  /// The number of an earlier string with the same bytes. If there is none, the string is given the next number, for
  /// the caller to write its bytes at `offset`.
  mutating func find(_ bytes: UnsafeBufferPointer<UInt8>, orNumberAt offset: Int, in buffer: ByteBuffer) -> Int? {
    if places.count * 2 >= slots.count { growSlots(buffer) }
    let hash = TextHash.hash(UnsafeRawBufferPointer(bytes))
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    var probes = 0
    while !slots[slot].isFree, probes < StringTable.maximumProbes {
      let place = places[slots[slot].number]
      if Int(truncatingIfNeeded: place.length) == bytes.count,
        buffer.matches(bytes, at: Int(truncatingIfNeeded: place.offset))
      {
        return slots[slot].number
      }
      slot = (slot + 1) & mask
      probes += 1
    }
    if count < StringTable.capacity {
      places.append(Place(offset: offset, length: bytes.count))
      if probes < StringTable.maximumProbes { slots[slot] = Slot(number: count) }
    }
    count += 1
    return nil
  }

  /// Follows bytes that moved: all from an offset on, by a distance.
  ///
  /// - Complexity: O(*n*) in the number of strings after the offset.
  mutating func shift(from offset: Int, by distance: Int) {
    for index in places.indices.reversed() where places[index].length != .max {
      let place = places[index]
      guard Int(truncatingIfNeeded: place.offset) >= offset else { return }
      places[index] = Place(
        offset: Int(truncatingIfNeeded: place.offset) + distance, length: Int(truncatingIfNeeded: place.length))
    }
  }

  @inline(never)
  private mutating func growSlots(_ buffer: ByteBuffer) {
    let size = max(64, slots.count * 4)
    slots = ContiguousArray(repeating: .free, count: size)
    for (number, place) in places.enumerated() where place.length != .max {
      let hash = TextHash.hash(
        buffer.bytes(Int(truncatingIfNeeded: place.offset), count: Int(truncatingIfNeeded: place.length)))
      var slot = Int(truncatingIfNeeded: hash) & (size - 1)
      var probes = 0
      while !slots[slot].isFree, probes < StringTable.maximumProbes {
        slot = (slot + 1) & (size - 1)
        probes += 1
      }
      if probes < StringTable.maximumProbes { slots[slot] = Slot(number: number) }
    }
  }
}
