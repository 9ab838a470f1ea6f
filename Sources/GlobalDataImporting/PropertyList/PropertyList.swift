import Foundation

/// A property list of either format, which charges its budget for each value that it returns.
struct PropertyList {
  private let format: any PropertyListFormat
  private(set) var budget: PropertyListBudget

  /// Reads a file; throws for bytes that are neither a binary nor an XML property list.
  init(_ data: Data) throws(PropertyListError) {
    budget = PropertyListBudget(fileSize: data.count)
    if data.starts(with: BinaryPropertyList.signature) {
      format = try BinaryPropertyList([UInt8](data))
    } else {
      format = try XMLPropertyList(data)
    }
  }

  var root: PropertyListValue.Reference { format.root }

  /// The value that a reference leads to. Each look is paid for.
  mutating func value(at reference: PropertyListValue.Reference) throws(PropertyListError) -> PropertyListValue {
    try format.value(at: reference, &budget)
  }

  /// Charges the budget for another use of a value that was read before.
  mutating func pay(_ bytes: Int) throws(PropertyListError) {
    try budget.pay(bytes)
  }
}
