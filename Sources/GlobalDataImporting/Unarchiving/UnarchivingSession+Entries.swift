import Foundation
import GlobalData

// The top-level values, as the entries of a store.

extension UnarchivingSession {
  /// Reads the entries of an archive: the fields of its root dictionary, or otherwise the values that were archived by
  /// name.
  func readArchive(into entries: inout ImportedEntries) throws {
    let fields = try openArchive()
    if let root = root(in: fields) {
      return try read(textPairs(ofRoot: root) ?? [(name: ImportSource.rootKey, value: root)], into: &entries)
    }
    try read(fields.names.compactMap { fields.field($0) }, into: &entries)
  }

  /// Returns the root object, if the archive has no other top-level value. `encodeRootObject` archives it without a
  /// key.
  private func root(in fields: ArchivedFields) -> PropertyListValue.Reference? {
    guard fields.names == [ImportSource.rootKey] || fields.names == ["$0"] else { return nil }
    return fields.field(fields.names[0])?.value
  }

  /// Returns the value of a whole archive, which is data at a position: its root object, or its values by name.
  private func archivedValue(in position: ArchivedPosition) throws -> any Sendable {
    let fields = try openArchive()
    if let root = root(in: fields) {
      return try value(of: ArchivedPosition(try node(at: root) { position.path }, in: position, isInData: true))
    }
    return try fields.names.reduce(into: [String: any Sendable]()) { values, name in
      guard let field = fields.field(name) else { return }
      let key = AnyCodingKey(stringValue: name)
      values[name] = try value(
        of: ArchivedPosition(try node(at: field.value) { position.path + [key] }, key, in: position, isInData: true))
    }
  }

  /// Reads the entries of a property list that is not an archive: all, or those of the given keys, in the order of the
  /// keys.
  func readPropertyList(_ keys: [String]? = nil, into entries: inout ImportedEntries) throws {
    guard case .plain(.dictionary(let fields)) = try node(at: list.root, { [] }).content else {
      return try read([(name: ImportSource.rootKey, value: list.root)], into: &entries)
    }
    guard try !isArchive else {
      throw ImportFailure(
        message: "it is an archive of NSKeyedArchiver", advice: "Use importKeyedArchive to read its objects.")
    }
    guard let keys else { return try read(fields.fields, into: &entries) }
    try read(keys.compactMap { key in fields[key].map { (name: key, value: $0) } }, into: &entries)
    for key in keys where fields[key] == nil { entries.addMissing(key) }
  }

  private func read(
    _ fields: [(name: String, value: PropertyListValue.Reference)], into entries: inout ImportedEntries
  ) throws {
    for field in fields {
      try entries.add(field.name) { collector in
        self.collector = collector
        let budget = list.budget
        do {
          return try value(of: ArchivedPosition(try node(at: field.value) { [] }))
        } catch {
          // An entry that exhausts the budget must not make those after it unreadable, too.
          list.budget.keepHalf(of: budget)
          throw error
        }
      }
    }
    entries.findings = findings
  }

  /// Returns the contents of an archive inside data, if there are types for it or none is needed; `nil` for any other
  /// value.
  func unarchived(_ value: any Sendable, at position: ArchivedPosition) throws -> (any Sendable)? {
    guard let data = value as? Data, !isOpen, !types.isEmpty || unknownClasses == .keepAsTrees,
      data.starts(with: BinaryPropertyList.signature) || data.starts(with: Array("<?xml".utf8))
    else { return nil }
    let inner: UnarchivingSession
    do {
      inner = try UnarchivingSession(data, types: types, unknownClasses, configuration, list.budget)
      inner.collector = collector
      guard try inner.isArchive else { return nil }
    } catch let error as PropertyListError where error != .exhausted {
      return nil  // data that only begins like a property list
    }
    // One archive may be the data of any number of entries.
    defer { list.budget = inner.list.budget }
    let value = try inner.archivedValue(in: position)
    findings.merge(inner.findings)
    return value
  }

  /// Returns the keys and values of the root object, or `nil` if it is not a dictionary whose keys are text.
  private func textPairs(
    ofRoot reference: PropertyListValue.Reference
  ) throws -> [(name: String, value: PropertyListValue.Reference)]? {
    let position = ArchivedPosition(try node(at: reference) { [] })
    guard case .object(let type, let fields) = position.node.content, type.role.foundation == .dictionary,
      unknownClasses == .refuse || !type.adds(to: fields)
    else { return nil }
    var pairs: [(name: String, value: PropertyListValue.Reference)] = []
    for pair in try self.pairs(of: fields, position) {
      let key = try child(pair.key, AnyCodingKey(stringValue: "key"), of: position)
      guard let name = try leaf(of: key) as? String else { return nil }
      pairs.append((name: name, value: pair.value))
    }
    noteSubstitute(of: type, position.node.id)
    return pairs
  }
}
