import KeyedArchive

/// A value of an archive, with the references that lead to it followed.
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
  /// The superclass that has the role, where the class itself has none.
  let substitute: String?

  /// A class by its name and those of its superclasses, the nearest first. A name is looked up among those of the
  /// caller's map and of Foundation's classes, and nowhere else.
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

  /// A Swift class is archived with its module's name, unless it was given another name.
  private static func withoutModule(_ name: String) -> String? {
    name.split(separator: ".").last.map(String.init)
  }
}
