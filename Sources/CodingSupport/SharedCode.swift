// The compiler copies generic code for each type that it meets, and a `Dictionary` of one more type is three kilobytes.
// What runs rarely calls the functions below instead, which are compiled once for all types. They take several times as
// long.

/// A dictionary without code of its own for each type.
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

  /// The keys, in no order.
  package var keys: [Key] {
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    get { Array(contents.keys) }
  }
}

extension SharedCodeDictionary: Sendable where Key: Sendable, Value: Sendable {}

/// Returns whether two values are equal, by the function of their own module.
@inline(never) @_semantics("optimize.sil.specialize.generic.never")
package func areEqual<Value: Equatable>(_ left: Value, _ right: Value) -> Bool { left == right }

/// Returns a dictionary with values of any type.
@inline(never) @_semantics("optimize.sil.specialize.generic.never")
package func upcast<Key: Hashable>(_ dictionary: [Key: any Sendable]) -> [Key: Any] { dictionary }
