import Foundation
import KeyedArchive
import Testing

/// Expects that an archive of a value contains what `JSONEncoder` writes for the same calls.
func expectSameAsJSON(_ value: some Encodable, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  let tree = try KeyedArchiveDecoder().decode(ArchiveValue.self, from: KeyedArchiveEncoder().encode(value))
  let ours = try String(decoding: encoder.encode(tree), as: UTF8.self)
  let foundations = try String(decoding: encoder.encode(value), as: UTF8.self)
  #expect(ours == foundations, sourceLocation: sourceLocation)
}

/// Tries to encode a value that fails, and continues, like `try?`.
func givingUp(_ body: () throws -> Void) {
  do { try body() } catch {}  // the error may be the encoder's own request to begin again
}

/// A value whose `encode(to:)` is a closure, which can call the encoder in any way.
struct Scripted: Encodable {
  let script: (any Encoder) throws -> Void

  init(_ script: @escaping (any Encoder) throws -> Void) {
    self.script = script
  }

  func encode(to encoder: any Encoder) throws {
    try script(encoder)
  }
}

/// A key with any name.
struct AnyKey: CodingKey, ExpressibleByStringLiteral {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) { self.stringValue = stringValue }
  init(stringLiteral value: String) { stringValue = value }
  init?(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

/// A value that writes something and then fails.
struct Failing: Encodable {
  struct Refusal: Error {}

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: AnyKey.self)
    try container.encode("half of it", forKey: "begun")
    var nested = container.nestedUnkeyedContainer(forKey: "nested")
    try nested.encode(1)
    throw Refusal()
  }
}
