import KeyedArchive

extension ArchiveSchema {
  /// Describes what archives of an earlier schema would lose, or why they could not be read.
  func problems(reading old: ArchiveSchema) -> [String] {
    let schemas = SchemaPair(old: old, new: self)
    var problems: [String] = []
    for (tag, oldShape) in old.types.sorted(by: { $0.key < $1.key }) {
      // The field or key of a removed type reports it.
      let present = schemas.presentName(of: tag)
      guard let shape = types[present] else { continue }
      problems += shape.problems(reading: oldShape, schemas).map { "\(present): \($0)" }
    }
    for (key, oldType) in old.keys.sorted(by: { $0.key < $1.key }) {
      guard let type = keys[key] else {
        problems.append("key \"\(key)\": its model is gone. Add one or list the key in retiredKeys.")
        continue
      }
      if let problem = schemas.problem(oldType, type) { problems.append("key \"\(key)\": \(problem)") }
    }
    return problems
  }
}

extension ModelShape {
  fileprivate func problems(reading old: ModelShape, _ schemas: SchemaPair) -> [String] {
    if version < old.version {
      return ["version \(old.version) was released, but this is version \(version). Raise archiveVersion again."]
    }
    // A migration is responsible for any change. Reading the archives shows whether it works.
    if version > old.version { return [] }
    var oldFields = old.fields
    var readFields: Set<String> = []
    var problems = objectProblems(reading: &oldFields, &readFields, schemas)
    takeApartObjects(among: &oldFields, schemas)
    problems += fieldProblems(reading: oldFields, &readFields, schemas)
    problems += addedFieldProblems(readFields)
    return problems + contentProblems(reading: old.contents, schemas)
  }

  /// Compares the objects that nested paths led into with the fields that now hold them as whole values. Removes the
  /// fields of these objects, which have been compared.
  private func objectProblems(
    reading oldFields: inout [String: String], _ readFields: inout Set<String>, _ schemas: SchemaPair
  ) -> [String] {
    var problems: [String] = []
    for (name, type) in fields.sorted(by: { $0.key < $1.key }) where oldFields[name] == nil && !isEnumeration {
      var object = ModelShape(version: 1)
      object.fields = oldFields.inside(name)
      guard !object.fields.isEmpty, let shape = schemas.new.types[type.withoutQuestionMark] else { continue }
      problems += shape.problems(reading: object, schemas).map { "in the field \"\(name)\", \($0)" }
      readFields.insert(name)
      for inner in object.fields.keys { oldFields["\(name).\(inner)"] = nil }
    }
    return problems
  }

  /// Replaces the fields that held whole objects, and into which nested paths lead now, by the fields of these objects.
  private func takeApartObjects(among oldFields: inout [String: String], _ schemas: SchemaPair) {
    let formerPaths = formerFieldNames.values.joined()
    for (name, type) in oldFields
    where fields[name] == nil && (!fields.inside(name).isEmpty || formerPaths.contains { $0.hasPrefix(name + ".") }) {
      let tag = type.withoutQuestionMark
      guard let shape = schemas.old.types[tag], !shape.isEnumeration else { continue }
      // Paths skip the migrations of the object's type.
      if let present = schemas.new.types[schemas.presentName(of: tag)], present.version > shape.version { continue }
      oldFields[name] = nil
      for (inner, type) in shape.fields { oldFields["\(name).\(inner)"] = type }
      // An inner field may hold an object, too.
      return takeApartObjects(among: &oldFields, schemas)
    }
  }

  private func fieldProblems(
    reading oldFields: [String: String], _ readFields: inout Set<String>, _ schemas: SchemaPair
  ) -> [String] {
    var problems: [String] = []
    for (name, oldType) in oldFields.sorted(by: { $0.key < $1.key }) {
      let newName = fields[name] != nil ? name : formerFieldNames.first { $0.value.contains(name) }?.key
      guard let newName, let type = fields[newName] else {
        if !keepsUnknownFields, !isEnumeration || showsCase(of: name) {
          problems.append(
            "the field \"\(name)\" of type \(oldType) is gone; the next write loses its stored values. "
              + (isEnumeration
                ? "Raise archiveVersion and rename or remove it in migrate(_:from:)."
                : "If it was renamed, add its old name to formerFieldNames, or to a model's formerly:. "
                  + "Otherwise raise archiveVersion and remove it in migrate(_:from:).")
          )
        }
        continue
      }
      readFields.insert(newName)
      if let problem = schemas.problem(oldType, type, hasDefault: hasDefault(newName)) {
        problems.append("the field \"\(newName)\" \(problem)")
      }
    }
    return problems
  }

