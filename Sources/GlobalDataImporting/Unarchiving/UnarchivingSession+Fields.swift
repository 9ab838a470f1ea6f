import CodingSupport

// The contents of collections and objects.

/// The named values inside an object or a dictionary.
struct ArchivedFields {
  /// The names as coding keys, in stored order.
  private(set) var names: [String] = []
  private var references: [String: PropertyListValue.Reference] = [:]
  /// The class of the object whose fields these are; `nil` for a dictionary.
  let className: String?

  /// Creates the fields of an object or, without a class, of a dictionary. Throws ``ImportFailure`` if two names are
  /// equal in Swift.
  init(
    of className: String? = nil, _ fields: [(name: String, value: PropertyListValue.Reference)],
    at path: @autoclosure () -> [any CodingKey]
  ) throws {
    self.className = className
    for (name, value) in fields {
      guard references.updateValue(value, forKey: name) == nil else { throw ImportFailure.doubleKey(name, at: path()) }
      names.append(name)
    }
  }

  /// Returns the field of a property, under its name or that of its instance variable.
  func field(_ name: String) -> (name: String, value: PropertyListValue.Reference)? {
    var candidates = [name]
    if className != nil {
      candidates.append("_" + name)
      if name.hasPrefix("_") { candidates.append(String(name.dropFirst())) }
    }
    for candidate in candidates {
      if let reference = references[candidate] { return (candidate, reference) }
    }
    return nil
  }
}

extension PropertyListDictionary {
  /// The fields of an object under the names that an app gave them. The archiver's own names begin with "$", so it adds
  /// another "$" to an app's names that also do. What was archived without a name has a number: "$0", "$1", and so on.
  var archivedFields: [(name: String, value: PropertyListValue.Reference)] {
    fields.filter { $0.name != PropertyListDictionary.classField }.map { name, value in
      (name: name.hasPrefix("$$") ? String(name.dropFirst()) : name, value: value)
    }
  }
}

extension UnarchivingSession {
  /// Returns the elements of a collection, or `nil` for other values. Those of a dictionary are its keys and values in
  /// turn.
  func elements(of position: ArchivedPosition) throws -> [PropertyListValue.Reference]? {
    switch position.node.content {
    case .plain(.array(let elements)): return elements
    case .object(let type, let fields):
      switch type.role.foundation {
      case .array, .set, .orderedSet:
        noteSubstitute(of: type, position.node.id)
        return try list(named: "NS.objects", or: "NS.object.", fields, position)
      case .dictionary:
        noteSubstitute(of: type, position.node.id)
        return try pairs(of: fields, position).flatMap { [$0.key, $0.value] }
      default: return nil
      }
    default: return nil
    }
  }

  /// Returns the fields of an object or a dictionary, or `nil` if the value is neither. Throws ``ImportFailure`` for a
  /// key that is neither text nor an integer.
  func fields(of position: ArchivedPosition) throws -> ArchivedFields? {
    switch position.node.content {
    case .plain(.dictionary(let fields)): return try ArchivedFields(fields.fields, at: position.path)
    case .object(let type, let fields):
      switch type.role {
      case .foundation(.dictionary):
        noteSubstitute(of: type, position.node.id)
        return try ArchivedFields(
          try pairs(of: fields, position).map { (name: try keyText($0.key, position), value: $0.value) },
          at: position.path)
      case .foundation: return nil
      case .mapped, .unknown:
        let fields = try ArchivedFields(of: type.name, fields.archivedFields, at: position.path)
        findings.noteFields(fields.names, of: type.name)
        return fields
      }
    default: return nil
    }
  }

  func pairs(
    of fields: PropertyListDictionary, _ position: ArchivedPosition
  ) throws -> [(key: PropertyListValue.Reference, value: PropertyListValue.Reference)] {
    let keys = try list(named: "NS.keys", or: "NS.key.", fields, position)
    let values = try list(named: "NS.objects", or: "NS.object.", fields, position)
    guard keys.count == values.count else {
      throw ImportFailure.malformed(
        "a dictionary has \(counted(keys.count, "key", "keys")) and \(counted(values.count, "value", "values"))",
        at: position.path)
    }
    return Array(zip(keys, values)).map { (key: $0, value: $1) }
  }

  /// Returns the references of a collection. They are in one array or, from older archivers, each in a numbered field.
  private func list(
    named name: String, or prefix: String, _ fields: PropertyListDictionary, _ position: ArchivedPosition
  ) throws -> [PropertyListValue.Reference] {
    guard let reference = fields[name] else {
      var references: [PropertyListValue.Reference] = []
      while let reference = fields["\(prefix)\(references.count)"] { references.append(reference) }
      // A subclass may have its own form, as `NSCountedSet` does; it must not be read as an empty collection.
      let isOther = references.isEmpty && fields.fields.contains { $0.name != PropertyListDictionary.classField }
      guard !isOther else {
        throw ImportFailure(
          message: "it holds an object of the class \(position.node.kind.quoted) in an unknown form",
          advice: "Add its class to the class map with a type that reads its fields.", path: position.path,
          className: position.node.kind, isUnknownForm: true)
      }
      return references
    }
    guard case .plain(.array(let references)) = try node(at: reference, { position.path }).content else {
      throw ImportFailure.malformed("the elements of \(position.node.kind) are not an array", at: position.path)
    }
    return references
  }

  private func keyText(_ key: PropertyListValue.Reference, _ position: ArchivedPosition) throws -> String {
    let child = try child(key, AnyCodingKey(stringValue: "key"), of: position)
    switch try leaf(of: child) {
    case let text as String: return text
    case let number as Int: return String(number)
    default:
      throw ImportFailure(
        message: "it holds a dictionary with \(child.node.kind) as a key, which is neither a string nor an integer",
        path: position.path)
    }
  }
}
