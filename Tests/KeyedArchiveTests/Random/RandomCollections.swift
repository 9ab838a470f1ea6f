import Foundation
import KeyedArchive
import TestSupport

extension RandomValue {
  /// Random values, some of which are the same; for a class, the same instance.
  fileprivate static func several(_ random: inout SeededGenerator) -> [Self] {
    var values: [Self] = []
    for _ in 0..<random.count() {
      values.append(random.below(4) == 0 ? values.last ?? .random(&random) : .random(&random))
    }
    return values
  }
}

extension Array: RandomValue where Element: RandomValue {
  static func random(_ random: inout SeededGenerator) -> [Element] { Element.several(&random) }

  func isIdentical(to other: [Element]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.isIdentical(to: $1) }
  }

  static var ownTypes: [any (Codable & Sendable).Type] { Element.ownTypes }
}

extension Array: RandomKey where Element: RandomKey {}

extension ContiguousArray: RandomValue where Element: RandomValue {
  static func random(_ random: inout SeededGenerator) -> ContiguousArray { ContiguousArray(Element.several(&random)) }

  func isIdentical(to other: ContiguousArray) -> Bool { Array(self).isIdentical(to: Array(other)) }

  static var ownTypes: [any (Codable & Sendable).Type] { Element.ownTypes }
}

extension Optional: RandomValue where Wrapped: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Wrapped? { random.below(3) == 0 ? nil : .random(&random) }

  func isIdentical(to other: Wrapped?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let left?, let right?): left.isIdentical(to: right)
    default: false
    }
  }

  static var ownTypes: [any (Codable & Sendable).Type] { Wrapped.ownTypes }
}

extension Optional: RandomKey where Wrapped: RandomKey {}

// Elements are searched among all others, because a NaN does not equal itself.

extension Set: RandomValue where Element: RandomKey {
  static func random(_ random: inout SeededGenerator) -> Set {
    var values: Set = []
    for value in Element.several(&random) where !values.contains(where: value.isIdentical) { values.insert(value) }
    return values
  }

  func isIdentical(to other: Set) -> Bool {
    count == other.count && allSatisfy { other.contains(where: $0.isIdentical) }
  }

  static var ownTypes: [any (Codable & Sendable).Type] { Element.ownTypes }
}

extension Set: RandomKey where Element: RandomKey {}

extension Dictionary: RandomValue where Key: RandomKey, Value: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Dictionary {
    var values: Dictionary = [:]
    for key in Set<Key>.random(&random) { values[key] = .random(&random) }
    return values
  }

  func isIdentical(to other: Dictionary) -> Bool {
    count == other.count
      && allSatisfy { pair in
        other.contains { pair.key.isIdentical(to: $0.key) && pair.value.isIdentical(to: $0.value) }
      }
  }

  static var ownTypes: [any (Codable & Sendable).Type] { Key.ownTypes + Value.ownTypes }
}

extension Range: RandomValue where Bound: RandomKey {
  static func random(_ random: inout SeededGenerator) -> Range {
    let (left, right) = (Bound.random(&random), Bound.random(&random))
    return left <= right ? left..<right : right <= left ? right..<left : .random(&random)
  }

  func isIdentical(to other: Range) -> Bool {
    lowerBound.isIdentical(to: other.lowerBound) && upperBound.isIdentical(to: other.upperBound)
  }
}

extension Range: RandomKey where Bound: RandomKey {}

extension ClosedRange: RandomValue where Bound: RandomKey {
  static func random(_ random: inout SeededGenerator) -> ClosedRange {
    let range = Range<Bound>.random(&random)
    return range.lowerBound...range.upperBound
  }

  func isIdentical(to other: ClosedRange) -> Bool {
    lowerBound.isIdentical(to: other.lowerBound) && upperBound.isIdentical(to: other.upperBound)
  }
}

extension ClosedRange: RandomKey where Bound: RandomKey {}
