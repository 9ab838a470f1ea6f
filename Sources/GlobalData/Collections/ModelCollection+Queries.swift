public import FoundationCore

// Each query goes over the decoded elements in memory: O(n) in their number, O(n log n) where it sorts.

extension GlobalData.ModelCollection {
  /// The first element for which a function is true.
  ///
  /// - Complexity: O(*n*) in the number of elements.
  public func first(where isIncluded: (Element) throws -> Bool) rethrows -> Element? {
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
  public func filter(_ predicate: Predicate<Element>? = nil, offset: Int = 0, limit: Int? = nil) -> [Element] {
    GlobalData.page(included(by: predicate), offset, limit)
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
  public func filter(
    _ predicate: Predicate<Element>? = nil, sortedBy order: [some SortComparator<Element>], offset: Int = 0,
    limit: Int? = nil
  ) -> [Element] {
    let found = included(by: predicate)
    return GlobalData.page(order.isEmpty ? found : found.sorted(by: GlobalData.precedes(order)), offset, limit)
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
  public func filter(
    _ predicate: Predicate<Element>? = nil, sortedBy areInIncreasingOrder: (Element, Element) throws -> Bool,
    offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    GlobalData.page(try included(by: predicate).sorted(by: areInIncreasingOrder), offset, limit)
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
  public func filter(
    _ isIncluded: (Element) throws -> Bool, offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    GlobalData.page(try all.filter(isIncluded), offset, limit)
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
  public func filter(
    _ isIncluded: (Element) throws -> Bool, sortedBy order: [some SortComparator<Element>], offset: Int = 0,
    limit: Int? = nil
  ) rethrows -> [Element] {
    let found = try all.filter(isIncluded)
    return GlobalData.page(order.isEmpty ? found : found.sorted(by: GlobalData.precedes(order)), offset, limit)
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
  public func filter(
    _ isIncluded: (Element) throws -> Bool, sortedBy areInIncreasingOrder: (Element, Element) throws -> Bool,
    offset: Int = 0, limit: Int? = nil
  ) rethrows -> [Element] {
    GlobalData.page(try all.filter(isIncluded).sorted(by: areInIncreasingOrder), offset, limit)
  }

  private func included(by predicate: Predicate<Element>?) -> [Element] {
    guard let predicate else { return all }
    return all.filter { element in
      do {
        return try predicate.evaluate(element)
      } catch {
        store.reportUnreadable("\(prefix)\(element.id)", error)
        return false
      }
    }
  }
}

extension GlobalData {
  fileprivate static func precedes<Element>(_ order: [some SortComparator<Element>]) -> (Element, Element) -> Bool {
    { left, right in
      for descriptor in order {
        switch descriptor.compare(left, right) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return false  // Swift's sort keeps the order of equals.
    }
  }

  fileprivate static func page<Element>(_ elements: [Element], _ offset: Int, _ limit: Int?) -> [Element] {
    guard offset > 0 || limit != nil else { return elements }
    let rest = elements.dropFirst(max(0, offset))
    return Array(limit.map { rest.prefix(max(0, $0)) } ?? rest)
  }
}
