/// A position in a text that a ``JSONScanner`` has checked.
package struct JSONCursor {
  package let bytes: [UInt8]
  package private(set) var position = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    skipSpace()
  }

  /// The byte at this position; `nil` at the end of the text.
  package var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips a number of bytes and the whitespace after them.
  package mutating func skip(_ count: Int) {
    position = min(position + count, bytes.count)
    skipSpace()
  }

  /// Skips a string and the whitespace after it. Returns the characters of the string.
  package mutating func takeText() -> String {
    let start = min(position + 1, bytes.count)
    skipText()
    let end = max(start, position - 1)
    skipSpace()
    return JSONString.unescaped(bytes[start..<end])
  }

  /// Skips a word or number and the whitespace after it. Returns the bytes of the word or number.
  package mutating func takeToken() -> ArraySlice<UInt8> {
    let start = position
    while let current, !",]} \n\r\t".utf8.contains(current) { position += 1 }
    let token = bytes[start..<position]
    skipSpace()
    return token
  }

  /// Advances to the next member or element, from the opening bracket if `isFirst`, otherwise from the end of a value.
  /// At the closing bracket, skips it and returns `false`.
  package mutating func enterNext(isFirst: Bool) -> Bool {
    if isFirst { skip(1) }
    switch current {
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      skip(1)
      return false
    case nil: return false
    default:
      if !isFirst { skip(1) }  // the comma
      return true
    }
  }

  package mutating func takeKey() -> String {
    let key = takeText()
    skip(1)
    return key
  }

  /// Skips a value of any depth, and the whitespace after it.
  package mutating func skipValue() {
    var depth = 0
    repeat {
      switch current {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        skip(1)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        skip(1)
      case UInt8(ascii: ","), UInt8(ascii: ":"): skip(1)
      case UInt8(ascii: "\""):
        skipText()
        skipSpace()
      case nil: return
      default: _ = takeToken()
      }
    } while depth > 0
  }

  private mutating func skipText() {
    position += 1
    while let current, current != UInt8(ascii: "\"") { position += current == UInt8(ascii: "\\") ? 2 : 1 }
    position = min(position + 1, bytes.count)
  }

  private mutating func skipSpace() {
    while let current, current == 0x20 || current == 0x0a || current == 0x0d || current == 0x09 { position += 1 }
  }
}
