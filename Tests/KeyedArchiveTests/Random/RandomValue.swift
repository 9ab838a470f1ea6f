import Foundation
import KeyedArchive
import TestSupport

/// A type of which random values can be made, and whose values can be told apart bit by bit.
///
/// `==` is not enough for the latter: it takes `-0.0` for `0.0`, a NaN for no NaN and `1.0` for `1.00`.
protocol RandomValue: Codable, Sendable {
  static func random(_ random: inout SeededGenerator) -> Self

  func isIdentical(to other: Self) -> Bool

  /// The types in this one that a registry does not know by itself.
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
