/// Fills the boxes of one instance.
struct FieldReader {
  let layout: ModelLayout
  let boxes: ContiguousArray<AnyObject>
  let root: KeyedDecodingContainer<FieldKey>
  let context: DecodingContext

  func read(_ tree: KeyTree, from container: KeyedDecodingContainer<FieldKey>) throws {
    for leaf in tree.read {
      let property = layout.properties[leaf.property]
      let box = boxes[property.slot]
      if try !property.access.fill(box, from: container, leaf.key, context), try !fillFormer(property, box) {
        let isNull = context.collector != nil && container.contains(leaf.key)
        reportDefault(property, box, isNull, container.codingPath + [leaf.key])
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

  private func read(_ branch: KeyTree.Branch, in container: KeyedDecodingContainer<FieldKey>) throws {
    guard container.contains(branch.key), try !container.decodeNil(forKey: branch.key) else {
      return try takeDefaults(branch.tree, container.codingPath + [branch.key])
    }
    let nested: KeyedDecodingContainer<FieldKey>
    do {
      nested = try container.nestedContainer(keyedBy: FieldKey.self, forKey: branch.key)
    } catch let error as DecodingError {
      // No field can be read, unless each has a value for that.
      return try forEachLeaf(of: branch.tree, container.codingPath + [branch.key]) { property, box, path in
        try property.access.recover(box, from: error, path, context)
      }
    }
    try read(branch.tree, from: nested)
  }

  private func takeDefaults(_ tree: KeyTree, _ path: [any CodingKey]) throws {
    try forEachLeaf(of: tree, path) { property, box, path in
      if try !fillFormer(property, box) { reportDefault(property, box, false, path) }
    }
  }

  private func forEachLeaf(
    of tree: KeyTree, _ path: [any CodingKey], _ body: (ModelLayout.Property, AnyObject, [any CodingKey]) throws -> Void
  ) throws {
    for leaf in tree.read {
      let property = layout.properties[leaf.property]
      try body(property, boxes[property.slot], path + [leaf.key])
    }
    for branch in tree.branches {
      try forEachLeaf(of: branch.tree, path + [branch.key], body)
    }
  }

  private func reportDefault(
    _ property: ModelLayout.Property, _ box: AnyObject, _ isNull: Bool, _ path: @autoclosure () -> [any CodingKey]
  ) {
    guard context.collector != nil, let made = property.access.defaultDescription(box) else { return }
    context.report(isNull ? .null : .missing, path(), made: made)
  }

  /// Reads from the first former path that has a value.
  private func fillFormer(_ property: ModelLayout.Property, _ box: AnyObject) throws -> Bool {
    for path in property.access.paths.former {
      guard let last = path.components.last, let container = try container(at: path.components.dropLast()) else {
        continue
      }
      if try property.access.fill(box, from: container, FieldKey(last), context) { return true }
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
