import Foundation
import KeyedArchive
import TestSupport
import Testing

/// A value and the file that contains it.
struct Fixture: Sendable, CustomTestStringConvertible {
  let name: String
  /// Returns the current encoding of the value.
  let encode: @Sendable () throws -> Data
  /// Returns whether bytes decode to the value, with and without naming its type.
  let decodes: @Sendable (Data) throws -> Bool

  var testDescription: String { name }

  static let folder = FixtureFolder(
    bundle: .module,
    sourceFolder: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures"))

  private init<Value: Codable & Sendable>(
    _ name: String, _ value: Value, _ own: [any (Codable & Sendable).Type],
    _ isSame: @escaping @Sendable (Value, Value) -> Bool
  ) {
    self.name = "\(name).cbor"
    encode = { try KeyedArchiveEncoder(registry: Fixture.registry(own)).encode(value) }
    decodes = { data in
      let decoder = KeyedArchiveDecoder(registry: try Fixture.registry(own))
      guard try isSame(decoder.decode(Value.self, from: data), value) else { return false }
      let dynamic = try decoder.decode(from: data)
      return (dynamic as? Value).map { isSame($0, value) } ?? false
    }
  }

  /// A fixture whose value is compared bit by bit.
  init<Value: RandomValue>(exactly name: String, _ value: Value) {
    self.init(name, value, Value.ownTypes) { $0.isIdentical(to: $1) }
  }

  /// A fixture whose value is compared by `==`.
  init<Value: Codable & Sendable & Equatable>(
    _ name: String, _ value: Value, registering own: (any (Codable & Sendable).Type)...
  ) {
    self.init(name, value, own) { $0 == $1 }
  }

  /// A fixture whose value is compared by a trait.
  init<Value: Codable & Sendable, Trait: Equatable & Sendable>(
    _ name: String, _ value: Value, by trait: @escaping @Sendable (Value) -> Trait,
    registering own: (any (Codable & Sendable).Type)...
  ) {
    self.init(name, value, own) { trait($0) == trait($1) }
  }

  private static func registry(_ own: [any (Codable & Sendable).Type]) throws -> TypeRegistry {
    let registry = TypeRegistry()
    try registry.register(own)
    return registry
  }
}
