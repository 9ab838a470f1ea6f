/// The recovery work that may still be done, so that reading takes linear time whatever the file holds.
struct RecoveryBudget {
  /// The number of bytes that may still be hashed or tried; negative once exceeded, since what is begun is finished.
  ///
  /// It has 64 bits, because eight times the size of a file may not fit into an `Int` of 32.
  private(set) var rest: Int64

  init(byteCount: Int) {
    rest = 8 * Int64(byteCount) + (1 << 20)
  }

  var isSpent: Bool { rest <= 0 }

  var isKept: Bool { rest >= 0 }

  mutating func spend(_ count: Int) {
    rest -= Int64(count)
  }

  /// Spends the work to hash a value, and a key once for each of its bits; returns false where the rest is not enough.
  mutating func spendIfEnough(_ valueLength: Int, bitsOfKey keyLength: Int = 0) -> Bool {
    let cost = Int64(valueLength) + 8 * Int64(keyLength)
    guard rest >= cost else { return false }
    rest -= cost
    return true
  }
}