  private func addedFieldProblems(_ readFields: Set<String>) -> [String] {
    fields.sorted { $0.key < $1.key }.compactMap { name, type in
      guard !readFields.contains(name), !type.hasSuffix("?"), !hasDefault(name), !isEnumeration else { return nil }
      return
        "the field \"\(name)\" of type \(type) was added, and archives do not have it. Make it optional; give it a value in "
        + "archiveDefaults; or raise archiveVersion and set it in migrate(_:from:)."
    }
  }

  private func contentProblems(reading old: Set<String>, _ schemas: SchemaPair) -> [String] {
    let new = contents.subtracting(old)
    guard !old.isEmpty, !new.allSatisfy({ new in old.contains { schemas.problem($0, new) == nil } }) else { return [] }
    return [
      "it stored \(old.sorted().joined(separator: ", ")) and now stores "
        + "\(new.sorted().joined(separator: ", ")). Raise archiveVersion and implement migrate(_:from:)."
    ]
  }

  /// Returns whether the sample of an enum has the case that a field belongs to.
  private func showsCase(of field: String) -> Bool {
    guard let name = field.split(separator: ".").first else { return false }
    return fields.keys.contains { $0.split(separator: ".").first == name }
  }
}

/// A recorded schema, and the one that has to read its values.
private struct SchemaPair {
  let old: ArchiveSchema
  let new: ArchiveSchema
  /// The current tags of types, by their former tags.
  private let renamedTypes: [String: String]
  /// The generic types that are being compared, each in its old and its new form.
  private var openTypes: Set<[String]> = []

