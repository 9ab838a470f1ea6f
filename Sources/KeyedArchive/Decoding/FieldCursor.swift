/// Finds the fields of a map.
///
/// Types read their fields in the order in which they wrote them, so the field after the one found last is tried first:
/// that costs one comparison of names. Only a field out of order is searched for, in a small map by walking it, in a
/// larger one by an index made once.
final class FieldCursor {
  private let session: DecodingSession
  private let first: CBORCursor
  private let count: Int
  /// The number of fields before `next`.
  private var position = 0
  /// The place of the key that is tried first.
  private var next: CBORCursor
  private var foundName: String?
  private var foundValue: CBORCursor
  private var valuesByName: [ExactText: CBORCursor]?

  private static let indexedCount = 16

  init(session: DecodingSession, map: DecodingSession.Item) throws {
    self.session = session
    count = Int(try session.container(at: map.cursor).count)
    first = session.firstElement(of: map)
    next = first
    foundValue = first
  }

  /// The place of the value under a name, or `nil` when there is none.
  ///
  /// - Complexity: O(1) in written order; otherwise O(*n*) in the number of fields, once or for up to 16 fields.
  @inline(__always)
  func find(_ name: String) throws -> CBORCursor? {
    if position < count {
      let key = try self.name(at: next)
      if key.hasSameBytes(as: name) {
        let value = try session.skip(next)
        next = try session.skip(value)
        position += 1
        foundName = key
        foundValue = value
        return value
      }
    }
    return try findOutOfOrder(name)
  }

  private func findOutOfOrder(_ name: String) throws -> CBORCursor? {
    if let foundName, foundName.hasSameBytes(as: name) { return foundValue }
    if count > FieldCursor.indexedCount {
      let values = try valuesByName ?? index()
      valuesByName = values
      return values[ExactText(name)]
    }
    var cursor = first
    for _ in 0..<count {
      let value = try session.skip(cursor)
      if try self.name(at: cursor).hasSameBytes(as: name) {
        foundName = name
        foundValue = value
        return value
      }
      cursor = try session.skip(value)
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
      try body(name(at: cursor), value)
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

  /// The name at a key's place; an integer key is read as its digits, as `CodingKey` has both.
  private func name(at cursor: CBORCursor) throws -> String {
    let item = try session.item(at: cursor)
    if let name = try session.textIfPresent(item) { return name }
    return try String(session.integer(Int128.self, at: cursor))
  }
}
