import KeyedArchive

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
      let digits = rest.prefix(while: \.isDigit)
      rest = rest[digits.endIndex...]
      guard let count = Int(String(decoding: digits, as: UTF8.self)), count > 0, count <= rest.count else { return nil }
      if !isFile { names.append(String(decoding: rest.prefix(count), as: UTF8.self)) }
      rest = rest.dropFirst(count)
    }
    return names.count == kinds.count + 1 && names.count > 1 ? names.dropFirst().joined(separator: ".") : nil
  }
}
