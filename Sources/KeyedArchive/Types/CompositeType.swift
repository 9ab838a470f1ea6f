/// A type that is named after its type arguments.
protocol CompositeType {
  static func compositeTag(in registry: TypeRegistry) -> ArchiveTag

  /// Returns whether values stored under a composite name can be read as this type.
  static func accepts(_ name: CompositeName, in registry: TypeRegistry) -> Bool
}

/// The parsed form of a composite type's tag.
///
///     [Element]   [Key:Value]   Set<Element>   Wrapped?   Range<Bound>
package enum CompositeName {
  case array(String)
  case dictionary(key: String, value: String)
  case set(String)
  case optional(String)
  /// Another type of the standard library with one argument; see ``GenericType``.
  case generic(String, String)

  /// Parses the outermost level of a name. Returns `nil` if the name is not that of a composite type.
  package init?(_ name: String) {
    if name.hasSuffix("?") {
      self = .optional(String(name.dropLast()))
    } else if name.hasPrefix("Set<"), name.hasSuffix(">") {
      self = .set(String(name.dropFirst(4).dropLast()))
    } else if name.hasPrefix("["), name.hasSuffix("]") {
      let inner = name.dropFirst().dropLast()
      var depth = 0
      for index in inner.indices {
        switch inner[index] {
        case "[", "<": depth += 1
        case "]", ">": depth -= 1
        case ":" where depth == 0:
          self = .dictionary(key: String(inner[..<index]), value: String(inner[inner.index(after: index)...]))
          return
        default: break
        }
      }
      self = .array(String(inner))
    } else if name.hasSuffix(">"), let start = name.firstIndex(of: "<") {
      self = .generic(String(name[..<start]), String(name[name.index(after: start)...].dropLast()))
    } else {
      return nil
    }
  }
}

extension Array: CompositeType {
  static func compositeTag(in registry: TypeRegistry) -> ArchiveTag {
    ArchiveTag("[\(registry.tag(for: Element.self))]")
  }

  static func accepts(_ name: CompositeName, in registry: TypeRegistry) -> Bool {
    guard case .array(let element) = name else { return false }
    return registry.acceptsElement(element, as: Element.self)
  }
}

extension Set: CompositeType {
  static func compositeTag(in registry: TypeRegistry) -> ArchiveTag {
    ArchiveTag("Set<\(registry.tag(for: Element.self))>")
  }

  static func accepts(_ name: CompositeName, in registry: TypeRegistry) -> Bool {
    guard case .set(let element) = name else { return false }
    return registry.acceptsElement(element, as: Element.self)
  }
}

extension Dictionary: CompositeType {
  static func compositeTag(in registry: TypeRegistry) -> ArchiveTag {
    ArchiveTag("[\(registry.tag(for: Key.self)):\(registry.tag(for: Value.self))]")
  }

  static func accepts(_ name: CompositeName, in registry: TypeRegistry) -> Bool {
    guard case .dictionary(let key, let value) = name else { return false }
    return registry.acceptsElement(key, as: Key.self) && registry.acceptsElement(value, as: Value.self)
  }
}

extension Optional: CompositeType {
  static func compositeTag(in registry: TypeRegistry) -> ArchiveTag {
    ArchiveTag("\(registry.tag(for: Wrapped.self))?")
  }

  static func accepts(_ name: CompositeName, in registry: TypeRegistry) -> Bool {
    guard case .optional(let wrapped) = name else { return false }
    return registry.acceptsElement(wrapped, as: Wrapped.self)
  }
}

extension TypeRegistry {
  /// Returns whether elements stored under a name can be read as a type. Types of the standard library are left to
  /// decoding, which converts values if nothing is lost: an array of `Int32` can be read as an array of `Int`. A class
  /// can hold its subclasses, whose own tags decide. An `ArchiveValue` can hold any value.
  func acceptsElement(_ name: String, as type: Any.Type) -> Bool {
    if accepts(ArchiveTag(name), as: type) || type is AnyObject.Type || type == ArchiveValue.self { return true }
    return TypeRegistry.standardType(named: name) != nil
      && TypeRegistry.standardType(named: tag(for: type).name) != nil
  }
}
