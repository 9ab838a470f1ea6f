/// The property names written so far, each with the number of its string reference.
///
/// Records of one type write the same names in the same order, so each name remembers which one followed it last time.
/// That guess costs one comparison; only a wrong guess costs a hash lookup.
struct KeyCache {
  struct Entry {
    let name: String
    /// The number for string references, or -1 where the name is too short to have one.
    var number: Int32 = -1
    /// The identifier of the name that came next the last time, or -1.
    var successor: Int32 = -1
  }

  private(set) var entries = ContiguousArray<Entry>()
  private var identifiers: [ExactText: Int32] = [:]
  private var last: Int32 = -1

  /// A small number that stands for the name from now on.
  @inline(__always)
  mutating func identifier(of name: String) -> Int {
    if last >= 0 {
      let guess = entries[Int(last)].successor
      if guess >= 0, entries[Int(guess)].name.hasSameBytes(as: name) {
        last = guess
        return Int(guess)
      }
    }
    return look(up: name)
  }

  @inline(never)
  private mutating func look(up name: String) -> Int {
    let identifier: Int32
    if let known = identifiers[ExactText(name)] {
      identifier = known
    } else {
      identifier = Int32(truncatingIfNeeded: entries.count)
      entries.append(Entry(name: name))
      identifiers[ExactText(name)] = identifier
    }
    if last >= 0 { entries[Int(last)].successor = identifier }
    last = identifier
    return Int(identifier)
  }

  mutating func setNumber(_ number: Int, of identifier: Int) {
    entries[identifier].number = Int32(truncatingIfNeeded: number)
  }
}
