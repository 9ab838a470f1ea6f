import CodingSupport

/// Walks over a text of JSON and checks it, without recursion and without making any value.
///
/// Foundation reads the values. It does not say where a text is malformed on every platform, and takes one of two values
/// with the same key without a word: so each text is checked before, which takes a small part of the time.
struct JSONScanner {
  /// Foundation's own limit.
  static let maximumDepth = 512

  private let bytes: [UInt8]
  private var position = 0
  private var open: [Level] = []
  /// The keys of all open objects.
  private var keys: [Key] = []
  private(set) var depth = 0

  private struct Level {
    let isObject: Bool
    /// Where its keys begin among the keys of all open objects.
    let firstKey: Int
    /// The number of elements or members that were begun.
    var count = 0
  }

  private struct Key {
    /// Equal for keys that are one key to Swift, whatever bytes they are written in: Foundation's decoder takes one of them.
    let hash: Int
    let range: Range<Int>
  }

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Checks the whole text.
  ///
  /// - Returns: The number of levels that values stand in each other.
  /// - Throws: ``ModelError`` with code `malformedJSON`, `duplicateKey` or `limitReached`.
  static func check(_ bytes: [UInt8]) throws(ModelError) -> Int {
    var scanner = JSONScanner(bytes)
    try scanner.scan()
    return scanner.depth
  }

  private mutating func scan() throws(ModelError) {
    var isComplete = try scanValue()
    while !open.isEmpty {
      // One value or the head of a level was passed.
      skipSpace()
      isComplete = isComplete ? try scanAfterValue() : try scanFirst()
    }
    skipSpace()
    guard position == bytes.count else { throw failure("Text follows the value.") }
  }

  /// Passes a scalar, or the bracket that opens a level.
  ///
  /// - Returns: Whether the value is complete.
  private mutating func scanValue() throws(ModelError) -> Bool {
    skipSpace()
    guard position < bytes.count else { throw failure("The text ends where a value is wanted.") }
    switch bytes[position] {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      open.append(Level(isObject: bytes[position] == UInt8(ascii: "{"), firstKey: keys.count))
      depth = max(depth, open.count)
      guard open.count <= JSONScanner.maximumDepth else {
        throw failure("Values are nested more than \(JSONScanner.maximumDepth) levels deep.", .limitReached)
      }
      position += 1
      return false
    case UInt8(ascii: "\""): try scanText()
    case UInt8(ascii: "t"): try scan(word: "true")
    case UInt8(ascii: "f"): try scan(word: "false")
    case UInt8(ascii: "n"): try scan(word: "null")
    default: try scanNumber()
    }
    return true
  }

  /// Passes what follows an opening bracket: the first element, or the closing bracket.
  private mutating func scanFirst() throws(ModelError) -> Bool {
    guard let level = open.last else { return true }
    if take(level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      open.removeLast()
      return true
    }
    return try scanNext(level.isObject)
  }

  /// Passes what follows a value inside a level: the next element, or the closing bracket.
  private mutating func scanAfterValue() throws(ModelError) -> Bool {
    guard let level = open.last else { return true }
    if take(UInt8(ascii: ",")) { return try scanNext(level.isObject) }
    guard take(level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
      throw failure("Wanted a comma or \(level.isObject ? "}" : "]").")
    }
    if level.isObject { try closeObject(level) }
    open.removeLast()
    return true
  }

  private mutating func scanNext(_ isObject: Bool) throws(ModelError) -> Bool {
    skipSpace()
    open[open.count - 1].count += 1
    if isObject {
      guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
        throw failure("Wanted a key in quotation marks.")
      }
      let start = position
      try scanText()
      keys.append(Key(hash: name(start..<position).hashValue, range: start..<position))
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("Wanted a colon after the key.") }
    }
    return try scanValue()
  }

  // MARK: Keys

  private mutating func closeObject(_ level: Level) throws(ModelError) {
    let count = keys.count - level.firstKey
    defer { keys.removeLast(count) }
    guard count > 1 else { return }
    var sorted = keys[level.firstKey...]
    sorted.sort { ($0.hash, $0.range.lowerBound) < ($1.hash, $1.range.lowerBound) }
    var duplicate: Key?
    for (key, next) in zip(sorted, sorted.dropFirst()) where key.hash == next.hash && name(key) == name(next) {
      if next.range.lowerBound < duplicate?.range.lowerBound ?? .max { duplicate = next }
    }
    guard let duplicate else { return }
    position = duplicate.range.lowerBound
    let path = ValuePath(self.path.components.dropLast() + [.key(name(duplicate))])
    throw ModelError(
      .duplicateKey, "The key \(String(reflecting: name(duplicate))) is there twice, or once more composed of other bytes.",
      path: path,
      location: TextLocation(offset: position, in: bytes))
  }

  private func name(_ key: Key) -> String { name(key.range) }

  private func name(_ range: Range<Int>) -> String {
    JSONString.unescaped(bytes[range.dropFirst().dropLast()])
  }

  // MARK: Tokens

  private mutating func skipSpace() {
    while position < bytes.count, JSONScanner.isSpace(bytes[position]) { position += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func scan(word: StaticString) throws(ModelError) {
    let text = "\(word)".utf8
    guard bytes[position...].starts(with: text) else { throw failure("This is no value of JSON.") }
    position += text.count
  }

  private mutating func scanDigits() throws(ModelError) {
    let start = position
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) { position += 1 }
    guard position > start else {
      throw failure(start == bytes.count ? "The text ends in a number." : "Wanted a digit.")
    }
  }

  private mutating func scanNumber() throws(ModelError) {
    let isNegative = take(UInt8(ascii: "-"))
    guard isNegative || position < bytes.count && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position])
    else {
      let isMark = bytes[position...].starts(with: UnicodeText.byteOrderMark)
      throw failure(isMark ? "A byte order mark may stand once, before the text." : "This is no value of JSON.")
    }
    if !take(UInt8(ascii: "0")) { try scanDigits() }
    if take(UInt8(ascii: ".")) { try scanDigits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
      try scanDigits()
    }
  }

  private mutating func scanText() throws(ModelError) {
    let start = position
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"): try scanEscape()
      case 0..<0x20: throw failure("A control character in text has to be escaped.")
      default: position += 1
      }
    }
    position = start
    throw failure("The text does not end.")
  }

  private mutating func scanEscape() throws(ModelError) {
    let start = position
    position += 1
    guard position < bytes.count else { throw failure("The text ends in an escape.") }
    guard bytes[position] == UInt8(ascii: "u") else {
      guard "\"\\/bfnrt".utf8.contains(bytes[position]) else { throw failure("There is no such escape.") }
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
    throw failure("Half of a surrogate pair stands alone.")
  }

  private mutating func scanCodeUnit() throws(ModelError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard position < bytes.count, let digit = Character(Unicode.Scalar(bytes[position])).hexDigitValue else {
        throw failure("Wanted four hexadecimal digits.")
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

  /// The path to the value that is scanned.
  private var path: ValuePath {
    var components: [ValuePath.Component] = []
    for (level, next) in zip(open, open.dropFirst().map(Optional.some) + [nil]) where level.count > 0 {
      guard level.isObject else {
        components.append(.index(level.count - 1))
        continue
      }
      // The newest key of a level stands before the first one of the next level.
      let last = (next?.firstKey ?? keys.count) - 1
      if last >= level.firstKey { components.append(.key(name(keys[last]))) }
    }
    return ValuePath(components)
  }
}
