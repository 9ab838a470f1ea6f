import FoundationCore

/// A type that is named after its type arguments.
package protocol CompositeType {
  /// The form and the arguments of the name. The name is composed of them, not taken from the runtime, so that it
  /// contains the stable tags of renamed types.
  static var composition: Composition { get }
}

/// The form of a composite type's name, as in ``CompositeName``, and the types whose names are its arguments.
package typealias Composition = (form: String, arguments: [Any.Type])

/// The parsed form of a composite type's tag: its form, in which "_" stands for each argument, and the arguments.
///
///     [_]          [_:_]          Set<_>         _?          Range<_>
///     [Element]    [Key:Value]    Set<Element>   Wrapped?    Range<Bound>
package struct CompositeName {
  package let form: String
  package let arguments: [String]

  /// Parses the outermost level of a name. Returns `nil` if the name is not that of a composite type.
  package init?(_ name: String) {
    if name.hasSuffix("?") {
      (form, arguments) = ("_?", [String(name.dropLast())])
    } else if name.hasPrefix("["), name.hasSuffix("]") {
      let inner = name.dropFirst().dropLast()
      var depth = 0
      for index in inner.indices {
        switch inner[index] {
        case "[", "<": depth += 1
        case "]", ">": depth -= 1
        case ":" where depth == 0:
          (form, arguments) = ("[_:_]", [String(inner[..<index]), String(inner[inner.index(after: index)...])])
          return
        default: break
        }
      }
      (form, arguments) = ("[_]", [String(inner)])
    } else if name.hasSuffix(">"), let start = name.firstIndex(of: "<") {
      (form, arguments) = ("\(name[...start])_>", [String(name[start...].dropFirst().dropLast())])
    } else {
      return nil
    }
  }
}

extension Array: CompositeType {
  package static var composition: Composition { ("[_]", [Element.self]) }
}

extension Set: CompositeType {
  package static var composition: Composition { ("Set<_>", [Element.self]) }
}

extension Dictionary: CompositeType {
  package static var composition: Composition { ("[_:_]", [Key.self, Value.self]) }
}

extension Optional: CompositeType {
  package static var composition: Composition { ("_?", [Wrapped.self]) }
}

extension CompositeType where Self: SIMD {
  package static var composition: Composition { ("SIMD\(scalarCount)<_>", [Scalar.self]) }
}

extension SIMD2: CompositeType {}
extension SIMD3: CompositeType {}
extension SIMD4: CompositeType {}
extension SIMD8: CompositeType {}
extension SIMD16: CompositeType {}
extension SIMD32: CompositeType {}
extension SIMD64: CompositeType {}

extension ContiguousArray: CompositeType {
  package static var composition: Composition { ("ContiguousArray<_>", [Element.self]) }
}

extension CollectionDifference: CompositeType {
  package static var composition: Composition { ("CollectionDifference<_>", [ChangeElement.self]) }
}

extension Range: CompositeType {
  package static var composition: Composition { ("Range<_>", [Bound.self]) }
}

extension ClosedRange: CompositeType {
  package static var composition: Composition { ("ClosedRange<_>", [Bound.self]) }
}

extension PartialRangeFrom: CompositeType {
  package static var composition: Composition { ("PartialRangeFrom<_>", [Bound.self]) }
}

extension PartialRangeThrough: CompositeType {
  package static var composition: Composition { ("PartialRangeThrough<_>", [Bound.self]) }
}

extension PartialRangeUpTo: CompositeType {
  package static var composition: Composition { ("PartialRangeUpTo<_>", [Bound.self]) }
}

/// A predicate can have several type arguments. Without registration, only one about a single value is read.
extension Predicate: CompositeType {
  package static var composition: Composition {
    var inputs: [Any.Type] = []
    repeat inputs.append((each Input).self)
    return ("Predicate<\(inputs.map { _ in "_" }.joined(separator: ", "))>", inputs)
  }
}

/// Returns the type with the given form and type argument, or `nil` if there is no such type.
func genericType(_ form: String, of argument: any (Codable & Sendable).Type) -> (any (Codable & Sendable).Type)? {
  switch form {
  case "Set<_>": (argument as? any (Codable & Sendable & Hashable).Type).map { setType(of: $0) }
  case _ where form.hasPrefix("SIMD"):
    (argument as? any (Codable & Sendable & SIMDScalar).Type).flatMap { vectorType(form, of: $0) }
  default:
    typeOfAny(form, argument)
      ?? (argument as? any (Codable & Sendable & Comparable).Type).flatMap { rangeType(form, of: $0) }
  }
}

// These calls open existential metatypes. `any T.Type` becomes the type of an array of that type, and so on.

private func typeOfAny<T: Codable & Sendable>(_ form: String, _: T.Type) -> (any (Codable & Sendable).Type)? {
  switch form {
  case "[_]": return [T].self
  case "_?": return T?.self
  case "ContiguousArray<_>": return ContiguousArray<T>.self
  case "CollectionDifference<_>": return CollectionDifference<T>.self
  case "SortDescriptor<_>":
    let descriptor = TypeRegistry.sortDescriptor as? any RareGenericType.Type
    return descriptor?.type(of: T.self) as? any (Codable & Sendable).Type
  case "Predicate<_>":
    // A predicate is `Codable` on Apple's systems only.
    let type: Any.Type = Predicate<T>.self
    return type as? any (Codable & Sendable).Type
  default: return nil
  }
}

func dictionaryType<K: Codable & Sendable & Hashable, V: Codable & Sendable>(
  of _: K.Type, _: V.Type
) -> any (Codable & Sendable).Type { [K: V].self }

private func setType<T: Codable & Sendable & Hashable>(of _: T.Type) -> any (Codable & Sendable).Type { Set<T>.self }

/// Returns the type of a vector of scalars. It is `Sendable`, but the compiler could know that only from its storage.
private func vectorType<T: Codable & Sendable & SIMDScalar>(
  _ form: String, of _: T.Type
) -> (any (Codable & Sendable).Type)? {
  let type: Any.Type? =
    switch form {
    case "SIMD2<_>": SIMD2<T>.self
    case "SIMD3<_>": SIMD3<T>.self
    case "SIMD4<_>": SIMD4<T>.self
    case "SIMD8<_>": SIMD8<T>.self
    case "SIMD16<_>": SIMD16<T>.self
    case "SIMD32<_>": SIMD32<T>.self
    case "SIMD64<_>": SIMD64<T>.self
    default: nil
    }
  return type as? any (Codable & Sendable).Type
}

private func rangeType<T: Codable & Sendable & Comparable>(
  _ form: String, of _: T.Type
) -> (any (Codable & Sendable).Type)? {
  switch form {
  case "Range<_>": Range<T>.self
  case "ClosedRange<_>": ClosedRange<T>.self
  case "PartialRangeFrom<_>": PartialRangeFrom<T>.self
  case "PartialRangeThrough<_>": PartialRangeThrough<T>.self
  case "PartialRangeUpTo<_>": PartialRangeUpTo<T>.self
  default: nil
  }
}
