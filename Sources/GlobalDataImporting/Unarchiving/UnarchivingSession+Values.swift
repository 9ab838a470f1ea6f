import Foundation
import GlobalData
import KeyedArchive

// Values whose types are in the archive.

extension UnarchivingSession {
  /// Returns a value by its class in the archive: an object of a mapped class as the type in the map, an object of a
  /// Foundation class as a Swift type, null as `ArchiveValue.null`. Another object becomes a tree if unknown classes
  /// are kept; otherwise, this throws ``ImportFailure``.
  func value(of position: ArchivedPosition) throws -> any Sendable {
    if position.node.isNull { return ArchiveValue.null }
    if mappedObjects.contains(position.node.id), case .object(let type, let fields) = position.node.content {
      // The object's own type reads it as a tree, as `ArchiveValue` does.
      return try tree(of: type, fields, position)
    }
    if unknownClasses == .keepAsTrees, case .object(let type, let fields) = position.node.content, type.adds(to: fields)
    {
      return try once(position.node.id, (any Sendable).self) { try tree(of: type, fields, position) }
    }
    do {
      if let leaf = try leaf(of: position) { return try unarchived(leaf, at: position) ?? leaf }
      return try once(position.node.id, (any Sendable).self) { try container(position) }
    } catch let failure as ImportFailure where failure.isUnknownForm && failure.path.count == position.depth {
      guard unknownClasses == .keepAsTrees, case .object(let type, let fields) = position.node.content else {
        throw failure
      }
      return try tree(of: type, fields, position)
    }
  }

  /// Returns the value of a field or an element. If unknown classes are kept, a reference back to an enclosing object
  /// is null.
  private func value(
    at reference: PropertyListValue.Reference, _ key: any CodingKey, of position: ArchivedPosition
  ) throws -> any Sendable {
    if unknownClasses == .keepAsTrees {
      let node = try node(at: reference) { position.path + [key] }
      if position.isInside(node) {
        findings.noteCutReference(to: node.kind)
        return ArchiveValue.null
      }
    }
    return try value(of: child(reference, key, of: position))
  }

  /// Returns an object as a tree of its fields.
  private func tree(
    of type: ArchivedClass, _ fields: PropertyListDictionary, _ position: ArchivedPosition
  ) throws -> ArchiveValue {
    let length = type.tag.name.utf8.count
    guard length > 0, length <= limits.maximumTagLength else {
      throw ImportFailure.malformed("the name of a class has \(length) bytes", at: position.path)
    }
    // An object with a reference back, or in an unknown form, becomes a tree again in each place.
    try pay(PropertyListBudget.itemCost * (1 + fields.fields.count), at: position.path)
    var object = ArchiveObject(tag: type.tag)
    for (name, reference) in fields.archivedFields {
      guard object[name] == nil else { throw ImportFailure.doubleKey(name, at: position.path) }
      object[name] = try tree(value(at: reference, AnyCodingKey(stringValue: name), of: position))
    }
    findings.noteConversion(of: type.name, to: "ArchiveValue")
    return .object(object)
  }

  private func container(_ position: ArchivedPosition) throws -> any Sendable {
    switch position.node.content {
    case .object(let type, let fields):
      noteSubstitute(of: type, position.node.id)
      switch type.role {
      case .mapped(let mapped):
        return try creating(position.node.id) { try decode(mapped, from: position) }
      case .foundation(.dictionary): return try dictionary(position, fields)
      case .foundation(.set): return uniqueElements(try array(position))
      case .foundation(.orderedSet):
        findings.noteConversion(of: "NSOrderedSet", to: "Array")
        return try array(position)
      case .foundation(.array): return try array(position)
      case .foundation, .unknown:
        guard unknownClasses == .keepAsTrees else { throw ImportFailure.unmapped(type, at: position.path) }
        return try tree(of: type, fields, position)
      }
    case .plain(.array): return try array(position)
    case .plain(.dictionary(let fields)):
      var values: [String: any Sendable] = [:]
      for (name, reference) in fields.fields {
        values[name] = try value(at: reference, AnyCodingKey(stringValue: name), of: position)
      }
      return values
    case .plain:
      throw ImportFailure.malformed("expected a value, but found \(position.node.kind)", at: position.path)
    }
  }

