import Foundation
import KeyedArchive
import TestSupport

/// A value with a name that a program in another language knows too.
struct Specimen: Sendable {
  let name: String
  /// The value as an archive.
  let encoded: @Sendable () throws -> Data
  /// Reads an archive as the specimen's type and encodes what comes out.
  let recoded: @Sendable (Data) throws -> Data

  init<Value: Codable & Sendable>(_ name: String, _ value: Value) {
    self.name = name
    encoded = { try KeyedArchiveEncoder().encode(value) }
    recoded = { try KeyedArchiveEncoder().encode(KeyedArchiveDecoder().decode(Value.self, from: $0)) }
  }

  /// A value without a type that a reader could name.
  init(_ name: String, mixed value: any Sendable) {
    self.name = name
    encoded = { try KeyedArchiveEncoder().encode(value) }
    recoded = { data in
      guard let copy = try KeyedArchiveDecoder().decode(from: data) else { return Data() }
      return try KeyedArchiveEncoder().encode(copy)
    }
  }

  /// What is wrong with an archive that is meant to hold this value, or `nil`.
  ///
  /// Equal values are equal bytes, so comparing those compares every bit, and which instances are the same.
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
