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
  /// The lengths of the names that were found in written order, one bit each. A name that is a reference may have any
  /// length.
  private var lengths: UInt64 = 0

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

  /// Moves to the next key after the value of a name that was found in written order.
  @inline(__always)
  fileprivate mutating func pass(_ key: CBORCursor, to end: CBORCursor) {
    next = end
    position += 1
    found = key
  }

  @inline(__always)
  fileprivate mutating func note(lengthOf name: String) { lengths |= FieldCursor.bit(of: name) }

  @inline(__always)
  fileprivate mutating func noteAnyLength() { lengths = .max }

  /// Whether no field can have a certain name, because all fields were found in written order under names of other
  /// lengths. Optional properties that are `nil` are not stored, so this is frequent.
  @inline(__always)
  fileprivate func lacks(_ name: String) -> Bool {
    position == count && lengths & FieldCursor.bit(of: name) == 0
  }

  @inline(__always)
  private static func bit(of name: String) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: name.utf8.count & 63) }
}

extension ValueDecoder: TextFieldsDecoder {
  package var isOnlyStorage: Bool { session.isOnlyStorage && session.unreadFields == nil }

  package func noteEarlierForm() { session.migrations.happened = true }

  package func noteUnreadField(_ path: [any CodingKey]) { session.unreadFields?.note(path) }

  /// Returns the cursor at the value under a name, or `nil` if there is none. The complexity is O(1) in written order.
  /// Otherwise, it is O(*n*) in the number of fields: once for a larger map, and in each call for up to 16 fields.
  func find(_ name: String) throws -> CBORCursor? {
    if fields.position < fields.count {
      let key = fields.next
      if let value = try input.passKnownName(name, at: key) ?? input.passName(name, at: key) {
        fields.pass(key, to: try input.skipShort(value) ?? input.skip(value))
        fields.note(lengthOf: name)
        return value
      }
    } else if fields.lacks(name) {
      return nil
    }
    return try findOutOfOrder(name)
  }

  /// Returns the text of the next field if that field has a certain name and a short text, and `nil` if the field has
  /// to be found and read in general. Most fields of most types are found like this.
  @inline(never)
  package func nextText(_ name: String) throws -> String? {
    let key = fields.next
    guard fields.position < fields.count, let value = input.passKnownReference(to: TextIdentity(name), at: key) else {
      return try nextTextUnderText(name)
    }
    fields.noteAnyLength()
    return try passText(at: value, under: key)
  }

  /// Does the same for a name that is stored as text, as in an archive of one value.
  @inline(never)
  private func nextTextUnderText(_ name: String) throws -> String? {
    let key = fields.next
    guard fields.position < fields.count, let value = input.passKnownText(TextIdentity(name), at: key) else {
      return nil
    }
    fields.note(lengthOf: name)
    return try passText(at: value, under: key)
  }

  @inline(__always)
  private func passText(at value: CBORCursor, under key: CBORCursor) throws -> String? {
    let text: String
    var next = value
    if let (start, end) = input.reader.shortText(at: value.offset) {
      text = try input.reader.text(start..<end)
      next.offset = end
    } else {
      guard let (number, end) = input.reader.shortReference(at: value.offset),
        let referenced = try input.referencedText(UInt64(truncatingIfNeeded: number), in: value)
      else { return nil }
      text = referenced
      next.offset = end
    }
    fields.pass(key, to: next)
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
    try input.forEachPair(fields.count, from: fields.first) { key, value in
      let name = ExactText(try input.name(at: key))
      values[name] = values[name] ?? value
    }
    return values
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

  @inline(__always)
  private var onlyName: String? {
    do {
      return try input.name(at: fields.first)
    } catch {
      return nameInstead(of: error)
    }
  }

  private var allNames: [String] {
    var names: [String] = []
    do {
      try input.forEachPair(fields.count, from: fields.first) { key, _ in names.append(try input.name(at: key)) }
    } catch {
      if let name = nameInstead(of: error) { names.append(name) }
    }
    return names
  }

  /// Returns a name for a key that cannot be read, such as one that is not text. The protocol does not allow an error
  /// here. With this name, a type that decodes the values of all names, like a `Dictionary`, gets the error; without
  /// it, the type would miss the field.
  private func nameInstead(of error: any Error) -> String? {
    (error as? CBORError)?.reason == .decodingIsOver ? nil : "a key that is not text"
  }

  // MARK: Errors

  /// Throws the error of a value that may be absent, unless the value is an inner nil.
  @_semantics("optimize.sil.specialize.generic.never")
  func check(_ error: any Error, at cursor: CBORCursor, under key: some CodingKey, wanted type: Any.Type) throws {
    // If the value cannot be examined, the error that is known says more.
    guard (try? input.isNamedNil(at: cursor)) == true else { throw located(error, under: key, wanted: type) }
  }

  @_semantics("optimize.sil.specialize.generic.never")
  func located(_ error: any Error, under key: some CodingKey, wanted type: Any.Type) -> any Error {
    guard error is NoItem else { return publicError(error, wanted: type, codingPath + [key]) }
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
        storedNames.note(name, reader.shortBytes(end - cursor.offset, at: cursor.offset))
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
