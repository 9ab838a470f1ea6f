import Foundation
import KeyedArchive
import TestSupport

/// A value with a name that a program in another language also uses.
struct Specimen: Sendable {
  let name: String
  /// The value as an archive.
  let encoded: @Sendable () throws -> Data
  /// Reads an archive as the specimen's type and encodes the result.
  let recoded: @Sendable (Data) throws -> Data

  init<Value: Codable & Sendable>(_ name: String, _ value: Value) {
    self.name = name
    encoded = { try KeyedArchiveEncoder().encode(value) }
    recoded = { try KeyedArchiveEncoder().encode(KeyedArchiveDecoder().decode(Value.self, from: $0)) }
  }

  /// Creates a value without a type that a reader could name.
  init(_ name: String, mixed value: any Sendable) {
    self.name = name
    encoded = { try KeyedArchiveEncoder().encode(value) }
    recoded = { data in
      guard let copy = try KeyedArchiveDecoder().decode(from: data) else { return Data() }
      return try KeyedArchiveEncoder().encode(copy)
    }
  }

  /// Returns the problem of an archive that should contain this value, or `nil`.
  ///
  /// Equal values have equal bytes, so a comparison of the bytes compares every bit, and the identity of instances.
  func complaint(about data: Data) -> String? {
    do {
      let recoded = try recoded(data)
      let expected = try encoded()
      return recoded == expected ? nil : "read as \(recoded.hex), expected \(expected.hex)"
    } catch {
      return "\(error)"
    }
  }
}
