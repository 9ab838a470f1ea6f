import CodingSupport

/// Writes the values of one instance.
struct FieldWriter {
  let locations: FieldLocations
  let keys: ModelKeys
  let isStorage: Bool
  /// The fields of the model's own object, if they can be written without a container.
  let direct: NewTextFields?

  /// Writes the fields of a tree, and the unknown fields of the objects that the tree knows in part.
  func write(_ tree: KeyTree, into container: inout NewFields) throws {
    try write(tree, nil, into: &container, direct)
  }

  private func write(
    _ tree: KeyTree, _ unknown: (any KeepsUnknownFields)?, into container: inout NewFields, _ direct: NewTextFields?
  ) throws {
    var unknown = unknown
    for leaf in tree.written {
      let location = locations[leaf.property]
      guard !leaf.keepsUnknownFields else {
        let fields = leaf.access.unknownFields(location)
        try write(fields, into: &container, leaf.key, exceptFor: tree.knownFields)
        if isStorage { unknown = fields }
        continue
      }
      if leaf.writesNull, leaf.access.isNil(location) {
        try container.encodeNil(forKey: leaf.key)
        continue
      }
      if let scalar = leaf.scalar, scalar.accepts(location) {
        if scalar.isText, let direct {
          if let text = scalar.value(in: location, as: String.self) {
            try direct.encode(text, named: leaf.key.stringValue)
          }
        } else {
          try scalar.write(location, into: &container, leaf.key)
        }
      } else {
        try leaf.access.write(location, into: &container, leaf.key, keys)
      }
    }
    for branch in tree.branches {
      let unknown = unknown?.part(branch.key.stringValue)
      guard unknown != nil || (keys == .json ? hasValue(branch.tree) : branch.tree.isWritten) else { continue }
      var nested = container.nestedContainer(keyedBy: FieldKey.self, forKey: branch.key)
      try write(branch.tree, unknown, into: &nested, nil)
      try write(unknown, into: &nested, branch.key, exceptFor: branch.tree.knownFields)
    }
  }

  /// Whether a field of a nested object is written, so that the object is not written empty.
  private func hasValue(_ tree: KeyTree) -> Bool {
    tree.written.contains { $0.writesNull || !$0.access.isNil(locations[$0.property]) }
      || tree.branches.contains { hasValue($0.tree) }
  }

  private func write(
    _ unknown: (any KeepsUnknownFields)?, into container: inout NewFields, _ key: FieldKey, exceptFor known: KnownFields
  ) throws {
    let fields = isStorage ? unknown?.withoutParts(known) : unknown
    try fields?.encode(into: &container, forKey: key, exceptFor: known)
  }
}
