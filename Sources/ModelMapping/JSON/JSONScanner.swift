import CodingSupport

/// Checks a JSON text, and records the extents of its values, without recursion and without creating values.
struct JSONScanner {
  private let bytes: [UInt8]
  private let maximumDepth: Int
  private var position = 0
  private var open: [Level] = []
  /// The keys of all open objects.
  private var keys: [Range<Int>] = []
  private(set) var depth = 0
  private(set) var duplicates: [JSONDuplicate] = []
  /// All values and keys, in order.
  private(set) var extents = ContiguousArray<JSONExtent>()
  /// The index of the top-level member or element that contains the last duplicate.
  private var memberOfLastDuplicate: Int?

  private struct Level {
    let isObject: Bool
    /// The index of its first key among the keys of all open objects.
    let firstKey: Int
    let value: Int
    /// The number of elements or members that have begun.
    var count = 0
  }

  /// Throws `malformedJSON` or `limitReached`, with the location.
  init(checking bytes: [UInt8], maximumDepth: Int) throws(ModelError) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    try scan()
  }

  private mutating func scan() throws(ModelError) {
    var isComplete = try scanValue()
    while let level = open.last {
      // One value, or the start of a level, was scanned.
      skipSpace()
      isComplete = isComplete ? try scanAfterValue(in: level) : try scanFirst(in: level)
    }
    skipSpace()
    guard position == bytes.count else { throw failure("There is text after the value.") }
  }

  /// Scans a scalar or an opening bracket. Returns whether the value is complete.
  private mutating func scanValue() throws(ModelError) -> Bool {
    skipSpace()
    guard position < bytes.count else { throw failure("The text ends where a value is expected.") }
    let start = position
    switch bytes[position] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      open.append(Level(isObject: bytes[position] == UInt8(ascii: "{"), firstKey: keys.count, value: extents.count))
      note(start)
      depth = max(depth, open.count)
      guard open.count <= maximumDepth else {
        throw failure("Values are nested more than \(counted(maximumDepth, "level", "levels")) deep.", .limitReached)
      }
      position += 1
      return false
    case UInt8(ascii: "\""):
      let isPlain = try scanText()
      note(start, isPlain: isPlain)
      return true
    case UInt8(ascii: "t"): try scan(word: "true")
    case UInt8(ascii: "f"): try scan(word: "false")
    case UInt8(ascii: "n"): try scan(word: "null")
    default: try scanNumber()
    }
    note(start)
    return true
  }

  /// Records the extent of a scanned value or key, or the start of a value that is being entered.
  private mutating func note(_ start: Int, isPlain: Bool = true) {
    extents.append(JSONExtent(start: start, end: position, isPlain: isPlain))
  }

  private mutating func closeLevel() { extents[open.removeLast().value].next = extents.count }

  /// Scans up to the first element after an opening bracket, or the closing bracket.
  private mutating func scanFirst(in level: Level) throws(ModelError) -> Bool {
    if take(level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      closeLevel()
      return true
    }
    return try scanNext(level.isObject)
  }

  /// Scans up to the next element after a value, or the closing bracket.
  private mutating func scanAfterValue(in level: Level) throws(ModelError) -> Bool {
    if take(UInt8(ascii: ",")) { return try scanNext(level.isObject) }
    guard take(level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
      throw failure("Expected a comma or \(level.isObject ? "}" : "]").")
    }
    if level.isObject { closeObject(level) }
    closeLevel()
    return true
  }

  private mutating func scanNext(_ isObject: Bool) throws(ModelError) -> Bool {
    skipSpace()
    open[open.count - 1].count += 1
    if isObject {
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
        throw failure("Expected a key in quotation marks.")
      }
      let start = position
      let isPlain = try scanText()
      keys.append(start..<position)
      note(start, isPlain: isPlain)
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("Expected a colon after the key.") }
    }
    return try scanValue()
  }

  // MARK: Keys

  /// Records the first duplicate key of an object. Each member or element of the top-level value is refused for one
  /// duplicate, so only one is recorded for each. Otherwise the records, which have paths, could grow faster than the
  /// text.
  private mutating func closeObject(_ level: Level) {
    let count = keys.count - level.firstKey
    defer { keys.removeLast(count) }
    let member = open.count > 1 ? open[0].count : nil
    guard count > 1, member == nil || member != memberOfLastDuplicate else { return }
    // Foundation's decoder keeps only one of two keys that are equal in Swift, even if their bytes differ.
    var names = Set<String>(minimumCapacity: count)
    guard let key = keys[level.firstKey...].first(where: { !names.insert(name($0)).inserted }) else { return }
    memberOfLastDuplicate = member
    let path = ValuePath(self.path.components.dropLast() + [.key(name(key))])
    duplicates.append(JSONDuplicate(name: name(key), path: path, offset: key.lowerBound))
  }

  private func name(_ key: Range<Int>) -> String {
    JSONText.unescaped(bytes[key.dropFirst().dropLast()])
  }

  // MARK: Tokens

  private mutating func skipSpace() {
    while position < bytes.count, case let byte = bytes[position],
      byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
    {
      position += 1
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func scan(word: StaticString) throws(ModelError) {
    let text = "\(word)".utf8
    guard bytes[position...].starts(with: text) else { throw failure("Expected a JSON value.") }
    position += text.count
  }

  private mutating func scanDigits() throws(ModelError) {
    let start = position
    while position < bytes.count, bytes[position].isDigit { position += 1 }
    guard position > start else {
      throw failure(start == bytes.count ? "The text ends inside a number." : "Expected a digit.")
    }
  }

  private mutating func scanNumber() throws(ModelError) {
    let isNegative = take(UInt8(ascii: "-"))
    guard isNegative || position < bytes.count && bytes[position].isDigit else {
      let isMark = bytes[position...].starts(with: UnicodeText.byteOrderMark)
      throw failure(isMark ? "A byte order mark is allowed only once, at the start." : "Expected a JSON value.")
    }
    if !take(UInt8(ascii: "0")) { try scanDigits() }
    if take(UInt8(ascii: ".")) { try scanDigits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
      try scanDigits()
    }
  }

  /// - Returns: Whether the string is ASCII without escapes.
  private mutating func scanText() throws(ModelError) -> Bool {
    let start = position
    var isPlain = true
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return isPlain
      case UInt8(ascii: "\\"):
        isPlain = false
        try scanEscape()
      case 0..<0x20: throw failure("A control character in a string must be escaped.")
      case let byte:
        if byte >= 0x80 { isPlain = false }
        position += 1
      }
    }
    position = start
    throw failure("The string has no closing quotation mark.")
  }

  private mutating func scanEscape() throws(ModelError) {
    let start = position
    position += 1
    guard position < bytes.count else { throw failure("The text ends inside an escape.") }
    guard bytes[position] == UInt8(ascii: "u") else {
      guard "\"\\/bfnrt".utf8.contains(bytes[position]) else { throw failure("The escape sequence is not valid.") }
      position += 1
      return
    }
    position += 1
    let unit = try scanCodeUnit()
    guard UTF16.isSurrogate(unit) else { return }
    if UTF16.isLeadSurrogate(unit), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")),
      UTF16.isTrailSurrogate(try scanCodeUnit())
    {
      return
    }
    position = start
    throw failure("Half of a surrogate pair is missing.")
  }

  private mutating func scanCodeUnit() throws(ModelError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard position < bytes.count, let digit = bytes[position].hexadecimalValue else {
        throw failure("Expected four hexadecimal digits.")
      }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  // MARK: Errors

  private func failure(_ message: String, _ code: ModelError.Code = .malformedJSON) -> ModelError {
    ModelError(code, message, path: path, location: TextLocation(offset: position, in: bytes))
  }

  private var path: ValuePath {
    var components: [ValuePath.Component] = []
    for (level, next) in zip(open, open.dropFirst().map(Optional.some) + [nil]) where level.count > 0 {
      guard level.isObject else {
        components.append(.index(level.count - 1))
        continue
      }
      // The newest key of a level precedes the first key of the next level.
      let last = (next?.firstKey ?? keys.count) - 1
      if last >= level.firstKey { components.append(.key(name(keys[last]))) }
    }
    return ValuePath(components)
  }
}
