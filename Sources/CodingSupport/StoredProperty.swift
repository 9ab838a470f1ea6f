/// A stored property of a struct, which is read at its offset. A key path takes several times as long.
package struct StoredProperty<Whole, Value> {
  @usableFromInline let offset: Int

  /// Creates a property, or returns `nil` if the key path leads to a computed property or through a reference.
  package init?(_ keyPath: KeyPath<Whole, Value>) {
    guard let offset = MemoryLayout<Whole>.offset(of: keyPath) else { return nil }
    self.offset = offset
  }

  @inlinable package func value(of whole: UnsafePointer<Whole>) -> Value {
    // `offset(of:)` guarantees that each `Whole` has a `Value` at this offset.
    (UnsafeRawPointer(whole) + offset).assumingMemoryBound(to: Value.self).pointee
  }
}

/// A comparator that compares a stored property of its values, and that can be turned into a faster function.
package protocol PropertyComparing<Compared> {
  associatedtype Compared

  /// Returns a function that returns the same results as the comparator, or `nil` if it does not compare values of a
  /// stored property by their own order.
  func comparison() -> Comparison<Compared>?
}

/// Returns whether the first value is ordered before the second one, or `nil` if neither is. The values are passed by
/// pointers because a function whose type of values is not known to its caller would get copies of them.
package typealias Comparison<Value> = (UnsafePointer<Value>, UnsafePointer<Value>) -> Bool?
