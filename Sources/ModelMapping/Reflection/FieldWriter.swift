import CodingSupport

/// Writes the boxes of one instance.
struct FieldWriter {
  let boxes: FieldBoxes
  let keys: ModelKeys
  let isStorage: Bool

  /// Writes the fields of a tree, and those that are not known into the objects that it knows in part.
  func write(_ tree: KeyTree, _ unknown: (any KeepsUnknownFields)?, into container: inout NewFields) throws {
    var unknown = unknown
    for leaf in tree.written {
      let box = boxes[leaf.property]
      guard !leaf.keepsUnknownFields else {
        let fields = leaf.access.unknownFields(box)
        try write(fields, into: &container, leaf.key, exceptFor: tree.knownFields)
        if isStorage { unknown = fields }
        continue
      }
      if leaf.writesNull, leaf.access.isNil(box) {
        try container.encodeNil(forKey: leaf.key)
        continue
      }
      if let scalar = leaf.scalar, scalar.accepts(box) {
        try scalar.write(box, into: &container, leaf.key)
      } else {
        try leaf.access.write(box, into: &container, leaf.key, keys)
      }
    }
    for branch in tree.branches {
      let unknown = unknown?.part(branch.key.stringValue)
      guard branch.tree.isWritten || unknown != nil else { continue }
      var nested = container.nestedContainer(keyedBy: FieldKey.self, forKey: branch.key)
      try write(branch.tree, unknown, into: &nested)
      try write(unknown, into: &nested, branch.key, exceptFor: branch.tree.knownFields)
    }
  }

  private func write(
    _ unknown: (any KeepsUnknownFields)?, into container: inout NewFields, _ key: FieldKey,
    exceptFor known: KnownFields
  ) throws {
    let fields = isStorage ? unknown?.withoutParts(known) : unknown
    try fields?.encode(into: &container, forKey: key, exceptFor: known)
  }
}
