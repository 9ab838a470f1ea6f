import CodingSupport

/// The keys of a model's fields at one level. Fields with a common path prefix share nested containers, each opened
/// once. It is an object, as are its leaves, so that passing it costs one reference count.
final class KeyTree: Sendable {
  /// A field at this level.
  final class Leaf: Sendable {
    let key: FieldKey
    let access: any FieldAccess
    let property: Int
    /// Reads and writes the value if it is a scalar. From storage, reads it only if it needs no conversion.
    let scalar: ScalarField?
    let keepsUnknownFields: Bool
    let formerPaths: [FieldPath]
    /// Whether the value is an optional that takes much longer to read than to find missing.
    let isOftenMissing: Bool
    /// Whether null in storage is a value rather than a missing one.
    let readsNull: Bool
    /// Whether null is written for `nil`.
    let writesNull: Bool

    init(key: FieldKey, access: any FieldAccess, property: Int, startsNil: Bool, _ keys: ModelKeys) {
      self.key = key
      self.access = access
      self.property = property
      scalar = access.scalar(keys)
      keepsUnknownFields = access.keepsUnknownFields
      formerPaths = access.paths.former
      isOftenMissing = access.mayBeNil && scalar == nil
      readsNull = keys == .stored && !startsNil
      writesNull = keys == .json ? access.options.contains(.writesNull) : readsNull && access.mayBeNil
    }
  }

  struct Branch: Sendable {
    let key: FieldKey
    let tree: KeyTree
    /// Whether a field reads the whole object, so that none of its keys is unknown.
    let isReadWhole: Bool
  }

  let read: ContiguousArray<Leaf>
  let written: ContiguousArray<Leaf>
  let branches: ContiguousArray<Branch>
  /// The keys at this level and below, including former and ignored ones. Siblings of the last key of a former path are
  /// not known.
  let knownFields: KnownFields

  /// Whether a key is known, or is on the path to one that is.
  func knows(_ key: String) -> Bool { knownFields.whole.contains(key) || knownFields.parts[key] != nil }

  var isWritten: Bool { !written.isEmpty || branches.contains { $0.tree.isWritten } }

  private struct Entry {
    let path: [String]
    let property: Int
    let isRead: Bool
    let isWritten: Bool
  }

  /// Creates the tree for the fields of a model, and adds contradictions to the problems.
  convenience init(_ properties: ContiguousArray<ModelLayout.Property>, _ keys: ModelKeys, _ problems: inout [String]) {
    var entries: [Entry] = []
    var known: [[String]] = []
    for (number, property) in properties.enumerated() {
      let (access, name) = (property.access, property.name)
      known += access.paths.former.map(\.components)
      guard let path = access.paths.path(keys, ofProperty: name) else {
        known.append([name])
        continue
      }
      known.append(path)
      guard !([path] + access.paths.former.map(\.components)).contains(where: { $0.isEmpty || $0.contains("") }) else {
        problems.append("\(name) has an empty path or an empty key in its path")
        continue
      }
      let isRead = !access.options.contains(.writeOnly)
      let isWritten = !access.options.contains(.readOnly)
      if !isRead, !isWritten {
        problems.append("\(name) is both .readOnly and .writeOnly; remove one of them")
      }
      if isRead, !access.canRead(keys) {
        problems.append("the converter of \(name) cannot read; use another or mark the field .writeOnly")
      }
      if isWritten, !access.canWrite(keys) {
        problems.append(
          "the converter of \(name) cannot write; use another or keep the field out of stores with .readOnly")
      }
      entries.append(Entry(path: path, property: number, isRead: isRead, isWritten: isWritten))
    }
    KeyTree.check(entries, properties, &problems)
    self.init(entries, properties, keys, known, level: 0)
  }

  private init(
    _ entries: [Entry], _ properties: ContiguousArray<ModelLayout.Property>, _ keys: ModelKeys, _ known: [[String]],
    level: Int
  ) {
    var (read, written) = (ContiguousArray<Leaf>(), ContiguousArray<Leaf>())
    for entry in entries where entry.path.count == level + 1 {
      let property = properties[entry.property]
      let leaf = Leaf(
        key: FieldKey(entry.path[level]), access: property.access, property: entry.property,
        startsNil: property.startsNil, keys)
      if entry.isRead { read.append(leaf) }
      if entry.isWritten { written.append(leaf) }
    }
    var names: [String] = []
    for entry in entries where entry.path.count > level + 1 && !names.contains(entry.path[level]) {
      names.append(entry.path[level])
    }
    var branches = ContiguousArray<Branch>()
    for name in names {
      let below = entries.filter { $0.path.count > level + 1 && $0.path[level] == name }
      let knownBelow = known.filter { $0.count > level + 1 && $0[level] == name }
      let tree = KeyTree(below, properties, keys, knownBelow, level: level + 1)
      let isReadWhole = read.contains { $0.key.stringValue == name }
      branches.append(Branch(key: FieldKey(name), tree: tree, isReadWhole: isReadWhole))
    }
    var knownFields = KnownFields()
    knownFields.whole = Set(known.compactMap { $0.count == level + 1 ? $0[level] : nil })
    let former = known.filter {
      $0.count > level + 1 && !knownFields.whole.contains($0[level]) && !names.contains($0[level])
    }
    for (name, paths) in Dictionary(grouping: former, by: { $0[level] }) {
      knownFields.formerParts.insert(name)
      knownFields.parts[name] = KeyTree([], properties, keys, paths, level: level + 1).knownFields
    }
    for branch in branches {
      if branch.tree.read.contains(where: \.keepsUnknownFields) {
        // A field below keeps the unknown fields of this object.
        knownFields.whole.insert(branch.key.stringValue)
      } else {
        knownFields.parts[branch.key.stringValue] = branch.tree.knownFields
      }
    }
    (self.read, self.written, self.branches, self.knownFields) = (read, written, branches, knownFields)
  }

  /// Finds fields that would read the same value or overwrite each other.
  private static func check(
    _ entries: [Entry], _ properties: ContiguousArray<ModelLayout.Property>, _ problems: inout [String]
  ) {
    for (index, entry) in entries.enumerated() {
      for other in entries.dropFirst(index + 1) {
        let path = entry.path.count < other.path.count ? entry.path : other.path
        guard entry.path.starts(with: path), other.path.starts(with: path) else { continue }
        let names = "\(properties[entry.property].name) and \(properties[other.property].name)"
        let areBothWritten = entry.isWritten && other.isWritten
        if entry.path.count == other.path.count {
          guard areBothWritten || (entry.isRead && other.isRead) else { continue }
          problems.append("\(names) have the same key, \(FieldPath(path)); give one of them another key")
        } else if areBothWritten {
          problems.append(
            "the key of one of \(names) contains the key of the other, at \(FieldPath(path)); "
              + "mark one of them .readOnly, with stored: nil"
          )
        }
      }
    }
  }
}