  private func array(_ position: ArchivedPosition) throws -> [any Sendable] {
    try (elements(of: position) ?? []).enumerated().map { index, reference in
      try value(at: reference, AnyCodingKey(index: index), of: position)
    }
  }

  private func dictionary(_ position: ArchivedPosition, _ fields: PropertyListDictionary) throws -> any Sendable {
    let pairs = try pairs(of: fields, position).map { pair in
      let key = try value(at: pair.key, AnyCodingKey(stringValue: "key"), of: position)
      // Not every value in a file can be described: Foundation traps for a date beyond its calendar.
      let name = AnyCodingKey(stringValue: (key as? any LosslessStringConvertible)?.description ?? "\(type(of: key))")
      return (key: key, value: try value(at: pair.value, name, of: position))
    }
    let names = pairs.compactMap { $0.key as? String }
    guard names.count == pairs.count else { return try map(pairs, position) }
    var values: [String: any Sendable] = [:]
    for (name, pair) in zip(names, pairs) where values.updateValue(pair.value, forKey: name) != nil {
      throw ImportFailure.doubleKey(name, at: position.path)
    }
    return values
  }

  /// Returns a dictionary whose keys are not all text.
  private func map(
    _ pairs: [(key: any Sendable, value: any Sendable)], _ position: ArchivedPosition
  ) throws -> ArchiveValue {
    var keys: Set<ArchiveValue> = []
    return .map(
      try pairs.map { pair in
        let key = try tree(pair.key)
        guard keys.insert(key).inserted else { throw ImportFailure.doubleKey(key.diagnostic, at: position.path) }
        return ArchiveValue.Pair(key: key, value: try tree(pair.value))
      })
  }

  /// Returns the elements of a set: as a set if they differ and have one hashable type, otherwise as an array. Two
  /// objects with the same fields do not differ.
  private func uniqueElements(_ elements: [any Sendable]) -> any Sendable {
    guard let first = elements.first else { return elements }
    let trees = elements.compactMap { $0 as? ArchiveValue }
    if trees.count == elements.count, Set(trees).count == trees.count { return ArchiveValue.set(trees) }
    guard trees.isEmpty, let type = type(of: first) as? any (Codable & Sendable & Hashable).Type,
      let set = uniqueElements(elements, as: type)
    else {
      findings.noteConversion(of: "NSSet", to: "Array")
      return elements
    }
    return set
  }

  private func uniqueElements<Element: Codable & Sendable & Hashable>(
    _ elements: [any Sendable], as _: Element.Type
  ) -> (any Sendable)? {
    // Each set of sets would have another type, with a longer name.
    guard registry.tag(for: Set<Element>.self).name.utf8.count <= limits.maximumTagLength else { return nil }
    // Elements that differ in Foundation can be equal in Swift, as two spellings of one text are.
    let set = Set(elements.compactMap { $0 as? Element })
    return set.count == elements.count ? set : nil
  }

  /// Returns a value as a tree with the names of its types.
  func tree(_ value: any Sendable) throws -> ArchiveValue {
    if let tree = value as? ArchiveValue { return tree }
    // Collections of trees must not be encoded and decoded again at each level.
    if let elements = value as? [any Sendable] { return .array(try elements.map(tree)) }
    if let fields = value as? [String: any Sendable] {
      var object = ArchiveObject()
      for (name, value) in fields.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        object[name] = try tree(value)
      }
      return .object(object)
    }
    return try KeyedArchiveDecoder(registry: registry, limits: limits)
      .decode(ArchiveValue.self, from: KeyedArchiveEncoder(registry: registry, limits: limits).encode(value))
  }

  /// Records once that an object is read as its superclass, or a text without its attributes. Foundation's own
  /// subclasses lose nothing.
  func noteSubstitute(of type: ArchivedClass, _ id: PropertyListValue.Reference) {
    let substitute = type.isOfFoundation ? nil : type.substitute
    let hasAttributes = type.role.foundation == .attributedString
    guard substitute != nil || hasAttributes, substituted.insert(id).inserted else { return }
    if hasAttributes { findings.noteConversion(of: "NSAttributedString", to: "String") }
    if let substitute { findings.noteConversion(of: type.name, to: substitute) }
  }
}
