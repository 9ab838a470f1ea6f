import Foundation
import KeyedArchive

// Values of types that a caller or a property declares.

extension UnarchivingSession {
  func decode<Value: Decodable>(_ type: Value.Type, from position: ArchivedPosition) throws -> Value {
    if let value = try leafValue(type, of: position) ?? dynamicValue(type, of: position) { return value }
    try checkComponents(type, position)
    let mapped = mappedType(type, of: position.node)
    let isOfList = Value.self is any ListType.Type
    return try once(position.node.id, mapped) {
      let decoder = UnarchivingDecoder(session: self, position: position, isOfList: isOfList)
      guard case .object(let archived, _) = position.node.content, case .mapped(let own) = archived.role, own == mapped
      else { return try mapped.init(from: decoder) }
      return try creating(position.node.id) { try mapped.init(from: decoder) }
    }
  }

  /// Calls a function that creates an object as the type that the map has for its class.
  func creating<Value>(_ object: PropertyListValue.Reference, _ create: () throws -> Value) rethrows -> Value {
    let isOutermost = mappedObjects.insert(object).inserted
    defer { if isOutermost { mappedObjects.remove(object) } }
    return try create()
  }

  /// Returns the type that an object is decoded as: the declared type, or its subclass that the map has for the class.
  private func mappedType<Value: Decodable>(_ type: Value.Type, of node: ArchivedNode) -> Value.Type {
    guard case .object(let archived, _) = node.content, case .mapped(let mapped) = archived.role else { return type }
    noteSubstitute(of: archived, node.id)
    return mapped as? Value.Type ?? type
  }

  /// Refuses to read Foundation's own objects as the types that would be empty then: all fields of these are optional,
  /// and have other names than in an archive. Also refuses types whose `init(from:)` traps on invalid parts, because no
  /// archived object has their fields.
  private func checkComponents(_ type: Any.Type, _ position: ArchivedPosition) throws {
    let trappingTypes: [Any.Type] = [IndexSet.self, CharacterSet.self, URLComponents.self]
    if trappingTypes.contains(where: { $0 == type }) { throw mismatch(type, position) }
    guard type == DateComponents.self || type == PersonNameComponents.self,
      case .object(let archived, _) = position.node.content, case .unknown = archived.role, archived.isOfFoundation
    else { return }
    throw mismatch(type, position)
  }

  // MARK: Values that hold no others

  private func leafValue<Value: Decodable>(_ type: Value.Type, of position: ArchivedPosition) throws -> Value? {
    guard let leaf = try leaf(of: position) else { return nil }
    if let value = leaf as? Value { return value }
    if let value = converted(leaf, to: type) as? Value { return value }
    // Their own `init(from:)` would misread a number or a text.
    let exactTypes: [Any.Type] = [Date.self, URL.self, UUID.self, Decimal.self]
    if exactTypes.contains(where: { $0 == type }) { throw mismatch(type, position) }
    return nil
  }

  /// Converts a value to another type if nothing is lost.
  private func converted(_ leaf: any Sendable, to type: Any.Type) -> (any Sendable)? {
    switch (leaf, type) {
    case (let text as String, is URL.Type): return URL(string: text)
    case (let text as String, is UUID.Type): return UUID(uuidString: text)
    case (let text as String, is AttributedString.Type): return AttributedString(text)
    case (let text as String, _): return geometricValue(type, in: text)
    case (let number as Int, is Decimal.Type): return Decimal(number)
    case (let number as UInt64, is Decimal.Type): return Decimal(number)
    case (let number as Double, is Decimal.Type): return Decimal(string: number.description)
    default: return nil
    }
  }

  // MARK: Values whose types are in the archive

  private func dynamicValue<Value: Decodable>(_ type: Value.Type, of position: ArchivedPosition) throws -> Value? {
    if type == ArchiveValue.self { return try tree(value(of: position)) as? Value }
    guard let wrapper = type as? any DynamicallyImported.Type else { return nil }
    let value: (any Sendable)? = position.node.isNull ? nil : try value(of: position)
    guard let wrapped = wrapper.init(imported: value) as? Value else { throw mismatch(type, position) }
    return wrapped
  }

  // MARK: Errors

  func mismatch(_ type: Any.Type, _ position: ArchivedPosition) -> DecodingError {
    let isNull = position.node.isNull
    let context = DecodingError.Context(
      codingPath: position.path, debugDescription: "expected \(type), but found \(isNull ? "null" : position.node.kind)"
    )
    return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

/// A wrapper of values whose types are only known at run time.
private protocol DynamicallyImported {
  /// Wraps a value. Returns `nil` if the value is not of the declared type.
  init?(imported value: (any Sendable)?)
}

extension Polymorphic: DynamicallyImported {
  fileprivate init?(imported value: (any Sendable)?) {
    guard let wrapped = value.map({ $0 as? Value }) ?? (Optional<any Sendable>.none as? Value) else { return nil }
    self.init(wrappedValue: wrapped)
  }
}

/// A type that reads elements, and never the keys and values of a dictionary in turn.
private protocol ListType {}

extension Array: ListType {}
extension Set: ListType {}
