/// The property names written so far, each with its string reference number.
///
/// Records of one type write the same names in the same order. Each name therefore remembers its last two successors:
/// the name after a nested record depends on the record's position. Most lookups cost one or two comparisons and no
/// hash.
struct KeyCache: ~Copyable {
  private struct Entry {
    let identity: TextIdentity
    let hash: UInt32
    /// The string reference number, or -1 if the name is too short to have one.
    var number: Int32 = -1
    /// The identifiers of the last two successors, the newer one first, or -1.
    var successor: Int32 = -1
    var otherSuccessor: Int32 = -1
  }

  private var entries = ContiguousArray<Entry>()
  /// The names by identifier, which keep the storage of their identities.
  private var names = ContiguousArray<String>()
  /// A hash table of identifiers, in which -1 marks a free slot. Its size is a power of two, more than twice the number
  /// of entries.
  private var slots = ContiguousArray<Int32>()
  /// Names may come from untrusted sources, and identifiers are not stored. The hash therefore differs from process to
  /// process.
  private static let seed = UInt64.random(in: .min ... .max)
  /// The identifier of the last name, or -1 at the start.
  private var last: Int32 = -1
  /// The identifier of the first name, or -1.
  private var first: Int32 = -1
  /// The identifier of the name that is likely to be next, or -1.
  private var guess: Int32 = -1

  /// Resets the cache to its state before any name was written. Keeps the names and their successors only if there are
  /// few enough to leave identifiers below 64.
  mutating func forgetNumbers() {
    guard entries.count <= 32 else {
      self = KeyCache()
      return
    }
    for index in entries.indices { entries[index].number = -1 }
    (last, guess) = (-1, first)
  }

  /// Returns a small number that identifies the name from now on, and the name's string reference number or -1.
  @inline(__always)
  mutating func find(_ name: String) -> (identifier: Int, number: Int) {
    if guess >= 0 {
      let entry = entries[Int(guess)]
      if entry.identity == TextIdentity(name) {
        (last, guess) = (guess, entry.successor)
        return (Int(last), Int(entry.number))
      }
    }
    return look(up: name)
  }

  @inline(never)
  private mutating func look(up name: String) -> (identifier: Int, number: Int) {
    if isName(guess, name) { return found(guess) }
    let other = last >= 0 ? entries[Int(last)].otherSuccessor : -1
    if isName(other, name) { return found(other) }
    let identifier = identifier(of: name)
    if last >= 0 {
      entries[Int(last)].otherSuccessor = entries[Int(last)].successor
      entries[Int(last)].successor = identifier
    } else {
      first = identifier
    }
    return found(identifier)
  }

  private func isName(_ identifier: Int32, _ name: String) -> Bool {
    identifier >= 0 && names[Int(identifier)].hasSameBytes(as: name)
  }

  private mutating func found(_ identifier: Int32) -> (identifier: Int, number: Int) {
    let entry = entries[Int(identifier)]
    (last, guess) = (identifier, entry.successor)
    return (Int(identifier), Int(entry.number))
  }

  private mutating func identifier(of name: String) -> Int32 {
    let hash = name.withContiguousUTF8 { hashOfName($0, seed: KeyCache.seed) }
    if entries.count * 2 >= slots.count { growSlots() }
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while true {
      let identifier = slots[slot]
      if identifier < 0 { break }
      if entries[Int(identifier)].hash == hash, isName(identifier, name) { return identifier }
      slot = (slot + 1) & (slots.count - 1)
    }
    let identifier = Int32(truncatingIfNeeded: entries.count)
    entries.append(Entry(identity: TextIdentity(name), hash: hash))
    names.append(name)
    slots[slot] = identifier
    return identifier
  }

  private mutating func growSlots() {
    let size = max(64, slots.count * 4)
    slots = ContiguousArray(repeating: -1, count: size)
    for (identifier, entry) in entries.enumerated() {
      var slot = Int(truncatingIfNeeded: entry.hash) & (size - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = Int32(truncatingIfNeeded: identifier)
    }
  }

  mutating func setNumber(_ number: Int, of identifier: Int) {
    entries[identifier].number = Int32(truncatingIfNeeded: number)
  }
}

/// Returns the hash of a name. Not inlined, because ``Swift/String/withContiguousUTF8(_:)`` would copy the algorithm.
@inline(never)
private func hashOfName(_ utf8: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt32 {
  TextHash.hash(UnsafeRawBufferPointer(utf8), seed: seed)
}
