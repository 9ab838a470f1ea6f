// The compiler copies generic code for each type, and a `Dictionary` of another type takes three kilobytes. Code that
// runs rarely calls the functions below instead. They are compiled once for all types, and they take several times as
// long.

/// A dictionary that has no specialized code for each type.
package struct SharedCodeDictionary<Key: Hashable, Value> {
  package private(set) var contents: [Key: Value]

  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package init(_ contents: [Key: Value] = .init()) { self.contents = contents }

  package subscript(key: Key) -> Value? {
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    get { contents[key] }
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    set { contents[key] = newValue }
  }

  /// The keys, in no particular order.
  package var keys: [Key] {
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    get { Array(contents.keys) }
  }
}

extension SharedCodeDictionary: Sendable where Key: Sendable, Value: Sendable {}

extension SharedCodeDictionary: Equatable where Value: Equatable {
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  package static func == (left: Self, right: Self) -> Bool { left.contents == right.contents }
}

/// Returns whether two values are equal, with the equality function of their own module.
@inline(never) @_semantics("optimize.sil.specialize.generic.never")
package func areEqual<Value: Equatable>(_ left: Value, _ right: Value) -> Bool { left == right }

/// Returns numbers in an order. This is not slower than `sorted(by:)`; it is here because the code of a sort is large.
@inline(never)
package func sortedNumbers(_ numbers: [Int], by isBefore: (Int, Int) -> Bool) -> [Int] { numbers.sorted(by: isBefore) }

/// Returns the value that a text describes, with the initializer of the value's own module.
@inline(never) @_semantics("optimize.sil.specialize.generic.never")
package func parsed<Value: LosslessStringConvertible>(_ text: String) -> Value? { Value(text) }

/// Returns a dictionary whose values have any type.
@inline(never) @_semantics("optimize.sil.specialize.generic.never")
package func upcast<Key: Hashable>(_ dictionary: [Key: any Sendable]) -> [Key: Any] { dictionary }
