import FoundationCore

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

/// A generic type of the standard library that is named after its only type argument, such as `Range<Int>`. The name is
/// composed, rather than taken from the runtime, so that it contains the stable tag of a type that was renamed.
protocol GenericType: CompositeType {
  static var genericName: String { get }
  static var argument: Any.Type { get }
}

extension GenericType {
  static func compositeTag(in registry: TypeRegistry) -> ArchiveTag {
    ArchiveTag("\(genericName)<\(registry.tag(for: argument))>")
  }

  static func accepts(_ name: CompositeName, in registry: TypeRegistry) -> Bool {
    guard case .generic(genericName, let argument) = name else { return false }
    return registry.acceptsElement(argument, as: self.argument)
  }
}

extension GenericType where Self: SIMD {
  static var genericName: String { "SIMD\(scalarCount)" }
  static var argument: Any.Type { Scalar.self }
}

extension SIMD2: GenericType {}
extension SIMD3: GenericType {}
extension SIMD4: GenericType {}
extension SIMD8: GenericType {}
extension SIMD16: GenericType {}
extension SIMD32: GenericType {}
extension SIMD64: GenericType {}

extension ContiguousArray: GenericType {
  static var genericName: String { "ContiguousArray" }
  static var argument: Any.Type { Element.self }
}

extension CollectionDifference: GenericType {
  static var genericName: String { "CollectionDifference" }
  static var argument: Any.Type { ChangeElement.self }
}

extension Range: GenericType {
  static var genericName: String { "Range" }
  static var argument: Any.Type { Bound.self }
}

extension ClosedRange: GenericType {
  static var genericName: String { "ClosedRange" }
  static var argument: Any.Type { Bound.self }
}

extension PartialRangeFrom: GenericType {
  static var genericName: String { "PartialRangeFrom" }
  static var argument: Any.Type { Bound.self }
}

extension PartialRangeThrough: GenericType {
  static var genericName: String { "PartialRangeThrough" }
  static var argument: Any.Type { Bound.self }
}

extension PartialRangeUpTo: GenericType {
  static var genericName: String { "PartialRangeUpTo" }
  static var argument: Any.Type { Bound.self }
}

// Not a `GenericType`, because it can have several type arguments. Without registration, only a predicate about a
// single value is read.
extension Predicate: CompositeType {
  static func compositeTag(in registry: TypeRegistry) -> ArchiveTag {
    var inputs: [String] = []
    repeat inputs.append(registry.tag(for: (each Input).self).name)
    return ArchiveTag("Predicate<\(inputs.joined(separator: ", "))>")
  }

  static func accepts(_ name: CompositeName, in registry: TypeRegistry) -> Bool {
    guard case .generic("Predicate", let argument) = name else { return false }
    var inputs: [Any.Type] = []
    repeat inputs.append((each Input).self)
    return inputs.count == 1 && registry.acceptsElement(argument, as: inputs[0])
  }
}

/// Returns the generic type with a name and a type argument, or `nil` if there is none or the argument does not fit.
func genericType(
  named name: String, of argument: any (Codable & Sendable).Type
) -> (any (Codable & Sendable).Type)? {
  switch name {
  case "ContiguousArray": contiguousArrayType(of: argument)
  case "CollectionDifference": differenceType(of: argument)
  case "SortDescriptor": sortDescriptorType(of: argument)
  case "Predicate": predicateType(of: argument)
  case _ where name.hasPrefix("SIMD"):
    (argument as? any (Codable & Sendable & SIMDScalar).Type).flatMap { vectorType(named: name, of: $0) }
  default:
    (argument as? any (Codable & Sendable & Comparable).Type).flatMap { rangeType(named: name, of: $0) }
  }
}

private func contiguousArrayType<T: Codable & Sendable>(of _: T.Type) -> any (Codable & Sendable).Type {
  ContiguousArray<T>.self
}

private func differenceType<T: Codable & Sendable>(of _: T.Type) -> any (Codable & Sendable).Type {
  CollectionDifference<T>.self
}

private func sortDescriptorType<T: Codable & Sendable>(of _: T.Type) -> (any (Codable & Sendable).Type)? {
  let descriptor = TypeRegistry.sortDescriptor as? any RareGenericType.Type
  return descriptor?.type(of: T.self) as? any (Codable & Sendable).Type
}

/// Returns the type of a predicate about one value. It is `Codable` on Apple's systems only.
private func predicateType<T: Codable & Sendable>(of _: T.Type) -> (any (Codable & Sendable).Type)? {
  let type: Any.Type = Predicate<T>.self
  return type as? any (Codable & Sendable).Type
}

/// Returns the type of a vector of scalars. It is `Sendable`, but the compiler could know that only from its storage.
private func vectorType<T: Codable & Sendable & SIMDScalar>(
  named name: String, of _: T.Type
) -> (any (Codable & Sendable).Type)? {
  let type: Any.Type? =
    switch name {
    case "SIMD2": SIMD2<T>.self
    case "SIMD3": SIMD3<T>.self
    case "SIMD4": SIMD4<T>.self
    case "SIMD8": SIMD8<T>.self
    case "SIMD16": SIMD16<T>.self
    case "SIMD32": SIMD32<T>.self
    case "SIMD64": SIMD64<T>.self
    default: nil
    }
  return type as? any (Codable & Sendable).Type
}

private func rangeType<T: Codable & Sendable & Comparable>(
  named name: String, of _: T.Type
) -> (any (Codable & Sendable).Type)? {
  switch name {
  case "Range": Range<T>.self
  case "ClosedRange": ClosedRange<T>.self
  case "PartialRangeFrom": PartialRangeFrom<T>.self
  case "PartialRangeThrough": PartialRangeThrough<T>.self
  case "PartialRangeUpTo": PartialRangeUpTo<T>.self
  default: nil
  }
}
