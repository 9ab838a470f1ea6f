public import FoundationCore

// Each query goes over the array of the decoded elements: O(n) in their number, O(n log n) where it sorts all. They are
// inlinable so that they are compiled for the type of the elements, as the functions of an array are: otherwise, each
// element that they look at would be copied.

extension GlobalData.ModelCollection {
  /// The first element for which a function is true.
  ///
  /// - Complexity: O(*n*) in the number of elements.
  @inlinable public func first(where isIncluded: (Element) throws -> Bool) rethrows -> Element? {
    try all.first(where: isIncluded)
  }

  /// The elements for which a predicate is true, in the order in which they were inserted.
  ///
  /// - Parameters:
  ///   - predicate: Which elements; all where it is `nil`.
  ///   - offset: How many are left out at the beginning.
  ///   - limit: How many there are at most.
  /// - Returns: The elements. One that the predicate cannot be evaluated for is left out, and a diagnostic of the
  ///   store.
  /// - Complexity: O(*n*) in the number of elements.
  @inlinable public func filter(_ predicate: Predicate<Element>? = nil, offset: Int = 0, limit: Int? = nil) -> [Element]
  {
    if predicate == nil, offset <= 0, limit == nil { return all }
    return filter(condition(predicate), offset: offset, limit: limit)
  }

  /// The elements for which a predicate is true, in an order.
  ///
  /// - Parameters:
  ///   - predicate: Which elements; all where it is `nil`.
  ///   - order: How they are sorted; by insertion where it is empty, and where elements compare as equal.
  ///   - offset: How many are left out at the beginning.
  ///   - limit: How many there are at most.
  /// - Returns: The elements. One that the predicate cannot be evaluated for is left out, and a diagnostic of the
  ///   store.
  /// - Complexity: O(*n*) in the number of elements, and sorting.
  @inlinable public func filter(
    _ predicate: Predicate<Element>? = nil, sortedBy order: [some SortComparator<Element>], offset: Int = 0,
    limit: Int? = nil
  ) -> [Element] {
    filter(condition(predicate), sortedBy: order, offset: offset, limit: limit)
  }

  /// The elements for which a predicate is true, sorted by a function.
  ///
  /// - Parameters:
  ///   - predicate: Which elements; all where it is `nil`.
  ///   - areInIncreasingOrder: Whether its first argument comes before its second.
  ///   - offset: How many are left out at the beginning.
  ///   - limit: How many there are at most.
  /// - Returns: The elements. One that the predicate cannot be evaluated for is left out, and a diagnostic of the
  ///   store.
  /// - Complexity: O(*n* log *n*) in the number of elements.
  @inlinable public func filter(
    _ predicate: Predicate<Element>? = nil, sortedBy areInIncreasingOrder: (Element, Element) throws -> Bool,
    offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    try filter(condition(predicate), sortedBy: areInIncreasingOrder, offset: offset, limit: limit)
  }

  /// The elements for which a function is true, in the order in which they were inserted.
  ///
  /// - Parameters:
  ///   - isIncluded: Which elements.
  ///   - offset: How many are left out at the beginning.
  ///   - limit: How many there are at most.
  /// - Returns: The elements.
  /// - Throws: What the function throws.
  /// - Complexity: O(*n*) in the number of elements.
  @inlinable public func filter(
    _ isIncluded: (Element) throws -> Bool, offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    guard offset > 0 || limit != nil else { return try all.filter(isIncluded) }
    var (found, leftOut) = ([Element](), max(0, offset))
    for element in all where found.count < limit ?? .max {
      guard try isIncluded(element) else { continue }
      if leftOut > 0 { leftOut -= 1 } else { found.append(element) }
    }
    return found
  }

  /// The elements for which a function is true, in an order.
  ///
  /// - Parameters:
  ///   - isIncluded: Which elements.
  ///   - order: How they are sorted; by insertion where it is empty, and where elements compare as equal.
  ///   - offset: How many are left out at the beginning.
  ///   - limit: How many there are at most.
  /// - Returns: The elements.
  /// - Throws: What the function throws.
  /// - Complexity: O(*n*) in the number of elements, and sorting.
  @inlinable public func filter(
    _ isIncluded: (Element) throws -> Bool, sortedBy order: [some SortComparator<Element>], offset: Int = 0,
    limit: Int? = nil
  ) rethrows -> [Element] {
    guard !order.isEmpty else { return try filter(isIncluded, offset: offset, limit: limit) }
    return try filter(isIncluded, sortedBy: { GlobalData.precedes($0, $1, order) }, offset: offset, limit: limit)
  }

  /// The elements for which a function is true, sorted by another one.
  ///
  /// - Parameters:
  ///   - isIncluded: Which elements.
  ///   - areInIncreasingOrder: Whether its first argument comes before its second.
  ///   - offset: How many are left out at the beginning.
  ///   - limit: How many there are at most.
  /// - Returns: The elements.
  /// - Throws: What the functions throw.
  /// - Complexity: O(*n* log *n*) in the number of elements.
  @inlinable public func filter(
    _ isIncluded: (Element) throws -> Bool, sortedBy areInIncreasingOrder: (Element, Element) throws -> Bool,
    offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    let (elements, offset) = (all, max(0, offset))
    let (end, isBeyond) = offset.addingReportingOverflow(max(0, limit ?? .max))
    guard !isBeyond, end <= FirstPositions.limit else {
      let rest = try elements.filter(isIncluded).sorted(by: areInIncreasingOrder).dropFirst(offset)
      return Array(rest.prefix(max(0, limit ?? .max)))
    }
    var first = FirstPositions(count: end)
    for position in elements.indices where try isIncluded(elements[position]) {
      try first.insert(position) { try areInIncreasingOrder(elements[$0], elements[$1]) }
    }
    return first.positions.dropFirst(offset).map { elements[$0] }
  }

  /// A function that reports each element for which the predicate cannot be evaluated.
  @usableFromInline func condition(_ predicate: Predicate<Element>?) -> (Element) -> Bool {
    guard let predicate else { return { _ in true } }
    let isIncluded = predicateFunction(of: predicate)
    return { element in
      do {
        return try isIncluded(element)
      } catch {
        store.reportUnreadable("\(prefix)\(element.id)", error)
        return false
      }
    }
  }
}

extension GlobalData {
  @usableFromInline static func precedes<Element>(
    _ left: Element, _ right: Element, _ order: [some SortComparator<Element>]
  ) -> Bool {
    for descriptor in order {
      switch descriptor.compare(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return false  // What is equal keeps its order.
  }
}

/// The positions of the first elements of some, in an order. Most of the others are compared once.
@usableFromInline struct FirstPositions {
  /// Beyond it, making room for one takes longer than sorting all.
  @inlinable static var limit: Int { 1000 }

  @usableFromInline let count: Int
  @usableFromInline var positions: [Int] = []

  @inlinable init(count: Int) {
    self.count = count
  }

  /// Takes a position that is greater than all before.
  @inlinable mutating func insert(_ position: Int, _ precedes: (Int, Int) throws -> Bool) rethrows {
    if positions.count == count {
      guard let last = positions.last, try precedes(position, last) else { return }
      positions.removeLast()
    }
    // After its equals, which came before it.
    var (low, high) = (0, positions.count)
    while low < high {
      let middle = (low + high) / 2
      if try precedes(position, positions[middle]) { high = middle } else { low = middle + 1 }
    }
    positions.insert(position, at: low)
  }
}
