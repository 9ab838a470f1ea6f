import Foundation
import KeyedArchive
import TestSupport

/// A struct with two fields, one of which may be absent.
struct Pair<First: RandomValue, Second: RandomValue>: RandomValue {
  var first: First
  var second: Second?

  static func random(_ random: inout SeededGenerator) -> Pair {
    Pair(first: .random(&random), second: .random(&random))
  }

  func isIdentical(to other: Pair) -> Bool {
    first.isIdentical(to: other.first) && second.isIdentical(to: other.second)
  }

  static var ownTypes: [any (Codable & Sendable).Type] { [Self.self] + First.ownTypes + Second.ownTypes }
}

extension Pair: Equatable, Hashable, RandomKey where First: RandomKey, Second: RandomKey {}

/// An enum with every kind of payload.
enum Either<Left: RandomValue, Right: RandomValue>: RandomValue {
  case neither
  case left(Left)
  case right(Right?)
  case both(left: Left, Right)

  static func random(_ random: inout SeededGenerator) -> Either {
    switch random.below(4) {
    case 0: .neither
    case 1: .left(.random(&random))
    case 2: .right(.random(&random))
    default: .both(left: .random(&random), .random(&random))
    }
  }

  func isIdentical(to other: Either) -> Bool {
    switch (self, other) {
    case (.neither, .neither): true
    case (.left(let left), .left(let other)): left.isIdentical(to: other)
    case (.right(let right), .right(let other)): right.isIdentical(to: other)
    case (.both(let left, let right), .both(let otherLeft, let otherRight)):
      left.isIdentical(to: otherLeft) && right.isIdentical(to: otherRight)
    default: false
    }
  }

  static var ownTypes: [any (Codable & Sendable).Type] { [Self.self] + Left.ownTypes + Right.ownTypes }
}

extension Either: Equatable, Hashable, RandomKey where Left: RandomKey, Right: RandomKey {}

/// A class. The bytes, which are the same when it is encoded again, show that one instance stays one instance.
final class Shelf<Content: RandomValue>: RandomValue {
  let content: Content

  init(_ content: Content) { self.content = content }

  static func random(_ random: inout SeededGenerator) -> Self {
    self.init(.random(&random))
  }

  func isIdentical(to other: Shelf) -> Bool { content.isIdentical(to: other.content) }

  static var ownTypes: [any (Codable & Sendable).Type] { [Self.self] + Content.ownTypes }
}

extension Weekday: RandomKey {
  static func random(_ random: inout SeededGenerator) -> Weekday { random.one(of: Weekday.allCases) }

  static var ownTypes: [any (Codable & Sendable).Type] { [Weekday.self] }
}

extension CarInfo: RandomKey {
  static func random(_ random: inout SeededGenerator) -> CarInfo {
    CarInfo(.random(&random), speed: .random(&random), isOnline: random.flip(), note: .random(&random))
  }

  func isIdentical(to other: CarInfo) -> Bool {
    plate.isIdentical(to: other.plate) && speed == other.speed && isOnline == other.isOnline
      && note.isIdentical(to: other.note)
  }

  static var ownTypes: [any (Codable & Sendable).Type] { [CarInfo.self] }
}

extension ArchiveValue: RandomKey {
  static func random(_ random: inout SeededGenerator) -> ArchiveValue {
    // An optional around a value must not treat this null as its own.
    if random.below(4) == 0 { return random.one(of: [.null, .undefined, .named("Optional", version: 1, .null)]) }
    var tree = RandomTree(seed: random.next())
    return tree.next()
  }
}
