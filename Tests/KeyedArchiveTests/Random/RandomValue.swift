import Foundation
import KeyedArchive
import TestSupport

/// A type with random values that can be compared bit by bit.
///
/// `==` is not enough for that: it treats `-0.0` as `0.0`, a NaN as different from itself, and `1.0` as `1.00`.
protocol RandomValue: Codable, Sendable {
  static func random(_ random: inout SeededGenerator) -> Self

  func isIdentical(to other: Self) -> Bool

  /// The types in this one that a registry does not know.
  static var ownTypes: [any (Codable & Sendable).Type] { get }
}

/// A type that can be the element of a set and the key of a dictionary.
protocol RandomKey: RandomValue, Hashable {}

extension RandomValue {
  static var ownTypes: [any (Codable & Sendable).Type] { [] }
}

extension RandomValue where Self: Equatable {
  func isIdentical(to other: Self) -> Bool { self == other }
}

extension SeededGenerator {
  /// A number of elements: mostly few.
  mutating func count() -> Int {
    one(of: [0, 1, 1, 2, 2, 3, 4, 30])
  }

  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  mutating func flip() -> Bool {
    next() & 1 == 0
  }
}
