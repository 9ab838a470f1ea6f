package import CodingSupport
@_weakLinked import Foundation

/// A descriptor reads both properties by key paths and compares them in boxes, which takes ten times as long as the
/// comparison itself.
extension SortDescriptor: PropertyComparing {
  package func comparison() -> Comparison<Compared>? {
    // A descriptor of a struct's property compares strings by a rule of their own, or else values by their own order.
    guard stringComparator == nil, let keyPath, let type = Swift.type(of: keyPath).valueType as? any Comparable.Type
    else { return nil }
    return comparison(of: type, at: keyPath)
  }

  private func comparison<Value: Comparable>(
    of _: Value.Type, at keyPath: PartialKeyPath<Compared>
  ) -> Comparison<Compared>? {
    guard let keyPath = keyPath as? KeyPath<Compared, Value>, let property = StoredProperty(keyPath) else { return nil }
    // `order` does not determine the direction: swift-foundation ignores a value that is set after initialization.
    var isAscending: Bool?
    return { left, right in
      let (first, second) = (property.value(of: left), property.value(of: right))
      let isLess = first < second
      guard isLess || first > second else { return nil }
      if let isAscending { return isLess == isAscending }
      let precedes = compare(left.pointee, right.pointee) == .orderedAscending
      isAscending = precedes == isLess
      return precedes
    }
  }
}
