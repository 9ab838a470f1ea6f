import Foundation
import KeyedArchive
import TestSupport

// Types that store one value of another type as their own, each in a way that programs use.

/// A property wrapper.
@propertyWrapper
struct Held<Content: Codable & Sendable>: Codable, Sendable {
  var wrappedValue: Content

  init(wrappedValue: Content) { self.wrappedValue = wrappedValue }

  init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode(Content.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Held: RandomValue where Content: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Held { Held(wrappedValue: .random(&random)) }

  func isIdentical(to other: Held) -> Bool { wrappedValue.isIdentical(to: other.wrappedValue) }

  static var ownTypes: [any (Codable & Sendable).Type] { [Self.self] + Content.ownTypes }
}

extension Held: Equatable, Hashable, RandomKey where Content: RandomKey {}

/// A value with a phantom type, such as an identifier of a certain kind of model.
struct Labelled<Label, Content: Codable & Sendable>: Codable, Sendable {
  var rawValue: Content

  init(rawValue: Content) { self.rawValue = rawValue }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      rawValue = try container.decode(Content.self)
    } catch {
      rawValue = try Content(from: decoder)  // as libraries of such types do
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension Labelled: RandomValue where Content: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Labelled { Labelled(rawValue: .random(&random)) }

  func isIdentical(to other: Labelled) -> Bool { rawValue.isIdentical(to: other.rawValue) }

  static var ownTypes: [any (Codable & Sendable).Type] { [Self.self] + Content.ownTypes }
}

extension Labelled: Equatable, Hashable, RandomKey where Content: RandomKey {}

/// A struct with a raw value and a version of its own.
struct Coated<Content: Codable & Sendable>: RawRepresentable, Archivable {
  var rawValue: Content

  static var archiveVersion: Int { 3 }

  init(rawValue: Content) { self.rawValue = rawValue }

  init(from decoder: any Decoder) throws {
    rawValue = try decoder.singleValueContainer().decode(Content.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension Coated: RandomValue where Content: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Coated { Coated(rawValue: .random(&random)) }

  func isIdentical(to other: Coated) -> Bool { rawValue.isIdentical(to: other.rawValue) }

  static var ownTypes: [any (Codable & Sendable).Type] { [Self.self] + Content.ownTypes }
}

extension Coated: Equatable, Hashable, RandomKey where Content: RandomKey {
  static func == (left: Coated, right: Coated) -> Bool { left.rawValue == right.rawValue }
  func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// A class that stores one value.
final class Crate<Content: Codable & Sendable>: Codable, Sendable {
  let content: Content

  init(_ content: Content) { self.content = content }

  init(from decoder: any Decoder) throws {
    content = try decoder.singleValueContainer().decode(Content.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(content)
  }
}

extension Crate: RandomValue where Content: RandomValue {
  static func random(_ random: inout SeededGenerator) -> Self { self.init(.random(&random)) }

  func isIdentical(to other: Crate) -> Bool { content.isIdentical(to: other.content) }

  static var ownTypes: [any (Codable & Sendable).Type] { [Self.self] + Content.ownTypes }
}

/// A value with fields, whose version is stored with it.
struct Dated<Content: RandomValue>: RandomValue, Archivable {
  var content: Content

  static var archiveVersion: Int { 2 }

  static func random(_ random: inout SeededGenerator) -> Dated { Dated(content: .random(&random)) }

  func isIdentical(to other: Dated) -> Bool { content.isIdentical(to: other.content) }

  static var ownTypes: [any (Codable & Sendable).Type] { [Self.self] + Content.ownTypes }
}

extension Dated: Equatable, Hashable, RandomKey where Content: RandomKey {}

/// A JSON value, as programs often declare such a type.
indirect enum Loose: RandomKey {
  case null
  case bool(Bool)
  case number(Double)
  case date(Date)
  case text(String)
  case list([Loose])
  case fields([String: Loose])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(Date.self) {
      self = .date(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([Loose].self) {
      self = .list(value)
    } else {
      self = .fields(try container.decode([String: Loose].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .fields(let value): try container.encode(value)
    }
  }

  static func random(_ random: inout SeededGenerator) -> Loose { Loose.random(&random, levels: 3) }

  private static func random(_ random: inout SeededGenerator, levels: Int) -> Loose {
    switch random.below(levels > 0 ? 7 : 5) {
    case 0: return .null
    case 1: return .bool(random.flip())
    case 2: return .number(.random(&random))
    case 3: return .date(.random(&random))
    case 4: return .text(.random(&random))
    case 5: return .list((0..<random.below(4)).map { _ in Loose.random(&random, levels: levels - 1) })
    default:
      let names = (0..<random.below(4)).map { "\($0)" }
      return .fields(Dictionary(uniqueKeysWithValues: names.map { ($0, .random(&random, levels: levels - 1)) }))
    }
  }

  func isIdentical(to other: Loose) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let value), .bool(let other)): value == other
    case (.number(let value), .number(let other)): value.isIdentical(to: other)
    case (.date(let value), .date(let other)): value.isIdentical(to: other)
    case (.text(let value), .text(let other)): value.isIdentical(to: other)
    case (.list(let value), .list(let other)): value.isIdentical(to: other)
    case (.fields(let value), .fields(let other)): value.isIdentical(to: other)
    default: false
    }
  }

  static var ownTypes: [any (Codable & Sendable).Type] { [Loose.self] }
}
