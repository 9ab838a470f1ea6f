import FoundationCore

/// Conversion of values from earlier versions to the current version, before a type's `init(from:)` reads them. First,
/// the type's migration runs if the stored version is lower. Then, fields are found under their former names. Finally,
/// missing fields get their defaults. The result is spliced into the archive (see ``Splices``) and read like any other
/// value.
extension DecodingSession {
  struct Migrations {
    /// Whether any part of the archive that was read is stored in an earlier form.
    var happened = false
    /// Whether any part had a lower version.
    fileprivate(set) var hasRun = false
    /// The nesting, including that of new forms, for which this thread has enough stack.
    var room = DeepStack.migratingDepth
    /// Whether the whole decoding must be repeated with more stack.
    fileprivate(set) var needsDeepStack = false
    /// The total levels of the new forms, and of the targets of references, that are currently being read.
    fileprivate var openDepth = 0
    /// The declarations of classes, by the offsets of their fields, for superclasses whose fields are stored
    /// separately.
    fileprivate var classes = SharedCodeDictionary<Int, TypeEvolution>()
    /// The bytes of shared items that migrations may still receive. An item counts once for each tree that contains it.
    fileprivate var repetitionBudget: Int?
    /// The shared items in the tree that a migration receives, with their positions there and the number of positions
    /// that were used; `nil` if there are none.
    fileprivate var shared: SharedCodeDictionary<ArchiveValue, (positions: ContiguousArray<CBORCursor>, used: Int)>?
  }

  /// Thrown to stop a decoding that must be repeated with more stack.
  struct DeepStackNeeded: Error {}

  /// The content and the version of a value that an earlier version may have stored.
  struct StoredContent {
    var cursor: CBORCursor
    var version = 1
    /// The reason why the value is of another type: it has another name, and the type does not read it as its single
    /// value.
    var otherName: (any Error)?
  }

  func decodeEvolved<Value>(
    _ type: Any.Type, _ stored: StoredContent, path: () -> CodingPathNode, _ read: (CBORCursor) throws -> Value
  ) throws -> Value {
    guard let evolution = try TypeEvolution.of(type) else { return try read(stored.cursor) }
    var depth = 0
    var cursor = stored.cursor
    if stored.version < evolution.version {
      (migrations.happened, migrations.hasRun) = (true, true)
      try checkStack(adding: 0)
      cursor = try migrated(cursor, from: stored.version, evolution, path: path, depth: &depth)
    }
    cursor = try completed(cursor, evolution, depth: &depth)
    if type is AnyObject.Type { migrations.classes[cursor.offset] = evolution }
    guard cursor != stored.cursor else { return try read(cursor) }
    try checkStack(adding: depth)
    migrations.openDepth += depth
    defer { migrations.openDepth -= depth }
    return try read(cursor)
  }

  /// Counts the levels of an item that was found through a reference, until ``closeReference(_:)``. References can nest
  /// items far more deeply than the archive does. Returns 0 if no reference was followed.
  func openReference(from cursor: CBORCursor, to item: CBORCursor) throws -> Int {
    guard item.offset < cursor.offset else { return 0 }
    let depth = input.index.depth
    try checkStack(adding: depth)
    migrations.openDepth += depth
    return depth
  }

  func closeReference(_ depth: Int) { migrations.openDepth -= depth }

  /// Counts a level of a tree. Its owner frees and compares it on a stack of unknown size, so the limit for nesting
  /// also applies to the levels that references add.
  func openTreeLevel(from cursor: CBORCursor, to item: CBORCursor) throws -> Int {
    guard treeDepth <= limits.maximumDepth else {
      throw KeyedArchiveError(
        .limitReached, "References to shared values nest a tree more than \(limits.maximumDepth) levels deep.")
    }
    let depth = try openReference(from: cursor, to: item)
    treeDepth += 1
    return depth
  }

  func closeTreeLevel(_ depth: Int) {
    treeDepth -= 1
    closeReference(depth)
  }

  /// Checks the available stack. Migrations recurse like decoding, and new forms may be deeper than stored ones.
  private func checkStack(adding depth: Int) throws {
    guard input.index.depth + migrations.openDepth + depth > migrations.room else { return }
    migrations.needsDeepStack = true
    throw DeepStackNeeded()
  }

  // MARK: Migrations

