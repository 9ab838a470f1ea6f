/// Fills the boxes of one instance.
struct FieldReader {
  let boxes: FieldBoxes
  let root: KeyedDecodingContainer<FieldKey>
  let context: DecodingContext

  func read(_ tree: KeyTree, from container: KeyedDecodingContainer<FieldKey>) throws {
    for leaf in tree.read {
      let box = boxes[leaf.property]
      guard !leaf.keepsUnknownFields else {
        try leaf.access.fillUnknown(box, from: container, leaf.key, exceptFor: tree.knownFields)
        continue
      }
      if try !fill(leaf, box, from: container), try !fillFormer(leaf.access, box) {
        let isNull = context.collector != nil && container.contains(leaf.key)
        reportDefault(leaf.access, box, isNull, container.codingPath + [leaf.key])
      }
    }
    for branch in tree.branches {
      try read(branch, in: container)
    }
    if context.collector != nil {
      for key in container.allKeys where !tree.knownKeys.contains(key.stringValue) {
        context.report(.unknownKey, container.codingPath + [key])
      }
    }
  }

  @inline(__always)
  private func fill(
    _ leaf: KeyTree.Leaf, _ box: AnyObject, from container: KeyedDecodingContainer<FieldKey>
  ) throws -> Bool {
    if let scalar = leaf.scalar, scalar.accepts(box) {
      do {
        return try scalar.fill(box, from: container, leaf.key)
      } catch {
        // It may be convertible; if not, reading it by its own codec fails again, and tells why.
      }
    }
    return try leaf.access.fill(box, from: container, leaf.key, context)
  }

  private func read(_ branch: KeyTree.Branch, in container: KeyedDecodingContainer<FieldKey>) throws {
    guard container.contains(branch.key), try !container.decodeNil(forKey: branch.key) else {
      return try takeDefaults(branch.tree, container.codingPath + [branch.key])
    }
    let nested: KeyedDecodingContainer<FieldKey>
    do {
      nested = try container.nestedContainer(keyedBy: FieldKey.self, forKey: branch.key)
    } catch {
      // No field can be read, unless each has a value for that.
      return try forEachLeaf(of: branch.tree, container.codingPath + [branch.key]) { access, box, path in
        try access.recover(box, from: error, path, context)
      }
    }
    try read(branch.tree, from: nested)
  }

  private func takeDefaults(_ tree: KeyTree, _ path: [any CodingKey]) throws {
    try forEachLeaf(of: tree, path) { access, box, path in
      if try !fillFormer(access, box) { reportDefault(access, box, false, path) }
    }
  }

  private func forEachLeaf(
    of tree: KeyTree, _ path: [any CodingKey], _ body: (any FieldAccess, AnyObject, [any CodingKey]) throws -> Void
  ) throws {
    for leaf in tree.read {
      try body(leaf.access, boxes[leaf.property], path + [leaf.key])
    }
    for branch in tree.branches {
      try forEachLeaf(of: branch.tree, path + [branch.key], body)
    }
  }

  private func reportDefault(
    _ access: any FieldAccess, _ box: AnyObject, _ isNull: Bool, _ path: @autoclosure () -> [any CodingKey]
  ) {
    guard context.collector != nil, let made = access.defaultDescription(box) else { return }
    context.report(isNull ? .null : .missing, path(), made: made)
  }

  /// Reads from the first former path that has a value.
  private func fillFormer(_ access: any FieldAccess, _ box: AnyObject) throws -> Bool {
    for path in access.paths.former {
      guard let last = path.components.last else { continue }
      let found: KeyedDecodingContainer<FieldKey>?
      do {
        found = try container(at: path.components.dropLast())
      } catch {
        try access.recover(box, from: error, root.codingPath + path.components.map { FieldKey($0) }, context)
        return true
      }
      if let found, try access.fill(box, from: found, FieldKey(last), context) { return true }
    }
    return false
  }

  /// The object at a path, or `nil` where there is none.
  private func container(at path: some Sequence<String>) throws -> KeyedDecodingContainer<FieldKey>? {
    var container = root
    for name in path {
      let key = FieldKey(name)
      guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
      container = try container.nestedContainer(keyedBy: FieldKey.self, forKey: key)
    }
    return container
  }
}
