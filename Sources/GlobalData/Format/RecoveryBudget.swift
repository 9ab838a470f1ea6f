import KeyedArchive

/// The amount of recovery work that is still allowed. This limit keeps reading in linear time for any file.
struct RecoveryBudget {
  /// The number of bytes that may still be hashed or tried. It is negative once the budget is exceeded, because work
  /// that has begun is always finished.
  ///
  /// The number has 64 bits because eight times the size of a file may not fit in a 32-bit `Int`.
  private(set) var rest: Int64
  /// The end of the bytes that were read once, which costs nothing.
  private var reach = 0

  init(byteCount: Int) { rest = 8 * Int64(byteCount) + 1024 * 1024 }

  var isSpent: Bool { rest <= 0 }

  var isKept: Bool { rest >= 0 }

  func allows(_ count: Int) -> Bool { rest >= Int64(count) }

  mutating func spend(_ count: Int) { rest -= Int64(count) }

  /// Spends the work of reading bytes again. Parts of a crafted file could all claim the same bytes.
  mutating func spend(reading range: Range<Int>) {
    spend(max(0, min(reach, range.upperBound) - range.lowerBound))
    reach = max(reach, range.upperBound)
  }

  /// Spends the work of hashing a value once, and a key once for each of its bits. Returns false if the rest of the
  /// budget is too small.
  mutating func spendIfEnough(_ valueLength: Int, bitsOfKey keyLength: Int) -> Bool {
    let cost = Int64(valueLength) + 8 * Int64(keyLength)
    guard rest >= cost else { return false }
    rest -= cost
    return true
  }
}
