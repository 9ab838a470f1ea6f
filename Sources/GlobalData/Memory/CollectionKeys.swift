import CodingSupport
import KeyedArchive

/// The keys of a collection's elements, in the order of their insertion.
///
/// An element's key is the collection's name, a slash, and the element's identifier. In a name, a slash is written `~1`
/// and a tilde `~0`, as in JSON Pointer (RFC 6901), so that the first slash of a key ends the name.
struct CollectionKeys: Sendable {
  /// The keys, including removed keys until the gaps are closed.
  private var slots: [String]
  /// The positions of removed keys in `slots`, in any order.
  private var gaps: [Int] = []
  /// The positions in `slots` of the keys that are present, or `nil` until a position is first requested or a key is
  /// removed.
  private var positions: [String: Int]?

  init(_ keys: [String]) { slots = keys }

  var count: Int { slots.count - gaps.count }

  /// The keys in order. Takes O(1) if there are no gaps.
  var inOrder: [String] {
    var keys = slots
    keys.remove(atSorted: sortedNumbers(gaps, by: <))
    return keys
  }

  /// Returns the position of a key, with gaps included, or `nil` if the key does not belong to an element. Takes O(*n*)
  /// the first time, and O(1) after that.
  mutating func position(of key: String) -> Int? {
    findPositions()
    return positions?[key]
  }

  /// Appends a key. A key that was removed before is appended at the end as well.
  mutating func append(_ key: String) {
    positions?[key] = slots.count
    slots.append(key)
  }

  /// Removes keys and leaves gaps in their positions.
  mutating func remove(_ keys: [String]) {
    guard !keys.isEmpty else { return }
    findPositions()
    for key in keys { if let position = positions?.removeValue(forKey: key) { gaps.append(position) } }
  }

  /// Returns whether closing the gaps from a position on takes no longer, for each gap, than creating it did.
  func hasManyGaps(from start: Int) -> Bool {
    let limit = slots.count / 8
    return gaps.count > limit && gaps.count { $0 >= start } > limit
  }

  /// Closes the gaps from a position on and returns their former positions, in order.
  mutating func closeGaps(from start: Int) -> [Int] {
    let closed = sortedNumbers(gaps.filter { $0 >= start }, by: <)
    guard !closed.isEmpty else { return [] }
    slots.remove(atSorted: closed)
    gaps.removeAll { $0 >= start }
    positions = positions?.mapValues { $0 - closed.countBelow($0) }
    return closed
  }

  private mutating func findPositions() {
    guard positions == nil else { return }
    var found: [String: Int] = .init(minimumCapacity: count)
    for (position, key) in slots.enumerated() { found[key] = position }
    positions = found
  }

  // MARK: Names

  static func prefix(ofCollection name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "/")) || name.utf8.contains(UInt8(ascii: "~")) else { return "\(name)/" }
    var prefix = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": prefix += "~0"
      case "/": prefix += "~1"
      default: prefix.unicodeScalars.append(scalar)
      }
    }
    return prefix + "/"
  }

  /// Returns the prefix up to the first slash, or `nil` if the key does not belong to an element.
  @inline(never)
  static func prefix(ofKey key: String) -> String? {
    // Search by bytes, because a slash before a combining mark is not a separate character.
    key.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(key[..<key.utf8.index(after: $0)]) }
  }
}

extension String {
  /// Returns whether the text is the key of an element of the collection with a prefix, in any spelling of the prefix.
  /// `hasPrefix` compares characters, and so does not find a slash before a combining mark.
  @inline(never)
  func isKey(ofCollection prefix: String) -> Bool {
    hasBytes(prefix) || prefix.mayHaveOtherSpellings && CollectionKeys.prefix(ofKey: self) == prefix
  }

  /// Whether a text with other bytes may equal this one. Of the ASCII characters, only three have an equivalent; see
  /// ``EntryTable``.
  fileprivate var mayHaveOtherSpellings: Bool {
    utf8.contains { $0 >= 0x80 || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "K") }
  }
}

extension EntryTable {
  /// Returns the keys of a collection's elements or, with an empty prefix, all keys, in order.
  func keys(ofCollection prefix: String) -> [String] {
    prefix.mayHaveOtherSpellings ? keys.filter { $0.isKey(ofCollection: prefix) } : keys(withPrefix: prefix)
  }
}

extension Array {
  /// Removes the elements at the given positions, which are in order.
  mutating func remove(atSorted positions: [Int]) {
    // A few elements are removed faster one by one, because each removal moves all the elements after it in one step.
    guard positions.count > 4, var kept = positions.first else {
      for position in positions.reversed() { remove(at: position) }
      return
    }
    var next = positions.makeIterator()
    var removed = next.next()
    for position in kept..<count {
      if position == removed {
        removed = next.next()
      } else {
        swapAt(kept, position)
        kept += 1
      }
    }
    removeLast(count - kept)
  }
}

extension [Int] {
  /// Returns how many numbers in a sorted array are less than the given number.
  fileprivate func countBelow(_ number: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
