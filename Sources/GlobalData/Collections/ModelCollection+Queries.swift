import CodingSupport
public import FoundationCore

// Each query iterates over the array of decoded elements: O(n) in their number, or O(n log n) if it sorts all of them.
// The queries that take a function are compiled where they are called, for the type of the elements and with the
// function, like the methods of an array.

extension GlobalData.ModelCollection {
  /// Returns the first element for which a function is true, or `nil` if there is none.
  ///
  /// - Throws: Any error that the function throws.
  /// - Complexity: O(*n*) in the number of elements.
  @_alwaysEmitIntoClient public func first(where isIncluded: (Element) throws -> Bool) rethrows -> Element? {
    try all.first(where: isIncluded)
  }

  /// Returns the first element for which a predicate is true, or `nil` if there is none.
  ///
  /// An element for which the predicate cannot be evaluated is skipped, and the store reports it as a diagnostic.
  ///
  /// - Complexity: O(*n*) in the number of elements.
  @_alwaysEmitIntoClient public func first(where predicate: Predicate<Element>) -> Element? {
    filter(predicate, limit: 1).first
  }

  /// Returns the number of elements for which a function is true.
  ///
  /// - Throws: Any error that the function throws.
  /// - Complexity: O(*n*) in the number of elements.
  @_alwaysEmitIntoClient public func count(where isIncluded: (Element) throws -> Bool) rethrows -> Int {
    try all.count(where: isIncluded)
  }

