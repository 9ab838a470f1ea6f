/// The head of an item, after any tags that do not change its meaning.
struct StoredItem {
  var head: CBORHead
  var cursor: CBORCursor
}

/// The bytes of an archive, read in place, with the structure that a first pass found in them. All reading is by
/// cursor. A container moves its own cursor from field to field. Skipping a field is O(1), and fields may be read in
/// any order. See ``StructureIndex``. No code here depends on a type.
final class DecodingInput {
  let limits: ArchiveLimits
  // The run-time check for conflicting accesses is disabled, as in ``CodingSession``.
  @exclusivity(unchecked) private(set) var index = StructureIndex()
  /// Empty after a call to ``close()``, so that a decoder that a program kept gets an error, and never reads freed
  /// memory.
  @exclusivity(unchecked) private(set) var reader: CBORReader
  /// Keeps the memory of `reader` alive if no caller does.
  private var ownedBytes: ByteBuffer?
  /// The items that replace stored ones after migrations, or `nil` if there are none yet.
  @exclusivity(unchecked) private(set) var splices: Splices?
  @exclusivity(unchecked) var texts = ReferencedTexts()
  /// Kept from one archive to the next, because it depends on no archive.
  @exclusivity(unchecked) var storedNames = StoredNames()
  /// The bytes of shared items that may still be read again, so that references cannot multiply work without end.
  /// Decoding an item of one byte may take 48 bytes of memory, so this number is much lower than the limit on items.
  private var repetitionBudget: Int

  /// Whether ``item(at:)`` returns the item that a reference names, or the reference itself, which it checks.
  var followsReferences = true

  /// Creates a closed input.
  init(limits: ArchiveLimits) {
    self.limits = limits
    reader = .closed
    repetitionBudget = limits.maximumItems / 8
  }

  convenience init(owning buffer: ByteBuffer, limits: ArchiveLimits) throws {
    self.init(limits: limits)
    try open(buffer.contents)
    ownedBytes = buffer
  }

  /// Opens bytes, which must stay valid until the input is closed.
  func open(_ bytes: UnsafeRawBufferPointer) throws {
    reader = CBORReader(bytes)
    try index.rebuild(reader, limits: limits)
    guard index.end == bytes.count else { throw CBORError(.trailingBytes, at: index.end) }
  }

  /// Closes the input. Every read then throws until the input is opened again.
  func close() { reader = .closed }

  func forgetBytes() {
    texts.removeAll()
    if splices != nil { splices = nil }
    repetitionBudget = limits.maximumItems / 8
    followsReferences = true
  }

  // MARK: Moving

  /// Returns the cursor after an item, or `nil` if the item is not short.
  @inline(__always)
  func skipShort(_ cursor: CBORCursor) -> CBORCursor? {
    guard let item = reader.shortItem(at: cursor.offset) else { return nil }
    var cursor = cursor
    switch item {
    case .text(_, let end), .reference(_, let end), .scalar(let end): cursor.offset = end
    }
    return cursor
  }

  func skip(_ cursor: CBORCursor) throws -> CBORCursor {
    var cursor = cursor
    while true {
      let head = try reader.head(at: cursor.offset)
      switch head.major {
      case .unsigned, .negative, .simple:
        cursor.offset = head.end
        return cursor
      case .bytes, .text:
        cursor.offset =
          try head.isIndefinite ? reader.forEachChunk(from: head.end) { _ in } : reader.payloadEnd(of: head)
        return cursor
      case .array, .map:
        let container = try container(at: cursor)
        cursor.offset = container.end
        cursor.container = container.next
        return cursor
      case .tag: cursor.offset = head.end
      }
    }
  }

  func container(at cursor: CBORCursor) throws -> StructureIndex.Container {
    let head = try reader.head(at: cursor.offset)
    if head.argument == 0, !head.isIndefinite {
      return StructureIndex.Container(end: head.end, next: cursor.container, count: 0)
    }
    guard cursor.container >= 0, Int(cursor.container) < index.containers.count else {
      return try splicedContainer(at: cursor)
    }
    return index.containers[Int(cursor.container)]
  }

