import Foundation
import GlobalData

/// A property list of either format, which charges its budget for each value that it returns.
struct PropertyList {
  private let format: any PropertyListFormat
  var budget: PropertyListBudget

  /// Reads a file; throws for bytes that are neither a binary nor an XML property list. A property list inside another
  /// one shares the rest of its budget.
  init(_ data: Data, _ budget: PropertyListBudget) throws(PropertyListError) {
    self.budget = budget
    if data.starts(with: BinaryPropertyList.signature) {
      format = try BinaryPropertyList([UInt8](data))
    } else if GlobalData.isPropertyList(data) {
      format = try XMLPropertyList(data)
    } else {
      throw PropertyListError("it is neither a binary nor an XML property list")
    }
  }

  var root: PropertyListValue.Reference { format.root }

  /// Returns the value of a reference. Each read is charged.
  mutating func value(at reference: PropertyListValue.Reference) throws(PropertyListError) -> PropertyListValue {
    try format.value(at: reference, &budget)
  }
}

/// One value of a property list, without its contents: elements are references, to be read when they are needed. A
/// binary property list is not a tree: an object may be referenced any number of times, so a tree might exceed memory.
enum PropertyListValue {
  /// The position of a value in its property list.
  typealias Reference = Int

  case null
  case bool(Bool)
  case integer(Int128)
  case real(Double)
  case date(Date)
  case data(Data)
  case string(String)
  /// A reference of `NSKeyedArchiver` into its list of objects.
  case uid(UInt64)
  case array([Reference])
  case dictionary(PropertyListDictionary)

  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a Boolean"
    case .integer: "an integer"
    case .real: "a number"
    case .date: "a date"
    case .data: "data"
    case .string: "text"
    case .uid: "a reference"
    case .array: "an array"
    case .dictionary: "a dictionary"
    }
  }

  /// An upper bound of the memory that the value takes, in bytes, without its elements.
  var cost: Int {
    switch self {
    case .data(let data): PropertyListBudget.itemCost + data.count
    case .string(let text): PropertyListBudget.itemCost + text.utf8.count
    case .array(let elements): PropertyListBudget.itemCost + elements.count * MemoryLayout<Reference>.size
    case .dictionary(let dictionary): PropertyListBudget.itemCost + dictionary.cost
    default: PropertyListBudget.itemCost
    }
  }
}

/// The fields of a dictionary in a property list, in stored order.
struct PropertyListDictionary {
  private(set) var fields: [(name: String, value: PropertyListValue.Reference)] = []
  private var indices: [String: Int] = [:]

  subscript(name: String) -> PropertyListValue.Reference? { indices[name].map { fields[$0].value } }

  /// Adds a field. Throws an error if there is already a field with the name.
  mutating func append(_ name: String, _ value: PropertyListValue.Reference) throws(PropertyListError) {
    guard indices.updateValue(fields.count, forKey: name) == nil else {
      throw PropertyListError("the key \(name.prefix(80).quoted) appears twice in one dictionary")
    }
    fields.append((name, value))
  }

  /// The name of the field with the class of an archived object.
  static let classField = "$class"

  /// Whether these are the parts of an `NSKeyedArchiver` archive.
  var isArchive: Bool { self["$archiver"] != nil && self["$objects"] != nil }

  fileprivate var cost: Int {
    fields.reduce(0) { $0 + 2 * PropertyListBudget.itemCost + $1.name.utf8.count }
  }
}

/// The encoding of a property list's values: binary or XML.
protocol PropertyListFormat {
  var root: PropertyListValue.Reference { get }

  /// Returns the value of a reference. Throws an error if the value is missing or exceeds the remaining budget.
  func value(
    at reference: PropertyListValue.Reference, _ budget: inout PropertyListBudget
  ) throws(PropertyListError) -> PropertyListValue
}
