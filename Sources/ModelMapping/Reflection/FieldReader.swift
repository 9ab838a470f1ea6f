import CodingSupport

/// Reads the fields of one instance.
struct FieldReader {
  let locations: FieldLocations
  private let root: Source
  /// The decoder of the model's own object, if fields can be read from it without a container.
  let direct: (any TextFieldsDecoder)?
  let context: DecodingContext
  /// The path of the model, if there is a report.
  let path: PathNode?
  /// Whether unknown fields are kept, and so need not be reported.
  private(set) var keepsUnknownFields: Bool

  /// An object whose fields are read.
  private struct Source {
    let fields: Fields
    /// The object, if it is one in a JSON text: its scalars are read without the container.
    var object: JSONObject?

    init(_ fields: Fields) { self.fields = fields }

    init(_ object: JSONObject) {
      fields = Fields(JSONKeyedContainer(object: object))
      self.object = object
    }

    /// The keys, which a container of the standard library copies several times.
    var keys: [FieldKey] {
      object.map { object in object.keys.indices.map { FieldKey(object.name($0)) } } ?? fields.allKeys
    }

    /// Returns the object for a key that has a value.
    func nested(_ key: FieldKey) throws -> Source {
      if let object { return Source(try object.decoder(key.stringValue).object()) }
      return Source(try fields.nestedContainer(keyedBy: FieldKey.self, forKey: key))
    }
  }

  init(
    _ locations: FieldLocations, _ decoder: any Decoder, _ direct: (any TextFieldsDecoder)?, _ context: DecodingContext,
    keepsUnknownFields: Bool
  ) throws {
    self.locations = locations
    if direct == nil, let decoder = decoder as? JSONValueDecoder {
      root = Source(try decoder.object())
    } else {
      root = Source(try decoder.container(keyedBy: FieldKey.self))
    }
    self.direct = direct
    self.context = context
    path = context.collector == nil ? nil : context.node(of: decoder)
    self.keepsUnknownFields = keepsUnknownFields
  }

  func read(_ tree: KeyTree) throws { try read(tree, from: root, direct, path) }

  private func read(
    _ tree: KeyTree, from source: Source, _ direct: (any TextFieldsDecoder)?, _ path: PathNode?
  ) throws {
    let container = source.fields
    for leaf in tree.read {
      let location = locations[leaf.property]
      guard !leaf.keepsUnknownFields else {
        try leaf.access.fillUnknown(location, from: container, leaf.key, exceptFor: tree.knownFields)
        continue
      }
      if try !fill(leaf, location, from: source, direct),
        try !(leaf.readsNull && leaf.access.fillNull(location, from: container, leaf.key, context)),
        try !fillFormer(leaf, location)
      {
        let isNull = context.collector != nil && container.contains(leaf.key)
        reportDefault(leaf.access, location, isNull, ValuePath(path, leaf.key))
      }
    }
    for branch in tree.branches {
      try read(branch, in: source, path)
    }
    if context.collector != nil || context.notesUnreadFields, !keepsUnknownFields {
      for key in source.keys where !tree.knows(key.stringValue) {
        context.report(.unknownKey, ValuePath(path, key))
        self.direct?.noteUnreadField(container.codingPath + [key])
      }
    }
  }

  @inline(__always)
  private func fill(
    _ leaf: KeyTree.Leaf, _ location: FieldLocation, from source: Source, _ direct: (any TextFieldsDecoder)?
  ) throws -> Bool {
    if let scalar = leaf.scalar, scalar.accepts(location) {
      do {
        if scalar.isText, let text = try direct?.nextText(leaf.key.stringValue) {
          return scalar.put(text, into: location)
        }
        return try scalar.fill(location, from: source.fields, source.object, leaf.key)
      } catch {
        // It may be convertible; if not, reading it with its own codec fails again, with the reason.
      }
    }
    // Codecs are generic, and look up types before they look for the key.
    if leaf.isOftenMissing, source.object == nil, !source.fields.contains(leaf.key) { return false }
    return try leaf.access.fill(location, from: source.fields, leaf.key, context)
  }

  private func read(_ branch: KeyTree.Branch, in source: Source, _ path: PathNode?) throws {
    let path = nodeIfReporting(path, branch.key)
    let container = source.fields
    guard container.contains(branch.key), try !container.decodeNil(forKey: branch.key) else {
      return try forEachLeaf(of: branch.tree, path) { leaf, location, path in
        if try !fillFormer(leaf, location) { reportDefault(leaf.access, location, false, path()) }
      }
    }
    let nested: Source
    do {
      nested = try source.nested(branch.key)
    } catch {
      // The fields below cannot be read. That is an error unless each of them has a value for this case.
      return try forEachLeaf(of: branch.tree, path) { leaf, location, path in
        try leaf.access.recover(location, from: error, path(), context)
      }
    }
    // In storage, report unknown fields all the same: the field that reads the whole object is not written, so the next
    // write loses what only that field reads.
    guard branch.isReadWhole, context.keys == .json else { return try read(branch.tree, from: nested, nil, path) }
    var reader = self
    reader.keepsUnknownFields = true
    try reader.read(branch.tree, from: nested, nil, path)
  }

  private func nodeIfReporting(_ path: PathNode?, _ key: FieldKey) -> PathNode? {
    context.collector == nil ? nil : PathNode(path, .key(key.stringValue))
  }

  private func forEachLeaf(
    of tree: KeyTree, _ path: PathNode?, _ body: (KeyTree.Leaf, FieldLocation, () -> ValuePath) throws -> Void
  ) throws {
    for leaf in tree.read {
      try body(leaf, locations[leaf.property]) { ValuePath(path, leaf.key) }
    }
    for branch in tree.branches {
      try forEachLeaf(of: branch.tree, nodeIfReporting(path, branch.key), body)
    }
  }

  private func reportDefault(
    _ access: any FieldAccess, _ location: FieldLocation, _ isNull: Bool, _ path: @autoclosure () -> ValuePath
  ) {
    guard context.collector != nil, let made = access.defaultDescription(location) else { return }
    context.report(isNull ? .null : .missing, path(), made: made)
  }

  /// Reads from the first former path that has a value, which in storage can be null.
  private func fillFormer(_ leaf: KeyTree.Leaf, _ location: FieldLocation) throws -> Bool {
    let access = leaf.access
    for path in leaf.formerPaths {
      guard let last = path.components.last else { continue }
      let found: Fields?
      do {
        found = try container(at: path.components.dropLast())
      } catch {
        let former = path.components.reduce(self.path) { PathNode($0, .key($1)) }
        try access.recover(location, from: error, ValuePath(former), context)
        return true
      }
      guard let found else { continue }
      let key = FieldKey(last)
      if try access.fill(location, from: found, key, context)
        || leaf.readsNull && access.fillNull(location, from: found, key, context)
      {
        direct?.noteEarlierForm()
        return true
      }
    }
    return false
  }

  /// Returns the object at a path, or `nil` if there is none.
  private func container(at path: some Sequence<String>) throws -> Fields? {
    var container = root.fields
    for name in path {
      let key = FieldKey(name)
      guard container.contains(key), try !container.decodeNil(forKey: key) else { return nil }
      container = try container.nestedContainer(keyedBy: FieldKey.self, forKey: key)
    }
    return container
  }
}

extension ValuePath {
  fileprivate init(_ path: PathNode?, _ key: FieldKey) {
    self.init(PathNode(path, .key(key.stringValue)))
  }
}