  func firstElement(of item: StoredItem) -> CBORCursor {
    CBORCursor(offset: item.head.end, container: item.cursor.container + 1, namespace: item.cursor.namespace)
  }

  /// Calls a function with the number and the cursor of each element of an array.
  @inline(__always)
  func forEachElement(_ count: Int, of array: StoredItem, _ body: (Int, CBORCursor) throws -> Void) throws {
    var cursor = firstElement(of: array)
    for number in 0..<count {
      try body(number, cursor)
      cursor = try skip(cursor)
    }
  }

  /// Calls a function with the cursors of each key and value of a map.
  @inline(__always)
  func forEachPair(_ count: Int, from first: CBORCursor, _ body: (CBORCursor, CBORCursor) throws -> Void) throws {
    var key = first
    for _ in 0..<count {
      let value = try skip(key)
      try body(key, value)
      key = try skip(value)
    }
  }

  func content(of item: StoredItem) -> CBORCursor {
    CBORCursor(offset: item.head.end, container: item.cursor.container, namespace: item.cursor.namespace)
  }

  /// Returns whether an item is null or undefined. A reference to a shared item takes no longer than any other item.
  @inline(__always)
  func isNull(at cursor: CBORCursor) throws -> Bool {
    let head = try reader.head(at: cursor.offset)
    return head.major == .tag ? try isTaggedNull(at: cursor) : head.isNull
  }

  private func isTaggedNull(at cursor: CBORCursor) throws -> Bool {
    let item = try itemOrReference(at: cursor)
    guard item.hasTag(CBORTag.sharedReference) else { return item.head.isNull }
    return try reader.head(at: earlierShareable(item).offset).isNull
  }

  /// Returns whether an item has a type name.
  @inline(__always)
  func isNamed(at cursor: CBORCursor) throws -> Bool {
    try reader.head(at: cursor.offset).major == .tag && markedItem(at: cursor).hasTag(CBORTag.object)
  }

  /// Reads an item after any tags that do not change its meaning, up to the mark of a shared instance.
  func markedItem(at cursor: CBORCursor) throws -> StoredItem {
    try item(at: cursor, isMarkSkipped: false)
  }

  /// Reads an item after any tags that do not change its meaning.
  func itemOrReference(at cursor: CBORCursor) throws -> StoredItem {
    try item(at: cursor, isMarkSkipped: true)
  }

  @inline(__always)
  private func item(at cursor: CBORCursor, isMarkSkipped: Bool) throws -> StoredItem {
    var item = StoredItem(head: try reader.head(at: cursor.offset), cursor: cursor)
    while item.head.major == .tag {
      if CBORTag.isTransparent(item.head.argument), isMarkSkipped || item.head.argument != CBORTag.shareable {
        item.cursor = contentOfTransparentTag(item)
      } else if let target = splicedTarget(of: item) {
        item.cursor = target
      } else {
        break
      }
      item.head = try reader.head(at: item.cursor.offset)
    }
    return item
  }

  /// Reads an item after any tags that do not change its meaning, and follows shared references. Neither this function
  /// nor the one for tags is inlined, because more than fifty callers would each contain the code for all tags.
  @inline(never)
  func item(at cursor: CBORCursor) throws -> StoredItem {
    let head = try reader.head(at: cursor.offset)
    if head.major != .tag { return StoredItem(head: head, cursor: cursor) }
    return try taggedItem(at: cursor)
  }

  @inline(never)
  private func taggedItem(at cursor: CBORCursor) throws -> StoredItem {
    var item = try itemOrReference(at: cursor)
    while item.hasTag(CBORTag.sharedReference) {
      let target = try target(ofReference: item)
      guard followsReferences else { break }
      try chargeRepetition(of: skip(target).offset - target.offset)
      item = try itemOrReference(at: target)
    }
    return item
  }

  private func contentOfTransparentTag(_ item: StoredItem) -> CBORCursor {
    var content = content(of: item)
    if item.head.argument == CBORTag.stringNamespace {
      content.namespace =
        index.namespaceAtOffset[item.cursor.offset] ?? splices?.index.namespaceAtOffset[item.cursor.offset]
        ?? content.namespace
    }
    return content
  }

