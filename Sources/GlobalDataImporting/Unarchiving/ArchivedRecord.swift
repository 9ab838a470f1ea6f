import Foundation
import GlobalData
import KeyedArchive

/// The fields of an object of one of Foundation's classes, each of a known type.
struct ArchivedRecord {
  private let fields: PropertyListDictionary
  private let place: ArchivedPlace
  private let session: UnarchivingSession

  init(_ fields: PropertyListDictionary, _ place: ArchivedPlace, _ session: UnarchivingSession) {
    self.fields = fields
    self.place = place
    self.session = session
  }

  var path: [any CodingKey] { place.path }

  var malformed: ImportFailure {
    .malformed("an object of the class \(place.node.kind.quoted) does not have the form of its class", at: path)
  }

  func value(_ name: String) throws -> (any Sendable)? {
    guard let reference = fields[name] else { return nil }
    return try session.leaf(of: session.child(reference, AnyCodingKey(stringValue: name), of: place))
  }

  func text(_ name: String, bytes: String? = nil) throws -> String {
    if let text = try value(name) as? String { return text }
    guard let bytes, let data = try value(bytes) as? Data, let text = String(validating: data, as: UTF8.self) else {
      throw malformed
    }
    return text
  }

  func integer(_ name: String) throws -> Int {
    guard let integer = try value(name) as? Int else { throw malformed }
    return integer
  }

  func bool(_ name: String) throws -> Bool {
    switch try value(name) {
    case let value as Bool: return value
    case let value as Int: return value != 0
    default: throw malformed
    }
  }

  func real(_ name: String) throws -> Double {
    switch try value(name) {
    case let value as Double: return value
    case let value as Int: return Double(value)
    default: throw malformed
    }
  }

  func data(_ name: String, or other: String? = nil) throws -> Data {
    if let data = try value(name) as? Data { return data }
    guard let other, let data = try value(other) as? Data else { throw malformed }
    return data
  }

  func numbers<Structure>(_ name: String, _ count: Int, _ make: ([Double]) -> Structure) throws -> Structure {
    guard let numbers = structureNumbers(in: try text(name), count: count) else { throw malformed }
    return make(numbers)
  }
}
