public import FoundationCore

// Each query iterates over the array of decoded elements: O(n) in their number, or O(n log n) if it sorts all of them.
// The queries are inlinable so that they are compiled for the type of the elements, like the methods of an array.
// Otherwise, each element that a query examines would be copied.

extension GlobalData.ModelCollection {
  /// Returns the first element for which a function is true, or `nil` if there is none.
  ///
  /// - Complexity: O(*n*) in the number of elements.
  @inlinable public func first(where isIncluded: (Element) throws -> Bool) rethrows -> Element? {
    try all.first(where: isIncluded)
  }

  /// Returns the elements for which a predicate is true, in the order in which they were inserted.
  ///
  /// - Parameters:
  ///   - predicate: The condition that the elements meet, or `nil` for all elements.
  ///   - offset: The number of matching elements to skip at the beginning.
  ///   - limit: The maximum number of elements to return, or `nil` for no limit.
  /// - Returns: The matching elements. An element for which the predicate cannot be evaluated is omitted, and the store
  ///   reports it as a diagnostic.
  /// - Complexity: O(*n*) in the number of elements.
  @inlinable public func filter(_ predicate: Predicate<Element>? = nil, offset: Int = 0, limit: Int? = nil) -> [Element]
  {
    if predicate == nil, offset <= 0, limit == nil { return all }
    return filter(condition(predicate), offset: offset, limit: limit)
  }

  /// Returns the elements for which a predicate is true, in a given order.
  ///
  /// - Parameters:
  ///   - predicate: The condition that the elements meet, or `nil` for all elements.
  ///   - order: The sort order. Elements that compare as equal, or all elements if the sort order is empty, are in the
  ///     order of their insertion.
  ///   - offset: The number of matching elements to skip at the beginning.
  ///   - limit: The maximum number of elements to return, or `nil` for no limit.
  /// - Returns: The matching elements. An element for which the predicate cannot be evaluated is omitted, and the store
  ///   reports it as a diagnostic.
  /// - Complexity: O(*n*) in the number of elements, plus sorting.
  @inlinable public func filter(
    _ predicate: Predicate<Element>? = nil, sortedBy order: [some SortComparator<Element>], offset: Int = 0,
    limit: Int? = nil
  ) -> [Element] {
    filter(condition(predicate), sortedBy: order, offset: offset, limit: limit)
  }

  /// Returns the elements for which a predicate is true, sorted by a function.
  ///
  /// - Parameters:
  ///   - predicate: The condition that the elements meet, or `nil` for all elements.
  ///   - areInIncreasingOrder: A function that returns whether its first argument should be ordered before its second.
  ///   - offset: The number of matching elements to skip at the beginning.
  ///   - limit: The maximum number of elements to return, or `nil` for no limit.
  /// - Returns: The matching elements. An element for which the predicate cannot be evaluated is omitted, and the store
  ///   reports it as a diagnostic.
  /// - Complexity: O(*n* log *n*) in the number of elements.
  @inlinable public func filter(
    _ predicate: Predicate<Element>? = nil, sortedBy areInIncreasingOrder: (Element, Element) throws -> Bool,
    offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    try filter(condition(predicate), sortedBy: areInIncreasingOrder, offset: offset, limit: limit)
  }

  /// Returns the elements for which a function is true, in the order in which they were inserted.
  ///
  /// - Parameters:
  ///   - isIncluded: A function that returns whether an element is included.
  ///   - offset: The number of matching elements to skip at the beginning.
  ///   - limit: The maximum number of elements to return, or `nil` for no limit.
  /// - Returns: The matching elements.
  /// - Throws: Any error that the function throws.
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

  /// Returns the elements for which a function is true, in a given order.
  ///
  /// - Parameters:
  ///   - isIncluded: A function that returns whether an element is included.
  ///   - order: The sort order. Elements that compare as equal, or all elements if the sort order is empty, are in the
  ///     order of their insertion.
  ///   - offset: The number of matching elements to skip at the beginning.
  ///   - limit: The maximum number of elements to return, or `nil` for no limit.
  /// - Returns: The matching elements.
  /// - Throws: Any error that the function throws.
  /// - Complexity: O(*n*) in the number of elements, plus sorting.
  @inlinable public func filter(
    _ isIncluded: (Element) throws -> Bool, sortedBy order: [some SortComparator<Element>], offset: Int = 0,
    limit: Int? = nil
  ) rethrows -> [Element] {
    guard !order.isEmpty else { return try filter(isIncluded, offset: offset, limit: limit) }
    return try filter(isIncluded, sortedBy: { GlobalData.precedes($0, $1, order) }, offset: offset, limit: limit)
  }

  /// Returns the elements for which a function is true, sorted by another function.
  ///
  /// - Parameters:
  ///   - isIncluded: A function that returns whether an element is included.
  ///   - areInIncreasingOrder: A function that returns whether its first argument should be ordered before its second.
  ///   - offset: The number of matching elements to skip at the beginning.
  ///   - limit: The maximum number of elements to return, or `nil` for no limit.
  /// - Returns: The matching elements.
  /// - Throws: Any error that the functions throw.
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

  /// Returns a function that evaluates the predicate, and reports each element for which it cannot be evaluated.
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
    return false  // Equal elements keep their order.
  }
}

/// The positions of the elements that come first in a sort order. Most of the other elements are compared only once.
@usableFromInline struct FirstPositions {
  /// The number of positions above which inserting one takes longer than sorting all elements.
  @inlinable static var limit: Int { 1000 }

  @usableFromInline let count: Int
  @usableFromInline var positions: [Int] = []

  @inlinable init(count: Int) {
    self.count = count
  }

  /// Inserts a position that is greater than all earlier ones.
  @inlinable mutating func insert(_ position: Int, _ precedes: (Int, Int) throws -> Bool) rethrows {
    if positions.count == count {
      guard let last = positions.last, try precedes(position, last) else { return }
      positions.removeLast()
    }
    // The position goes after those of equal elements, which were inserted before.
    var (low, high) = (0, positions.count)
    while low < high {
      let middle = (low + high) / 2
      if try precedes(position, positions[middle]) { high = middle } else { low = middle + 1 }
    }
    positions.insert(position, at: low)
  }
}