  /// Returns the shared item that a reference names, which must precede the reference.
  private func earlierShareable(_ reference: StoredItem) throws -> CBORCursor {
    let number = try reader.head(at: reference.head.end)
    guard number.major == .unsigned, number.argument < UInt64(index.shareables.count) else {
      throw ItemError.malformed("A reference names a shared value that does not exist.")
    }
    let target = index.shareables[Int(truncatingIfNeeded: number.argument)]
    guard target.offset < reference.cursor.offset else {
      throw ItemError.malformed("A reference names a shared value that comes after it.")
    }
    return target
  }

  /// Returns the shared item that a reference names. The item must precede the reference, and must not contain it.
  private func target(ofReference item: StoredItem) throws -> CBORCursor {
    let target = try earlierShareable(item)
    guard try skip(target).offset <= item.cursor.offset else {
      throw KeyedArchiveError(.cycle, "A stored value contains a reference to itself.")
    }
    return target
  }

  /// Returns the contents of an item that is shared or refers to a shared item, or `nil` for any other item.
  func sharedContent(at cursor: CBORCursor) throws -> CBORCursor? {
    let item = try markedItem(at: cursor)
    if item.hasTag(CBORTag.shareable) { return content(of: item) }
    return item.hasTag(CBORTag.sharedReference) ? try earlierShareable(item) : nil
  }

  /// Returns the shared item that a reference names, or `nil` for any other item.
  @inline(__always)
  func referenceTarget(at cursor: CBORCursor) throws -> CBORCursor? {
    guard try reader.head(at: cursor.offset).major == .tag else { return nil }
    let item = try itemOrReference(at: cursor)
    return item.hasTag(CBORTag.sharedReference) ? try earlierShareable(item) : nil
  }

  // MARK: Repetition

  /// Counts bytes that are read again.
  func chargeRepetition(of length: Int) throws {
    guard length <= repetitionBudget else {
      throw KeyedArchiveError(
        .limitReached,
        "The archive has too many references to shared values. Raise ArchiveLimits.maximumItems if the archive is trusted."
      )
    }
    repetitionBudget -= length
  }

  /// Runs a function with its own budget for repeated bytes. Returns the amount of the budget that was used.
  func repeating<Result>(atMost budget: Int, _ body: () throws -> Result) throws -> (result: Result, used: Int) {
    let outer = repetitionBudget
    let inner = min(budget, limits.maximumItems / 8)
    repetitionBudget = inner
    defer { repetitionBudget = outer }
    let result = try body()
    return (result, inner - repetitionBudget)
  }

  // MARK: Splices

  /// Returns the target of a reference in a new form, or `nil` for any other item.
  private func splicedTarget(of item: StoredItem) -> CBORCursor? {
    guard item.head.argument == CBORTag.elsewhere else { return nil }
    return splices?.target(ofReferenceAt: item.cursor.offset)
  }

  /// Adds an item that is read as if it were in the archive. Returns the cursor at the item, and the item's nesting.
  func splice(_ form: Splices.Form) throws -> (cursor: CBORCursor, depth: Int) {
    let splices = self.splices ?? Splices(reader.bytes(0..<reader.count), index)
    self.splices = splices
    // The bytes of the new form may have moved the others, even if the form is rejected.
    defer { reader = splices.window }
    return try splices.append(form, limits: limits)
  }

  private func splicedContainer(at cursor: CBORCursor) throws -> StructureIndex.Container {
    guard let containers = splices?.index.containers, containers.indices.contains(Int(cursor.container)) else {
      throw CBORError(.truncated, at: cursor.offset)
    }
    return containers[Int(cursor.container)]
  }
}

extension CBORHead {
  fileprivate var isNull: Bool { major == .simple && (info == 22 || info == 23) }
}

extension StoredItem {
  var isNull: Bool { head.isNull }

  /// The truth value, or `nil` for any other item.
  var bool: Bool? {
    head.major == .simple && (head.info == 20 || head.info == 21) ? head.info == 21 : nil
  }

  func hasTag(_ tag: UInt64) -> Bool { head.isTag(tag) }
}
