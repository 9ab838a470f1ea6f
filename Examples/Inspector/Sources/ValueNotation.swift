import KeyedArchive

/// Writes a value in CBOR diagnostic notation, as `archivetool get --diagnostic` does. Source: RFC 8949, section 8.
///
/// Open items are kept in an array and not on the stack, so that no value is too deep.
struct ValueNotation {
  private struct Open {
    var next: CBORCursor
    var position = 0
    let count: Int
    let isMap: Bool
    let closing: String
    /// The offset of the last key's notation.
    var keyStart = 0
    var keys = Keys()
  }

  /// The keys of a map, as ranges of the text that holds their notation.
  private struct Keys {
    private var ranges: [Range<Int>] = []
    private var index = KeyIndex()

    /// Returns false for a key that is already in the map.
    mutating func insert(_ range: Range<Int>, in text: ByteBuffer) -> Bool {
      if index.isFull(ranges.count + 1) {
        index.reserve(2 * (ranges.count + 1))
        for (position, range) in ranges.enumerated() {
          index.insert(position, hash: index.hash(text.bytes(range.lowerBound, count: range.count)))
        }
      }
      let bytes = text.bytes(range.lowerBound, count: range.count)
      let hash = index.hash(bytes)
      let cell = index.freeCell(hash: hash) { [ranges] position in
        let other = ranges[position]
        return CMemory.areEqual(text.bytes(other.lowerBound, count: other.count), bytes)
      }
      guard let cell else { return false }
      index.fill(cell, with: ranges.count, hash: hash)
      ranges.append(range)
      return true
    }
  }

  private var values: ValueReader
  private let limit: Int
  private let text = ByteBuffer()
  private var open: [Open] = []

  /// `limit` is the greatest length of the text, in bytes. References can make the text much longer than the value.
  init(_ values: ValueReader, limit: Int) {
    self.values = values
    self.limit = limit
  }

  /// Returns the notation of an item. Throws for a value that the library would reject.
  mutating func text(at cursor: CBORCursor) throws(ValueFailure) -> ByteBuffer {
    try write(cursor)
    while var innermost = open.popLast() {
      guard text.count <= limit else { throw ValueFailure("the text has more than \(limit) bytes") }
      if innermost.isMap, !innermost.position.isMultiple(of: 2) {
        guard innermost.keys.insert(innermost.keyStart..<text.count, in: text) else {
          throw ValueFailure("a key appears twice in one map")
        }
      }
      guard innermost.position < innermost.count else {
        text.append(text: innermost.closing)
        continue
      }
      let isValue = innermost.isMap && !innermost.position.isMultiple(of: 2)
      if innermost.position > 0 { text.append(text: isValue ? ": " : ", ") }
      innermost.keyStart = text.count
      innermost.position += 1
      let cursor = innermost.next
      innermost.next = try values.skip(cursor)
      open.append(innermost)
      try write(cursor)
    }
    return text
  }

  /// Writes an item, or only the beginning of an array or a map.
  private mutating func write(_ cursor: CBORCursor) throws(ValueFailure) {
    let item = try values.item(at: cursor)
    switch item.head.major {
    case .unsigned, .negative: text.append(text: try values.integerDigits(item) ?? "")
    case .bytes, .text: try writeString(item)
    case .array: try open(item, "[", closing: "]")
    case .map: try open(item, "{", closing: "}")
    case .simple: text.append(text: ValueText.simple(item.head, values.reader))
    case .tag: try writeTagged(item)
    }
  }

  private mutating func open(
    _ item: FoundItem, _ opening: String, closing: String
  ) throws(ValueFailure) {
    let isMap = item.head.major == .map
    let count = Int(try values.container(at: item.cursor, item.head).count) * (isMap ? 2 : 1)
    text.append(text: opening)
    open.append(Open(next: values.firstElement(of: item), count: count, isMap: isMap, closing: closing))
  }

  private mutating func wrap(_ content: CBORCursor, _ opening: String, closing: String) {
    text.append(text: opening)
    open.append(Open(next: content, count: 1, isMap: false, closing: closing))
  }

  private mutating func writeString(_ item: FoundItem) throws(ValueFailure) {
    guard let (isText, bytes) = try values.string(item) else { return }
    text.append(text: isText ? "\"" : "h'")
    values.withBytes(bytes) { isText ? text.appendEscaped($0) : text.appendHexadecimal($0) }
    text.append(text: isText ? "\"" : "'")
  }

  private mutating func writeTagged(_ item: FoundItem) throws(ValueFailure) {
    if item.hasTag(CBORTag.stringReference) { return try writeString(item) }
    if let digits = try values.integerDigits(item) { return text.append(text: digits) }
    if let big = try values.wideInteger(item) {
      text.append(text: "\(item.head.argument)(h'")
      big.magnitude.withUnsafeBytes { text.appendHexadecimal($0) }
      return text.append(text: "')")
    }
    // A date is written as an integer if its seconds are one.
    if let seconds = try values.unixSeconds(item) {
      return text.append(text: "1(\(Int64(exactly: seconds).map { String($0) } ?? NumberText.of(seconds)))")
    }
    guard let named = try values.named(item) else {
      return wrap(values.content(of: item), "\(item.head.argument)(", closing: ")")
    }
    text.append(text: "27([\"")
    var name = named.name
    name.withUTF8 { text.appendEscaped(UnsafeRawBufferPointer($0)) }
    wrap(named.content, "\", ", closing: named.version > 1 ? ", \(named.version)])" : "])")
  }
}

enum ValueText {
  static func simple(_ head: CBORHead, _ reader: CBORReader) -> String {
    if let number = reader.float(head) { return NumberText.of(number) }
    guard head.info < 24 else { return "simple(\(head.argument))" }
    switch head.argument {
    case CBORSimple.falseValue: return "false"
    case CBORSimple.trueValue: return "true"
    case CBORSimple.null: return "null"
    case CBORSimple.undefined: return "undefined"
    default: return "simple(\(head.argument))"
    }
  }
}
