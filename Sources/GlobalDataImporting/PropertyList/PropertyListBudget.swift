/// The memory that may still be used for the values of a property list.
///
/// An object with many references may be read many times, and becomes copies. Without a limit, a small file could take
/// any amount of memory and time. So each read of a value is charged. The budget suffices for every file that uses its
/// objects once, since no object and no reference to one takes less than a byte.
struct PropertyListBudget {
  /// The cost of a value in addition to its bytes.
  static let itemCost = 32

  private var remaining: Int

  /// Creates the budget of a file. A greater limit for items allows more references, too.
  init(fileSize: Int, maximumItems: Int) {
    let (share, isTooLarge) = fileSize.multipliedReportingOverflow(by: 48)
    let (copies, areTooMany) = maximumItems.multipliedReportingOverflow(by: 6)
    let (sum, isSumTooLarge) = share.addingReportingOverflow(max(copies, 64 << 20))
    remaining = isTooLarge || areTooMany || isSumTooLarge ? .max : sum
  }

  /// Charges for memory before it is used. Throws an error if the budget does not suffice.
  mutating func pay(_ bytes: Int) throws(PropertyListError) {
    guard bytes <= remaining else { throw .exhausted }
    remaining -= bytes
  }

  /// Keeps half of what remained at an earlier time for other values. In total, at most twice the budget is used.
  mutating func keepHalf(of earlier: PropertyListBudget) {
    remaining = max(remaining, earlier.remaining / 2)
  }

  func spent(since earlier: PropertyListBudget) -> Int { earlier.remaining - remaining }
}
