import Foundation
import GlobalData
import KeyedArchive

/// A value of an archive, after its references were followed.
struct ArchivedNode {
  enum Content {
    case null
    /// A value that is not a separate object, or any value of a property list that is not an archive.
    case plain(PropertyListValue)
    case object(ArchivedClass, PropertyListDictionary)
  }

  /// The position of the value; the same for all references to one object.
  let id: PropertyListValue.Reference
  let content: Content

  var isNull: Bool {
    switch content {
    case .null, .plain(.null): true
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
    case .null: "null"
    case .plain(let value): value.kind
    case .object(let type, _): type.name
    }
  }
}

/// The class of an archived object, as its archive names it.
struct ArchivedClass {
  enum Role {
    case mapped(any (Codable & Sendable).Type)
    case foundation(FoundationClass)
    case unknown

    var foundation: FoundationClass? { if case .foundation(let kind) = self { kind } else { nil } }
  }

  let name: String
  /// The class name without the module of a Swift class.
  let tag: ArchiveTag
  let role: Role
  /// The superclass that provides the type, if the class itself has none.
  let substitute: String?

  /// Creates a class from its name and those of its superclasses, nearest first. A name is looked up only in the
  /// caller's map and among Foundation's classes.
  init(_ ancestry: [String], _ types: [String: any (Codable & Sendable).Type]) {
    name = ancestry.first ?? ""
    tag = ArchiveTag(ArchivedClass.withoutModule(name) ?? name)
    for ancestor in ancestry {
      guard
        let role = types[ancestor].map({ Role.mapped($0) })
          ?? FoundationClass(className: ancestor).map({ .foundation($0) })
          ?? ArchivedClass.withoutModule(ancestor).flatMap({ types[$0] }).map({ .mapped($0) })
      else { continue }
      self.role = role
      substitute = ancestor == name ? nil : ancestor
      return
    }
    role = .unknown
    substitute = nil
  }

  /// Whether it is a class of Foundation, perhaps one that is not public.
  var isOfFoundation: Bool { name.hasPrefix("NS") || name.hasPrefix("_") }

  /// Whether it is a subclass of a class of Foundation, and archived fields of its own beside those.
  func adds(to fields: PropertyListDictionary) -> Bool {
    role.foundation != nil && substitute != nil && !isOfFoundation
      && fields.fields.contains { !$0.name.hasPrefix("NS") && $0.name != PropertyListDictionary.classField }
  }

  /// Removes the module's name, with which a Swift class is archived unless it has another name for Objective-C.
  private static func withoutModule(_ name: String) -> String? {
    if let nested = nestedName(name) { return nested }
    let parameters = name.drop { $0 != "<" }
    return name[..<parameters.startIndex].split(separator: ".").last.map { String($0) + parameters }
  }

  /// Returns the name of a nested or private Swift class, which is archived in mangled form: `Garage.Slot` for
  /// `_TtCC3App6Garage4Slot`. Returns `nil` for other names, including those of generic classes.
  private static func nestedName(_ name: String) -> String? {
    guard name.hasPrefix("_Tt") else { return nil }
    let kinds = name.utf8.dropFirst(3).prefix { "CVO".utf8.contains($0) }
    var rest = name.utf8[kinds.endIndex...]
    var names: [String] = []
    while !rest.isEmpty {
      // The name of a private type follows another one that tells its file.
      let isFile = rest.first == UInt8(ascii: "P")
      if isFile { rest.removeFirst() }
      let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      rest = rest[digits.endIndex...]
      guard let count = Int(String(decoding: digits, as: UTF8.self)), count > 0, count <= rest.count else { return nil }
      if !isFile { names.append(String(decoding: rest.prefix(count), as: UTF8.self)) }
      rest = rest.dropFirst(count)
    }
    return names.count == kinds.count + 1 && names.count > 1 ? names.dropFirst().joined(separator: ".") : nil
  }
}

/// A value of an archive, and its path from the top-level value.
final class ArchivedPlace {
  let node: ArchivedNode
  let depth: Int
  private let key: (any CodingKey)?
  private let parent: ArchivedPlace?
  /// Whether the value is in another archive than its parent, whose data that is. The identifiers are those of one.
  private let isInData: Bool

  /// Creates the place of a top-level value or, with a parent, of one inside it. The root object of an archive in data
  /// has no key.
  init(
    _ node: ArchivedNode, _ key: (any CodingKey)? = nil, in parent: ArchivedPlace? = nil, isInData: Bool = false
  ) {
    (self.node, self.key, self.parent, self.isInData) = (node, key, parent, isInData)
    depth = (parent?.depth ?? 0) + (key == nil ? 0 : 1)
  }

  var path: [any CodingKey] {
    var keys: [any CodingKey] = []
    var place = self
    while let parent = place.parent {
      if let key = place.key { keys.append(key) }
      place = parent
    }
    return keys.reversed()
  }

  /// Returns a value inside this one. Throws ``ImportFailure`` if that value contains this one, or is nested too
  /// deeply.
  func child(_ node: ArchivedNode, _ key: any CodingKey, maximumDepth: Int) throws -> ArchivedPlace {
    let child = ArchivedPlace(node, key, in: self)
    guard child.depth <= maximumDepth else { throw ImportFailure.tooDeep(maximumDepth, at: child.path) }
    if let around = place(of: node) { throw ImportFailure.cycle(of: node.kind, from: child.path, to: around.path) }
    return child
  }

  /// Returns whether this value is a given one, or is inside it.
  func isInside(_ node: ArchivedNode) -> Bool {
    place(of: node) != nil
  }

  /// Returns the place of a value if the value is this one or contains it.
  private func place(of node: ArchivedNode) -> ArchivedPlace? {
    if case .null = node.content { return nil }
    var ancestor: ArchivedPlace? = self
    while let place = ancestor {
      if place.node.id == node.id { return place }
      ancestor = place.isInData ? nil : place.parent
    }
    return nil
  }
}

/// The fields of an object of one of Foundation's classes, each of a known type.
struct ArchivedRecord {
  let fields: PropertyListDictionary
  let place: ArchivedPlace
  let session: UnarchivingSession

  var path: [any CodingKey] { place.path }

  var malformed: ImportFailure {
    var failure = ImportFailure.malformed(
      "an object of the class \(place.node.kind.quoted) does not have the form of its class", at: path)
    failure.isUnknownForm = true
    return failure
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

  func geometry(_ name: String, _ type: Any.Type) throws -> any Sendable {
    guard let value = geometricValue(type, in: try text(name)) else { throw malformed }
    return value
  }
}