  /// Returns the number of elements for which a predicate is true.
  ///
  /// An element for which the predicate cannot be evaluated is not counted, and the store reports it as a diagnostic.
  ///
  /// - Complexity: O(*n*) in the number of elements.
  @_alwaysEmitIntoClient public func count(where predicate: Predicate<Element>) -> Int {
    all.withUnsafeBufferPointer { elements in
      elements.indices.count(where: condition(predicate, of: elements))
    }
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
    guard let predicate else {
      return offset <= 0 && limit == nil ? all : filter({ _ in true }, offset: offset, limit: limit)
    }
    return all.withUnsafeBufferPointer { elements in
      selectedPositions(of: elements.count, where: condition(predicate, of: elements), offset: offset, limit: limit)
        .map { elements[$0] }
    }
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
    return all.withUnsafeBufferPointer { elements in
      let positions = selectedPositions(
        of: elements.count, where: condition(predicate, of: elements),
        sortedBy: GlobalData.precedence(order, of: elements), offset: offset, limit: limit)
      return positions.map { elements[$0] }
    }
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
  /// - Throws: Any error that the ordering function throws.
  /// - Complexity: O(*n* log *n*) in the number of elements.
  @_alwaysEmitIntoClient public func filter(
    _ predicate: Predicate<Element>? = nil, sortedBy areInIncreasingOrder: (Element, Element) throws -> Bool,
    offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    try all.withUnsafeBufferPointer { elements in
      let positions = try selectedPositions(
        of: elements.count, where: condition(predicate, of: elements),
        sortedBy: { try areInIncreasingOrder(elements[$0], elements[$1]) }, offset: offset, limit: limit)
      return positions.map { elements[$0] }
    }
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
  @_alwaysEmitIntoClient public func filter(
    _ isIncluded: (Element) throws -> Bool, offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    guard offset > 0 || limit != nil else { return try all.filter(isIncluded) }
    let elements = all
    let positions = try selectedPositions(
      of: elements.count, where: { try isIncluded(elements[$0]) }, offset: offset, limit: limit)
    return positions.map { elements[$0] }
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
  @_alwaysEmitIntoClient public func filter(
    _ isIncluded: (Element) throws -> Bool, sortedBy order: [some SortComparator<Element>], offset: Int = 0,
    limit: Int? = nil
  ) rethrows -> [Element] {
    guard !order.isEmpty else { return try filter(isIncluded, offset: offset, limit: limit) }
    return try all.withUnsafeBufferPointer { elements in
      let positions = try selectedPositions(
        of: elements.count, where: { try isIncluded(elements[$0]) },
        sortedBy: GlobalData.precedence(order, of: elements), offset: offset, limit: limit)
      return positions.map { elements[$0] }
    }
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
  @_alwaysEmitIntoClient public func filter(
    _ isIncluded: (Element) throws -> Bool, sortedBy areInIncreasingOrder: (Element, Element) throws -> Bool,
    offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    let elements = all
    let positions = try selectedPositions(
      of: elements.count, where: { try isIncluded(elements[$0]) },
      sortedBy: { try areInIncreasingOrder(elements[$0], elements[$1]) }, offset: offset, limit: limit)
    return positions.map { elements[$0] }
  }

  /// Returns a function that evaluates the predicate for the element at a position, and reports each element for which
  /// it cannot be evaluated. Call it only while the elements are in the buffer.
  @usableFromInline func condition(
    _ predicate: Predicate<Element>?, of elements: UnsafeBufferPointer<Element>
  ) -> (Int) -> Bool {
    guard let predicate, let start = elements.baseAddress else { return { _ in true } }
    let isIncluded = predicateFunction(of: predicate)
    return { position in
      do {
        return try isIncluded(start + position)
      } catch {
        let key = reportedKey(of: start[position].id)
        store.engine.diagnostics.report(
          .readFailed, "the predicate of a query could not be evaluated for the element \(key.quoted): \(error)", error,
          key: key)
        return false
      }
    }
  }
}

extension GlobalData {
  /// Returns a function that returns whether the element at one position is ordered before that at another position.
  /// Call it only while the elements are in the buffer.
  @usableFromInline static func precedence<Element>(
    _ order: [some SortComparator<Element>], of elements: UnsafeBufferPointer<Element>
  ) -> (Int, Int) -> Bool {
    guard let start = elements.baseAddress else { return { _, _ in false } }
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
        if let precedes = comparison(start + left, start + right) { return precedes }
      }
      return false  // Equal elements keep their order.
    }
  }
}

// The functions below are compiled once, because they do not depend on the type of the elements.

/// Returns the positions for which a function is true, in order.
@usableFromInline func selectedPositions(
  of count: Int, where isIncluded: (Int) throws -> Bool, offset: Int, limit: Int?
) rethrows -> [Int] {
  var (found, leftOut) = ([Int](), max(0, offset))
  for position in 0..<count {
    guard found.count < limit ?? .max else { break }
    guard try isIncluded(position) else { continue }
    if leftOut > 0 { leftOut -= 1 } else { found.append(position) }
  }
  return found
}

/// Returns the positions for which a function is true, sorted by another function.
@usableFromInline func selectedPositions(
  of count: Int, where isIncluded: (Int) throws -> Bool, sortedBy precedes: (Int, Int) throws -> Bool, offset: Int,
  limit: Int?
) rethrows -> [Int] {
  let (offset, limit) = (max(0, offset), max(0, limit ?? .max))
  let (end, isBeyond) = offset.addingReportingOverflow(limit)
  guard !isBeyond, end <= FirstPositions.limit else {
    return try Array((0..<count).filter(isIncluded).sorted(by: precedes).dropFirst(offset).prefix(limit))
  }
  var first = FirstPositions(count: end)
  for position in 0..<count where try isIncluded(position) { try first.insert(position, precedes) }
  return Array(first.positions.dropFirst(offset))
}

/// The positions of the elements that come first in a sort order. Most of the other elements are compared only once.
private struct FirstPositions {
  /// The number of positions above which inserting one takes longer than sorting all elements.
  static var limit: Int { 1000 }

  let count: Int
  var positions: [Int] = []

  /// Inserts a position that is greater than all earlier ones.
  mutating func insert(_ position: Int, _ precedes: (Int, Int) throws -> Bool) rethrows {
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
