/// What a session has found out about types, by type.
///
/// A lookup is a multiplication and mostly one comparison. A `Dictionary` spends more on its hash, which withstands
/// chosen keys, than a coder spends on a short record; the addresses of types are not chosen by any input.
struct TypeTable<Entry> {
  private struct Slot {
    var type: ObjectIdentifier
    var entry: Entry
  }

  /// Its size is a power of two, at least twice the number of types.
  private var slots = ContiguousArray<Slot?>()
  private var count = 0

  @inline(__always)
  func find(_ type: Any.Type) -> Entry? {
    let type = ObjectIdentifier(type)
    var place = firstPlace(of: type)
    while place < slots.count, let slot = slots[place] {
      if slot.type == type { return slot.entry }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Remembers what was found out about a type that is not in the table.
  mutating func insert(_ entry: Entry, for type: Any.Type) {
    if count * 2 >= slots.count { grow() }
    place(Slot(type: ObjectIdentifier(type), entry: entry))
    count += 1
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: nil, count: max(8, old.count * 2))
    for case let slot? in old { place(slot) }
  }

  private mutating func place(_ slot: Slot) {
    var place = firstPlace(of: slot.type)
    while slots[place] != nil { place = (place + 1) & (slots.count - 1) }
    slots[place] = slot
  }

  /// Types lie at multiples of eight at least, so the low bits say nothing.
  @inline(__always)
  private func firstPlace(of type: ObjectIdentifier) -> Int {
    let product = UInt(bitPattern: type) &* UInt(truncatingIfNeeded: 0x9e37_79b9_7f4a_7c15 as UInt64)
    return Int(truncatingIfNeeded: product >> UInt(UInt.bitWidth / 2)) & (slots.count - 1)
  }
}