  private func migrated(
    _ cursor: CBORCursor, from version: Int, _ evolution: TypeEvolution, path: () -> CodingPathNode, depth: inout Int
  ) throws -> CBORCursor {
    let stored = try tree(at: cursor, path: path)
    defer { migrations.shared = nil }
    var value = stored
    do {
      try evolution.type.migrate(&value, from: version)
    } catch {
      throw KeyedArchiveError.migrationFailed(
        error, from: version, to: evolution.version, of: registry.tag(for: evolution.type))
    }
    // The name and the version stay around the fields. Any other name belongs to a single value.
    if case .object(var object) = value, let tag = object.tag, registry.accepts(tag, as: evolution.type) {
      object.tag = nil
      value = .object(object)
    }
    if value == stored { return cursor }
    var form = Splices.Form(namespace: cursor.namespace)
    try append(value, replacing: (stored, cursor), to: &form)
    let spliced = try input.splice(form)
    depth = max(depth, spliced.depth)
    return spliced.cursor
  }

  /// Returns the tree for a migration, which contains a shared item at each reference to it. One tree may repeat as
  /// much as an entire decoding. The budget is shared, so that the number of trees cannot multiply the work without
  /// end.
  private func tree(at cursor: CBORCursor, path: () -> CodingPathNode) throws -> ArchiveValue {
    let (most, isBeyond) = limits.maximumItems.multipliedReportingOverflow(by: 16)
    let budget = migrations.repetitionBudget ?? (isBeyond ? .max : most)
    migrations.shared = input.index.shareables.isEmpty ? nil : .init()
    let (value, used) = try input.repeating(atMost: budget) {
      try ArchiveValue.decode(from: self, at: cursor, path: path)
    }
    migrations.repetitionBudget = budget - used
    return value
  }

  /// Remembers a part of a migration's tree if it is a shared item, or the name of one.
  func noteIfShared(_ value: ArchiveValue, at cursor: CBORCursor) throws {
    guard migrations.shared != nil else { return }
    let named = value.object?.tag == nil ? nil : try input.namedValue(input.markedItem(at: cursor))
    guard try input.sharedContent(at: named?.content ?? cursor) != nil else { return }
    var known = migrations.shared?[value] ?? ([], 0)
    migrations.shared?[value] = nil  // Otherwise, the next line would copy the positions.
    known.positions.append(cursor)
    migrations.shared?[value] = known
  }

  /// Returns the position of a shared item that equals a value. Each position is used once, except for the last one,
  /// because different instances can have equal contents.
  private func position(ofShared value: ArchiveValue) -> CBORCursor? {
    guard let (positions, used) = migrations.shared?[value] else { return nil }
    if used + 1 < positions.count { migrations.shared?[value]?.used += 1 }
    return positions[used]
  }

  /// Appends a value. Parts that equal the stored value or a shared item are appended as references, and all other
  /// parts are written out.
  private func append(
    _ value: ArchiveValue, replacing stored: (value: ArchiveValue, cursor: CBORCursor)?, to form: inout Splices.Form
  ) throws {
    if let stored, value == stored.value { return form.appendReference(to: stored.cursor) }
    if let position = position(ofShared: value) { return form.appendReference(to: position) }
    switch (value, stored) {
    case (.object(let object), (.object(let old), let cursor)?):
      try append(object, replacing: old, at: try content(ofNamed: cursor), to: &form)
    case (.array(let elements), (.array(let old), let array)?):
      var cursor = input.firstElement(of: try input.item(at: array))
      form.buffer.appendHead(.array, UInt64(elements.count))
      for (element, old) in zip(elements, old) {
        try append(element, replacing: (old, cursor), to: &form)
        cursor = try input.skip(cursor)
      }
      for element in elements.dropFirst(old.count) { try append(element, replacing: nil, to: &form) }
    default: try append(value, to: &form)
    }
  }

  private func append(
    _ object: ArchiveObject, replacing old: ArchiveObject, at map: CBORCursor?, to form: inout Splices.Form
  ) throws {
    if let tag = object.tag {
      form.buffer.appendHead(.tag, CBORTag.object)
      form.buffer.appendHead(.array, object.version > 1 ? 3 : 2)
      form.buffer.appendText(tag.name)
    }
    let stored = try map.map { try StoredMap(at: $0, in: input) } ?? StoredMap()
    var gone = old.fields.filter { object[$0.name] == nil }
    form.buffer.appendHead(.map, UInt64(object.fields.count))
    for field in object.fields {
      try append(field.name, at: stored[field.name], to: &form)
      // A field without a predecessor may be a renamed field.
      let before =
        old[field.name].map { ArchiveObject.Field(name: field.name, value: $0) }
        ?? gone.firstIndex { $0.value == field.value }.map { gone.remove(at: $0) }
      let predecessor = before.flatMap { before in stored[before.name].map { (before.value, $0.value) } }
      try append(field.value, replacing: predecessor, to: &form)
    }
    if object.tag != nil, object.version > 1 { form.buffer.appendInteger(Int64(object.version)) }
  }

  /// Appends the name of a field. A stored name is copied, and may be a reference to an earlier string.
  @inline(never)
  private func append(_ name: String, at field: StoredMap.Field?, to form: inout Splices.Form) throws {
    guard let field, field.key.namespace == form.namespace else { return form.buffer.appendText(name) }
    form.buffer.append(input.reader.bytes(field.key.offset..<field.value.offset))
  }

