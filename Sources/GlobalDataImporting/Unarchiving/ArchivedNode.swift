import CodingSupport
import Foundation

/// A value of an archive, after its references were followed.
struct ArchivedNode {
  enum Content {
    /// A value that is not a separate object, or any value of a property list that is not an archive.
    case plain(PropertyListValue)
    case object(ArchivedClass, PropertyListDictionary)
  }

  /// The position of the value; the same for all references to one object.
  let id: PropertyListValue.Reference
  let content: Content

  var isNull: Bool {
    switch content {
    case .plain(.null): true
    case .object(let type, _): type.role.foundation == .null
    case .plain: false
    }
  }

  /// Whether it is a dictionary of Foundation.
  var isDictionary: Bool {
    if case .object(let type, _) = content { type.role.foundation == .dictionary } else { false }
  }

  var kind: String {
    switch content {
    case .plain(let value): value.kind
    case .object(let type, _): type.name
    }
  }
}

/// The fields of an object of one of Foundation's classes, each of a known type.
struct ArchivedRecord {
  let fields: PropertyListDictionary
  let position: ArchivedPosition
  let session: UnarchivingSession

  var path: [any CodingKey] { position.path }

  var malformed: ImportFailure {
    var failure = ImportFailure.malformed(
      "an object of the class \(position.node.kind.quoted) does not have the form of its class", at: path)
    failure.isUnknownForm = true
    return failure
  }

  func value(_ name: String) throws -> (any Sendable)? {
    guard let reference = fields[name] else { return nil }
    let child = try session.child(reference, AnyCodingKey(stringValue: name), of: position)
    let leaf = try session.leaf(of: child)
    guard leaf != nil || child.node.isNull else { throw malformed }
    return leaf
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

  func geometry(_ name: String, _ type: Any.Type) throws -> any Sendable {
    guard let value = geometricValue(type, in: try text(name)) else { throw malformed }
    return value
  }
}
