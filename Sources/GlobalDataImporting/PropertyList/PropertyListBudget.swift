/// The memory that may still be used for the values of a property list.
///
/// Objects that stand in many places may be looked at many times, and become copies. A small file could so ask for any
/// amount of memory and time. Each look at a value is therefore paid for. The budget is enough for every file that uses
/// its objects once, since no object and no reference to one takes less than a byte.
struct PropertyListBudget {
  /// The cost of a value in addition to its bytes.
  static let itemCost = 32

  private var remaining: Int

  init(fileSize: Int) {
    let (share, isTooLarge) = fileSize.multipliedReportingOverflow(by: 48)
    let (sum, isSumTooLarge) = share.addingReportingOverflow(64 << 20)
    remaining = isTooLarge || isSumTooLarge ? .max : sum
  }

  /// Pays for memory before it is used; throws when there is not enough left.
  mutating func pay(_ bytes: Int) throws(PropertyListError) {
    guard bytes <= remaining else { throw .exhausted }
    remaining -= bytes
  }

  func spent(since earlier: PropertyListBudget) -> Int {
    earlier.remaining - remaining
  }
}