  init(old: ArchiveSchema, new: ArchiveSchema) {
    self.old = old
    self.new = new
    let formerTags = new.types.mapValues(\.formerTags).merging(new.superclasses) { first, _ in first }
    renamedTypes = Dictionary(
      formerTags.flatMap { tag, former in former.map { ($0, tag) } }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns a type's name with current tags instead of former ones.
  func presentName(of type: String) -> String {
    if let name = renamedTypes[type] { return name }
    var result = ""
    var rest = type[...]
    while let first = rest.first {
      let name = rest.prefix { !"[]<>:?, ".contains($0) }
      // The tag of a generic type contains the names of its arguments.
      let whole = rest.prefix(throughArgumentsOf: name)
      if let present = renamedTypes[String(whole)] {
        result += present
        rest = rest[whole.endIndex...]
      } else if name.isEmpty {
        result.append(first)
        rest.removeFirst()
      } else {
        result += renamedTypes[String(name)] ?? String(name)
        rest = rest[name.endIndex...]
      }
    }
    return result
  }

  /// Describes the problem of a field whose type changes. Returns `nil` if the new type can hold all values of the old
  /// one.
  func problem(_ old: String, _ new: String, hasDefault: Bool = false) -> String? {
    let renamed = presentName(of: old)
    if isLossless(renamed, new) { return nil }
    guard renamed.hasSuffix("?"), !new.hasSuffix("?"), isLossless(String(renamed.dropLast()), new) else {
      return
        "changed from type \(old) to \(new), which cannot hold all its values. Raise archiveVersion and convert the "
        + "old values in migrate(_:from:). If the type was only renamed, add its old name to formerArchiveTags."
    }
    return hasDefault
      ? nil
      : "was optional and is no longer: archives may not have it. Give it a value in archiveDefaults; or raise "
        + "archiveVersion and set it in migrate(_:from:)."
  }

  private func isLossless(_ old: String, _ new: String) -> Bool {
    if old == new || self.new.polymorphicTypes.contains(new) && isPolymorphic(old) { return true }
    if new.hasSuffix("?") {
      return isLossless(old.hasSuffix("?") ? String(old.dropLast()) : old, String(new.dropLast()))
    }
    // A tree holds any value, but no field that is absent.
    if new == "OpenEnum<\(old)>" || new == "ArchiveValue" && !old.hasSuffix("?") { return true }
    if let old = CompositeName(old), let new = CompositeName(new), SchemaPair.holds(old.form, as: new.form) {
      return zip(old.arguments, new.arguments).allSatisfy(isLossless)
    }
    if let raw = self.old.rawType(of: old), isLossless(raw, new) { return true }
    // An enum that is not open cannot hold all raw values.
    if new.hasPrefix("OpenEnum<"), let raw = self.new.rawType(of: new), isLossless(old, raw) { return true }
    return SchemaPair.wider[old]?.contains(new) ?? isSameGeneric(old, new)
  }

  /// Returns whether a recorded type is that of a polymorphic field: its elements have no values but those of other
  /// types.
  private func isPolymorphic(_ type: String) -> Bool {
    if let name = CompositeName(type), let element = name.arguments.last,
      ArchiveSchema.standardForms.contains(name.form)
    {
      return isPolymorphic(element)
    }
    return type != "Any" && old.types[type] == nil && !TypeRegistry.shared.isStandard(ArchiveTag(type))
  }

  /// Returns whether collections of a form can be read as those of another. A set is an array of its elements.
  private static func holds(_ old: String, as new: String) -> Bool {
    if old == new { return ArchiveSchema.standardForms.contains(new) }
    return ["[_]", "ContiguousArray<_>"].contains(new) && ["[_]", "ContiguousArray<_>", "Set<_>"].contains(old)
  }

  /// Returns whether two types are the same generic type and store the same. The name of a generic type changes with
  /// the names of its arguments.
  private func isSameGeneric(_ old: String, _ new: String) -> Bool {
    guard let form = CompositeName(old)?.form, CompositeName(new)?.form == form,
      let oldShape = self.old.types[old], let newShape = self.new.types[new]
    else { return false }
    var inside = self
    // A type that contains itself has no other problems than those that its comparison finds anyway.
    guard inside.openTypes.insert([old, new]).inserted else { return true }
    return newShape.problems(reading: oldShape, inside).isEmpty
  }

  /// The types that a value of each type can be read as, because they hold all its values.
  private static let wider: [String: Set<String>] = [
    "Int8": ["Int16", "Int32", "Int64", "Int", "Int128", "Float", "Double", "CGFloat", "Decimal"],
    "Int16": ["Int32", "Int64", "Int", "Int128", "Float", "Double", "CGFloat", "Decimal"],
    "Int32": ["Int64", "Int", "Int128", "Double", "CGFloat", "Decimal"],
    "Int64": ["Int", "Int128", "Decimal"],
    "Int": ["Int64", "Int128", "Decimal"],
    "UInt8": [
      "UInt16", "UInt32", "UInt64", "UInt", "UInt128", "Int16", "Int32", "Int64", "Int", "Int128", "Float", "Double",
      "CGFloat", "Decimal",
    ],
    "UInt16": [
      "UInt32", "UInt64", "UInt", "UInt128", "Int32", "Int64", "Int", "Int128", "Float", "Double", "CGFloat", "Decimal",
    ],
    "UInt32": ["UInt64", "UInt", "UInt128", "Int64", "Int", "Int128", "Double", "CGFloat", "Decimal"],
    "UInt64": ["UInt", "UInt128", "Int128", "Decimal"],
    "UInt": ["UInt64", "UInt128", "Int128", "Decimal"],
    "Float16": ["Float", "Double", "CGFloat"],
    "Float": ["Double", "CGFloat"],
    "Double": ["CGFloat"],
    "CGFloat": ["Double"],
    "UUID": ["String"],
    "Data": ["[UInt8]"],
    "[UInt8]": ["Data"],
  ]
}

extension ArchiveSchema {
  /// Returns the type that an enum is stored as, the only one of its raw values; `nil` for other types.
  fileprivate func rawType(of type: String) -> String? {
    guard let shape = types[type], shape.isEnumeration || type.hasPrefix("OpenEnum<"), shape.contents.count == 1 else {
      return nil
    }
    return shape.contents.first
  }
}

extension [String: String] {
  /// The fields at the end of paths through an object, by the rest of their paths.
  fileprivate func inside(_ name: String) -> [String: String] {
    let fields = filter { $0.key.hasPrefix(name + ".") }
    return [String: String](uniqueKeysWithValues: fields.map { (String($0.key.dropFirst(name.count + 1)), $0.value) })
  }
}

extension Substring {
  /// Returns a name at the start together with the arguments after it, if there are any.
  fileprivate func prefix(throughArgumentsOf name: Substring) -> Substring {
    guard self[name.endIndex...].hasPrefix("<") else { return name }
    var depth = 0
    let end = self[name.endIndex...].firstIndex { character in
      if character == "<" { depth += 1 }
      if character == ">" { depth -= 1 }
      return depth == 0
    }
    return end.map { self[...$0] } ?? name
  }
}

extension String {
  fileprivate var withoutQuestionMark: String { hasSuffix("?") ? String(dropLast()) : self }
}
