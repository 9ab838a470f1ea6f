/// A value with the name of its type: tag 27.
typealias NamedValue = (name: ArchiveTag, content: CBORCursor, version: Int)

extension DecodingInput {
  /// Reads tag 27 of an item: `[name, value]` or `[name, value, version]`.
  func namedValue(_ item: StoredItem) throws -> NamedValue? {
    guard item.head.major == .tag, item.head.argument == CBORTag.object else { return nil }
    let array = try self.item(at: content(of: item))
    guard array.head.major == .array else { return nil }
    let count = try container(at: array.cursor).count
    guard count == 2 || count == 3 else { return nil }
    let nameCursor = firstElement(of: array)
    guard let name = try textIfPresent(self.item(at: nameCursor)) else { return nil }
    guard !name.isEmpty, name.utf8.count <= limits.maximumTagLength else {
      throw ItemError.malformed("A type tag has \(name.utf8.count) bytes; the limit is \(limits.maximumTagLength).")
    }
    let content = try skip(nameCursor)
    var version = 1
    if count == 3 {
      guard let stored = try typeVersion(self.item(at: skip(content))), stored > 0 else {
        throw ItemError.malformed("The version after the type tag \"\(name)\" is not a positive integer.")
      }
      version = stored
    }
    return (ArchiveTag(name), content, version)
  }

  /// Whether an item is a nil that was named by an optional that the type no longer has.
  func isNamedNil(at cursor: CBORCursor) throws -> Bool {
    guard try isNamed(at: cursor), let named = try namedValue(markedItem(at: cursor)) else { return false }
    return try named.name == OptionalName.tag && isNull(at: named.content)
  }

  /// Returns the version after a type's name. Like any integer from another program, it may be stored as a big integer.
  private func typeVersion(_ item: StoredItem) throws -> Int? {
    if item.head.major == .unsigned { return Int(exactly: item.head.argument) }
    return try BigInteger(item, in: self).flatMap { Int(exactly: $0) }
  }
}
