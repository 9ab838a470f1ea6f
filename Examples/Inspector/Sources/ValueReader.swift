import KeyedArchive

/// An item, after the tags that do not change its meaning.
struct FoundItem {
  var head: CBORHead
  var cursor: CBORCursor
  /// The number of this shared instance; `nil` if the item is not shared.
  var instance: Int?

  func hasTag(_ tag: UInt64) -> Bool { head.isTag(tag) }
}

/// Moves through one value, like `DecodingInput` in the library's decoder, which needs Foundation.
///
/// The index already exists, so each item is well-formed. What an index cannot check is checked here: that text is
/// UTF-8, and that a reference to an instance has a target before it.
struct ValueReader {
  let reader: CBORReader
  let index: StructureIndex
  let limits: ArchiveLimits
  /// The number of bytes of shared items that may still be read again, so that references cannot multiply the work
  /// without limit.
  private var repetitionBudget: Int

  init(_ reader: CBORReader, _ index: StructureIndex, limits: ArchiveLimits) {
    self.reader = reader
    self.index = index
    self.limits = limits
    repetitionBudget = limits.maximumItems / 8
  }

  // MARK: Moving

  func head(at offset: Int) throws(ValueFailure) -> CBORHead {
    try ValueFailure.wrapping { () throws(CBORError) in try reader.head(at: offset) }
  }

  func payload(of head: CBORHead) throws(ValueFailure) -> Range<Int> {
    head.end..<(try ValueFailure.wrapping { () throws(CBORError) in try reader.payloadEnd(of: head) })
  }

  /// Returns the cursor after an item, in O(1) except for strings in chunks.
  func skip(_ cursor: CBORCursor) throws(ValueFailure) -> CBORCursor {
    var cursor = cursor
    while true {
      let head = try head(at: cursor.offset)
      switch head.major {
      case .unsigned, .negative, .simple:
        cursor.offset = head.end
        return cursor
      case .bytes, .text:
        cursor.offset = head.isIndefinite ? try chunks(from: head.end).end : try payload(of: head).upperBound
        return cursor
      case .array, .map:
        let container = try container(at: cursor, head)
        cursor.offset = container.end
        cursor.container = container.next
        return cursor
      case .tag:
        cursor.offset = head.end
      }
    }
  }

  func container(at cursor: CBORCursor, _ head: CBORHead) throws(ValueFailure) -> StructureIndex.Container {
    if head.argument == 0, !head.isIndefinite {
      return StructureIndex.Container(end: head.end, next: cursor.container, count: 0)
    }
    guard index.containers.indices.contains(Int(cursor.container)) else {
      throw ValueFailure("an array or a map that is not known, at byte \(cursor.offset)")
    }
    return index.containers[Int(cursor.container)]
  }

  func firstElement(of item: FoundItem) -> CBORCursor {
    CBORCursor(offset: item.head.end, container: item.cursor.container + 1, namespace: item.cursor.namespace)
  }

  func content(of item: FoundItem) -> CBORCursor {
    CBORCursor(offset: item.head.end, container: item.cursor.container, namespace: item.cursor.namespace)
  }

  /// Reads an item after the tags that do not change its meaning, and follows references to shared instances.
  mutating func item(at cursor: CBORCursor) throws(ValueFailure) -> FoundItem {
    var item = FoundItem(head: try head(at: cursor.offset), cursor: cursor)
    while item.head.major == .tag {
      switch item.head.argument {
      case CBORTag.selfDescribed:
        item.cursor = content(of: item)
      case CBORTag.shareable:
        item.cursor = content(of: item)
        item.instance = index.instance(at: item.cursor.offset)
      case CBORTag.stringNamespace:
        let namespace = index.namespaceAtOffset[item.cursor.offset]
        item.cursor = content(of: item)
        if let namespace { item.cursor.namespace = namespace }
      case CBORTag.sharedReference:
        (item.cursor, item.instance) = try target(ofReference: item)
      default: return item
      }
      item.head = try head(at: item.cursor.offset)
    }
    return item
  }