  /// Appends a value that is not in the archive, but may contain shared items.
  private func append(_ value: ArchiveValue, to form: inout Splices.Form) throws {
    let parts = migrations.shared == nil ? [] : value.parts
    switch value {
    case _ where parts.isEmpty, .named, .tagged:
      return form.buffer.append(contentsOf: try KeyedArchiveEncoder(registry: registry, limits: limits).encode(value))
    case .object(let object): return try append(object, replacing: ArchiveObject(), at: nil, to: &form)
    case .map: form.buffer.appendHead(.map, UInt64(parts.count / 2))
    case .set:
      form.buffer.appendHead(.tag, CBORTag.set)
      fallthrough
    default: form.buffer.appendHead(.array, UInt64(parts.count))
    }
    for part in parts { try append(part, replacing: nil, to: &form) }
  }

  private func content(ofNamed cursor: CBORCursor) throws -> CBORCursor {
    let item = try input.item(at: cursor)
    return try input.namedValue(item)?.content ?? item.cursor
  }

  // MARK: Names and defaults

  /// Returns the separate fields of an object's superclass under their current names, and with defaults.
  func completedSuperclass(at cursor: CBORCursor, of object: CBORCursor) throws -> CBORCursor {
    guard let evolution = migrations.classes[object.offset] else { return cursor }
    var depth = 0
    let completed = try completed(cursor, evolution, depth: &depth)
    try checkStack(adding: depth)
    migrations.classes[completed.offset] = evolution
    return completed
  }

  private func completed(_ cursor: CBORCursor, _ evolution: TypeEvolution, depth: inout Int) throws -> CBORCursor {
    guard !evolution.formerNames.isEmpty || !evolution.defaults.isEmpty else { return cursor }
    let map = try input.item(at: cursor)
    guard map.head.major == .map else { return cursor }
    let stored: StoredMap
    do {
      stored = try StoredMap(at: map.cursor, in: input)
    } catch is ItemError {
      // A dictionary whose keys are not names, which the type stores as its single value. Decoding finds any fault.
      return cursor
    }
    // The current names of the fields that are stored under former names, by the fields' indices.
    var currentNames: [String?] = Array(repeating: nil, count: stored.fields.count)
    for (name, former) in evolution.formerNames where stored.index(of: name) == nil {
      if let index = former.lazy.compactMap(stored.index).first { currentNames[index] = name }
    }
    let isRenamed = currentNames.contains { $0 != nil }
    let missing = evolution.defaults.filter { name, _ in
      stored.index(of: name) == nil && !currentNames.contains { $0?.hasSameBytes(as: name) == true }
    }
    guard isRenamed || !missing.isEmpty else { return cursor }
    migrations.happened = true

    var form = Splices.Form(namespace: map.cursor.namespace)
    form.buffer.appendHead(.map, UInt64(stored.fields.count + missing.count))
    for (index, field) in stored.fields.enumerated() {
      if let name = currentNames[index] {
        form.buffer.appendText(name)
      } else {
        try append(field.name, at: field, to: &form)
      }
      form.appendReference(to: field.value)
    }
    for (name, value) in missing {
      form.buffer.appendText(name)
      form.buffer.append(contentsOf: value)
    }
    let spliced = try input.splice(form)
    depth = max(depth, spliced.depth)
    if let unreadFields {
      let names = stored.fields.enumerated().map { currentNames[$0] ?? $1.name }
      let first = input.firstElement(of: try input.item(at: spliced.cursor))
      unreadFields.note(stored: names, ofObjectAt: first.offset)
    }
    return spliced.cursor
  }
}

/// The cursors at a map's keys and values, in stored order and by field name.
private struct StoredMap {
  typealias Field = (name: String, key: CBORCursor, value: CBORCursor)

  private(set) var fields: [Field] = []
  private var indices: [ExactText: Int] = .init()

  init() {}

  /// Creates the map of an item's fields. An item that is not a map has no fields.
  @inline(never)
  init(at cursor: CBORCursor, in input: DecodingInput) throws {
    let map = try input.item(at: cursor)
    guard map.head.major == .map else { return }
    let count = Int(try input.container(at: map.cursor).count)
    try input.forEachPair(count, from: input.firstElement(of: map)) { key, value in
      let name = try input.name(at: key)
      guard indices.updateValue(fields.count, forKey: ExactText(name)) == nil else {
        throw ItemError.malformed("A key appears twice in one map.")
      }
      fields.append((name, key, value))
    }
  }

  func index(of name: String) -> Int? { indices[ExactText(name)] }

  subscript(name: String) -> Field? { index(of: name).map { fields[$0] } }
}
