import CodingSupport

/// A type's progress through the fields of a map. Types usually read fields in the order in which they wrote them, so
/// the field after the last one found is tried first. This costs one comparison of names. Only a field out of order
/// requires a search. A small map is searched linearly, and a larger map has an index that is created once.
struct FieldCursor {
  let first: CBORCursor
  let count: Int
  /// The number of fields before `next`.
  fileprivate var position = 0
  /// The cursor at the next key to try.
  fileprivate var next: CBORCursor
  /// The cursor at the key that was found last.
  fileprivate var found: CBORCursor?

  fileprivate static var indexedCount: Int { 16 }

  init() {
    first = .start
    next = first
    count = 0
  }

  init(map: StoredItem, in input: DecodingInput) throws {
    count = Int(try input.container(at: map.cursor).count)
    first = input.firstElement(of: map)
    next = first
  }
}

extension ValueDecoder: TextFieldsDecoder {
  package var isOnlyStorage: Bool { session.isOnlyStorage }

  /// Returns the cursor at the value under a name, or `nil` if there is none. The complexity is O(1) in written order.
  /// Otherwise, it is O(*n*) in the number of fields: once for a larger map, and in each call for up to 16 fields.
  func find(_ name: String) throws -> CBORCursor? {
    if fields.position < fields.count {
      let key = fields.next
      if let value = try input.passKnownName(TextIdentity(name), at: key) ?? input.passName(name, at: key) {
        fields.next = try input.skipShort(value) ?? input.skip(value)
        fields.position += 1
        fields.found = key
        return value
      }
    }
    return try findOutOfOrder(name)
  }

  /// Returns the text of the next field if that field has a certain name and a short text, and `nil` if the field has
  /// to be found and read in general. Most fields of most types are found like this.
  @inline(never)
  package func nextText(_ name: String) throws -> String? {
    let key = fields.next
    guard fields.position < fields.count, let value = input.passKnownName(TextIdentity(name), at: key) else {
      return nil
    }
    let text: String
    var next = value
    switch input.reader.shortItem(at: value.offset) {
    case .text(let start, let end):
      text = try input.reader.text(start..<end)
      next.offset = end
    case .reference(let number, let end):
      guard let referenced = try input.referencedText(UInt64(truncatingIfNeeded: number), in: value) else { return nil }
      text = referenced
      next.offset = end
    default:
      return nil
    }
    fields.next = next
    fields.position += 1
    fields.found = key
    return text
  }

  @inline(never)
  private func findOutOfOrder(_ name: String) throws -> CBORCursor? {
    if let key = fields.found, let value = try input.passName(name, at: key) { return value }
    if fields.count > FieldCursor.indexedCount {
      let values = try fieldsByName ?? index()
      fieldsByName = values
      return values[ExactText(name)]
    }
    var key = fields.first
    for _ in 0..<fields.count {
      if let value = try input.passName(name, at: key) {
        fields.found = key
        return value
      }
      key = try input.skip(input.skip(key))
    }
    return nil
  }

  private func index() throws -> [ExactText: CBORCursor] {
    var values: [ExactText: CBORCursor] = .init()
    try forEachField { name, value in
      let name = ExactText(name)
      values[name] = values[name] ?? value
    }
    return values
  }

  private func forEachField(_ body: (String, CBORCursor) throws -> Void) throws {
    var cursor = fields.first
    for _ in 0..<fields.count {
      let value = try input.skip(cursor)
      try body(input.name(at: cursor), value)
      cursor = try input.skip(value)
    }
  }

  func contains(_ name: String) -> Bool {
    do {
      return try find(name) != nil
    } catch {
      // The protocol does not allow an error here. Decoding the field throws the same error.
      return true
    }
  }

  /// Returns the coding keys of all fields for which a type has keys, in stored order.
  func allKeys<Key: CodingKey>(_: Key.Type) -> [Key] {
    fields.count == 1 ? session.keys(named: onlyName, as: Key.self) : manyKeys(Key.self)
  }

  @inline(never)
  private func manyKeys<Key: CodingKey>(_: Key.Type) -> [Key] {
    var keys: [Key] = []
    for name in allNames {
      if let key = Key(stringValue: name) { keys.append(key) }
    }
    return keys
  }

  /// The name of the first field, or `nil` if the key is not text.
  @inline(__always)
  private var onlyName: String? {
    do {
      return try input.name(at: fields.first)
    } catch {
      // See ``allNames``.
      return nil
    }
  }

  private var allNames: [String] {
    var names: [String] = []
    do {
      try forEachField { name, _ in names.append(name) }
    } catch {
      // The protocol does not allow an error here. Only a key that is not text fails. The names before it are correct,
      // and a type that needs all names gets the error when it decodes.
    }
    return names
  }

  // MARK: Errors

  struct Missing: Error {}

  func located(_ error: any Error, under key: some CodingKey, wanted type: Any.Type) -> any Error {
    guard error is Missing else { return publicError(error, wanted: type, codingPath + [key]) }
    return DecodingError.keyNotFound(
      key,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "There is no value for \(key.stringValue.quoted).")
    )
  }
}

extension DecodingInput {
  /// Returns the cursor after a map's key if the key has a certain name, or `nil` if it has another.
  @inline(never)
  func passName(_ name: String, at cursor: CBORCursor) throws -> CBORCursor? {
    let head = try reader.head(at: cursor.offset)
    if head.isTag(CBORTag.stringReference) {
      let number = try reader.head(at: head.end)
      guard try refersToName(number, in: cursor, name) else { return nil }
      return CBORCursor(offset: number.end, container: cursor.container, namespace: cursor.namespace)
    }
    return try passStoredName(head, name, at: cursor)
  }

  private func passStoredName(_ head: CBORHead, _ name: String, at cursor: CBORCursor) throws -> CBORCursor? {
    if head.major == .text, !head.isIndefinite {
      let end = try reader.payloadEnd(of: head)
      if name.withContiguousUTF8({ $0.count == end - head.end && reader.matches($0, at: head.end) }) {
        return CBORCursor(offset: end, container: cursor.container, namespace: cursor.namespace)
      }
      // Text that is skipped must be valid, too.
      try reader.checkText(head.end..<end)
      return nil
    }
    return try self.name(at: cursor).hasSameBytes(as: name) ? try skip(cursor) : nil
  }

  /// Returns the name of a field. For an integer key, returns its digits, because a `CodingKey` has both forms.
  func name(at cursor: CBORCursor) throws -> String {
    let item = try item(at: cursor)
    if let name = try textIfPresent(item) { return name }
    return try String(integer(Int128.self, at: cursor))
  }
}