  /// Returns the shared item that a reference names. The item is before the reference and does not contain it.
  private mutating func target(ofReference item: FoundItem) throws(ValueFailure) -> (CBORCursor, Int) {
    let number = try head(at: item.head.end)
    guard number.major == .unsigned, number.argument < UInt64(index.shareables.count) else {
      throw ValueFailure("a reference to a shared value that does not exist, at byte \(item.cursor.offset)")
    }
    let instance = Int(truncatingIfNeeded: number.argument)
    let target = index.shareables[instance]
    guard target.offset < item.cursor.offset else {
      throw ValueFailure("a reference to a shared value that comes after it, at byte \(item.cursor.offset)")
    }
    let end = try skip(target).offset
    guard end <= item.cursor.offset else {
      throw ValueFailure("a value that contains a reference to itself, at byte \(item.cursor.offset)")
    }
    try charge(end - target.offset)
    return (target, instance)
  }

  /// Counts bytes that are read more than once.
  mutating func charge(_ length: Int) throws(ValueFailure) {
    guard length <= repetitionBudget else { throw ValueFailure("shared items are referenced too often") }
    repetitionBudget -= length
  }

  // MARK: Strings

  /// Returns the contiguous bytes of a text or a byte string, or those of the string that the item refers to. Returns
  /// `nil` for any other item. Text is valid UTF-8.
  mutating func string(_ item: FoundItem) throws(ValueFailure) -> (isText: Bool, bytes: StringBytes)? {
    var head = item.head
    if item.hasTag(CBORTag.stringReference) { head = try referencedString(item) }
    guard head.major == .text || head.major == .bytes else { return nil }
    let isText = head.major == .text
    guard !head.isIndefinite else { return (isText, .joined(try joinedChunks(from: head.end, isText: isText))) }
    let range = try payload(of: head)
    if item.hasTag(CBORTag.stringReference), !isText { try charge(range.count) }
    if isText { try checkText(range) }
    return (isText, .stored(range))
  }

  /// Returns the text of an item, or `nil` for any other item.
  mutating func text(_ item: FoundItem) throws(ValueFailure) -> String? {
    guard let (isText, bytes) = try string(item), isText else { return nil }
    return withBytes(bytes) { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the bytes of a byte string, or `nil` for any other item.
  mutating func byteString(_ item: FoundItem) throws(ValueFailure) -> StringBytes? {
    guard let (isText, bytes) = try string(item), !isText else { return nil }
    return bytes
  }

  /// The bytes of a string: a range of the value, or a copy that joins the chunks.
  enum StringBytes {
    case stored(Range<Int>)
    case joined(ByteBuffer)
  }

  func withBytes<Result>(_ bytes: StringBytes, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    switch bytes {
    case .stored(let range): body(reader.bytes(range))
    case .joined(let buffer): buffer.withUnsafeBytes { body($0) }
    }
  }

  private func checkText(_ range: Range<Int>) throws(ValueFailure) {
    _ = try ValueFailure.wrapping { () throws(CBORError) in try reader.text(range) }
  }

  private func referencedString(_ item: FoundItem) throws(ValueFailure) -> CBORHead {
    let number = try head(at: item.head.end)
    let namespace = Int(item.cursor.namespace)
    guard index.namespaces.indices.contains(namespace), number.major == .unsigned,
      number.argument < UInt64(index.namespaces[namespace].count)
    else { throw ValueFailure("a reference to a string that does not exist, at byte \(item.cursor.offset)") }
    return try head(at: index.namespaces[namespace][Int(truncatingIfNeeded: number.argument)])
  }

  private func joinedChunks(from offset: Int, isText: Bool) throws(ValueFailure) -> ByteBuffer {
    let joined = ByteBuffer()
    for chunk in try chunks(from: offset).ranges {
      if isText { try checkText(chunk) }
      joined.append(reader.bytes(chunk))
    }
    return joined
  }

  private func chunks(from start: Int) throws(ValueFailure) -> (ranges: [Range<Int>], end: Int) {
    var (ranges, offset): ([Range<Int>], Int) = ([], start)
    while true {
      let chunk = try head(at: offset)
      if chunk.isBreak { return (ranges, chunk.end) }
      let range = try payload(of: chunk)
      ranges.append(range)
      offset = range.upperBound
    }
  }
}

extension StructureIndex {
  /// Returns the number of the shared instance whose content is at an offset. Numbers grow with offsets.
  func instance(at offset: Int) -> Int? {
    var (low, high) = (0, shareables.count)
    while low < high {
      let middle = (low + high) / 2
      if shareables[middle].offset < offset { low = middle + 1 } else { high = middle }
    }
    return low < shareables.count && shareables[low].offset == offset ? low : nil
  }
}
