/// Finds the fields of a map.
///
/// Types read their fields in the order in which they wrote them, so the field after the one found last is tried first:
/// that costs one comparison of names. Only a field out of order is searched for, in a small map by walking it, in a
/// larger one by an index made once.
final class FieldCursor {
  let session: DecodingSession
  let path: CodingPathNode
  private let first: CBORCursor
  private let count: Int
  // The run-time check for conflicting accesses is left out: each property is read or written by itself.
  /// The number of fields before `next`.
  @exclusivity(unchecked) private var position = 0
  /// The place of the key that is tried first.
  @exclusivity(unchecked) private var next: CBORCursor
  /// The places of the key and the value that were found last.
  @exclusivity(unchecked) private var found: (key: CBORCursor, value: CBORCursor)?
  private var valuesByName: [ExactText: CBORCursor]?

  private static var indexedCount: Int { 16 }

  init(session: DecodingSession, map: DecodingSession.Item, path: CodingPathNode) throws {
    self.session = session
    self.path = path
    count = Int(try session.container(at: map.cursor).count)
    first = session.firstElement(of: map)
    next = first
  }

  /// The place of the value under a name, or `nil` when there is none.
  ///
  /// - Complexity: O(1) in written order; otherwise O(*n*) in the number of fields, once or for up to 16 fields.
  func find(_ name: String) throws -> CBORCursor? {
    if position < count {
      let key = next
      if let value = try session.passName(name, at: key) {
        next = try session.skip(value)
        position += 1
        found = (key, value)
        return value
      }
    }
    return try findOutOfOrder(name)
  }

  @inline(never)
  private func findOutOfOrder(_ name: String) throws -> CBORCursor? {
    if let found, try session.passName(name, at: found.key) != nil { return found.value }
    if count > FieldCursor.indexedCount {
      let values = try valuesByName ?? index()
      valuesByName = values
      return values[ExactText(name)]
    }
    var key = first
    for _ in 0..<count {
      if let value = try session.passName(name, at: key) {
        found = (key, value)
        return value
      }
      key = try session.skip(session.skip(key))
    }
    return nil
  }

  private func index() throws -> [ExactText: CBORCursor] {
    var values: [ExactText: CBORCursor] = [:]
    try forEach { name, value in
      let name = ExactText(name)
      values[name] = values[name] ?? value
    }
    return values
  }

  private func forEach(_ body: (String, CBORCursor) throws -> Void) throws {
    var cursor = first
    for _ in 0..<count {
      let value = try session.skip(cursor)
      try body(session.name(at: cursor), value)
      cursor = try session.skip(value)
    }
  }

  func contains(_ name: String) -> Bool {
    do {
      return try find(name) != nil
    } catch {
      // The protocol leaves no way to throw here; decoding the field throws the same error.
      return true
    }
  }

  /// The names of all fields, in stored order.
  var allNames: [String] {
    var names: [String] = []
    do {
      try forEach { name, _ in names.append(name) }
    } catch {
      // The protocol leaves no way to throw here. Only a key that is not text fails; the names before it are right,
      // and a type that needs all of them finds the failure when it decodes.
    }
    return names
  }

  // MARK: Errors

  /// Thrown where no value stands under a key that must have one.
  struct Missing: Error {}

  /// An error that was met under a key, with the coding path.
  func located(_ error: any Error, under key: some CodingKey, wanted type: Any.Type) -> any Error {
    switch error {
    case is Missing:
      DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: session.keys(of: path), debugDescription: "No value stands under \"\(key.stringValue)\"."))
    case let error as ItemError:
      error.decodingError(wanted: type, path: session.keys(of: path) + [key])
    case let error as CBORError:
      KeyedArchiveError(error, codingPath: session.keys(of: path) + [key])
    default:
      error
    }
  }
}

extension DecodingSession {
  /// The place behind a map's key that is a certain name, or `nil` when the key is another.
  func passName(_ name: String, at cursor: CBORCursor) throws -> CBORCursor? {
    let head = try reader.head(at: cursor.offset)
    if head.major == .text, !head.isIndefinite {
      let end = try reader.payloadEnd(of: head)
      if name.withContiguousUTF8({ $0.count == end - head.end && reader.matches($0, at: head.end) }) {
        return CBORCursor(offset: end, container: cursor.container, namespace: cursor.namespace)
      }
      // Text that is passed over has to be valid, too.
      _ = try reader.text(head.end..<end)
      return nil
    }
    if head.isTag(CBORTag.stringReference) {
      let number = try reader.head(at: head.end)
      guard try referencedText(number, in: cursor)?.hasSameBytes(as: name) ?? false else { return nil }
      return CBORCursor(offset: number.end, container: cursor.container, namespace: cursor.namespace)
    }
    return try self.name(at: cursor).hasSameBytes(as: name) ? try skip(cursor) : nil
  }

  /// The name at a key's place; an integer key is read as its digits, as `CodingKey` has both.
  func name(at cursor: CBORCursor) throws -> String {
    let item = try item(at: cursor)
    if let name = try textIfPresent(item) { return name }
    return try String(integer(Int128.self, at: cursor))
  }
}
