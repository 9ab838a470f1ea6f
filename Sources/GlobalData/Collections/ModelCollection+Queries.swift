import CodingSupport
public import FoundationCore

// Each query iterates over the array of decoded elements: O(n) in their number, or O(n log n) if it sorts all of them.
// The queries that take a function are inlinable, so that they are compiled for the type of the elements and with the
// function, like the methods of an array.

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
  public func filter(_ predicate: Predicate<Element>? = nil, offset: Int = 0, limit: Int? = nil) -> [Element] {
    if predicate == nil, offset <= 0, limit == nil { return all }
    return selected(condition(predicate), offset: offset, limit: limit)
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
  public func filter(
    _ predicate: Predicate<Element>? = nil, sortedBy order: [some SortComparator<Element>], offset: Int = 0,
    limit: Int? = nil
  ) -> [Element] {
    guard !order.isEmpty else { return filter(predicate, offset: offset, limit: limit) }
    return selected(condition(predicate), sortedBy: GlobalData.precedence(order), offset: offset, limit: limit)
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
    try selected(
      condition(predicate), sortedBy: { try areInIncreasingOrder($0.pointee, $1.pointee) }, offset: offset, limit: limit
    )
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
    return try selected({ try isIncluded($0.pointee) }, offset: offset, limit: limit)
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
    return try selected(
      { try isIncluded($0.pointee) }, sortedBy: GlobalData.precedence(order), offset: offset, limit: limit)
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
    try selected(
      { try isIncluded($0.pointee) }, sortedBy: { try areInIncreasingOrder($0.pointee, $1.pointee) }, offset: offset,
      limit: limit)
  }

  // The functions below pass pointers to elements, because a function that is not compiled for the type of the elements
  // would get a copy of each of them. The array outlives the calls, and no function keeps a pointer.

  @inlinable func selected(
    _ isIncluded: (UnsafePointer<Element>) throws -> Bool, offset: Int, limit: Int?
  ) rethrows -> [Element] {
    try all.withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return [] }
      var (found, leftOut) = ([Element](), max(0, offset))
      for position in elements.indices {
        guard found.count < limit ?? .max else { break }
        guard try isIncluded(start + position) else { continue }
        if leftOut > 0 { leftOut -= 1 } else { found.append(start[position]) }
      }
      return found
    }
  }

  @inlinable func selected(
    _ isIncluded: (UnsafePointer<Element>) throws -> Bool,
    sortedBy precedes: (UnsafePointer<Element>, UnsafePointer<Element>) throws -> Bool, offset: Int, limit: Int?
  ) rethrows -> [Element] {
    try all.withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return [] }
      let (offset, limit) = (max(0, offset), max(0, limit ?? .max))
      let (end, isBeyond) = offset.addingReportingOverflow(limit)
      guard !isBeyond, end <= FirstPositions.limit else {
        let found = try elements.indices.filter { try isIncluded(start + $0) }
        let sorted = try found.sorted { try precedes(start + $0, start + $1) }
        return sorted.dropFirst(offset).prefix(limit).map { start[$0] }
      }
      var first = FirstPositions(count: end)
      for position in elements.indices where try isIncluded(start + position) {
        try first.insert(position) { try precedes(start + $0, start + $1) }
      }
      return first.positions.dropFirst(offset).map { start[$0] }
    }
  }

  /// Returns a function that evaluates the predicate, and reports each element for which it cannot be evaluated.
  @usableFromInline func condition(_ predicate: Predicate<Element>?) -> (UnsafePointer<Element>) -> Bool {
    guard let predicate else { return { _ in true } }
    let isIncluded = predicateFunction(of: predicate)
    return { element in
      do {
        return try isIncluded(element)
      } catch {
        store.reportUnreadable("\(prefix)\(element.pointee.id)", error)
        return false
      }
    }
  }
}

extension GlobalData {
  /// Returns a function that returns whether its first argument is ordered before its second.
  @usableFromInline static func precedence<Element>(
    _ order: [some SortComparator<Element>]
  ) -> (UnsafePointer<Element>, UnsafePointer<Element>) -> Bool {
    let comparisons = order.map { comparator in
      (comparator as? any PropertyComparing<Element>)?.comparison()
        ?? { left, right in
          switch comparator.compare(left.pointee, right.pointee) {
          case .orderedAscending: true
          case .orderedDescending: false
          case .orderedSame: nil
          }
        }
    }
    return { left, right in
      for comparison in comparisons {
        if let precedes = comparison(left, right) { return precedes }
      }
      return false  // Equal elements keep their order.
    }
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
