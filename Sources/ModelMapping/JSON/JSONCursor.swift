/// A position in a text that a ``JSONScanner`` has checked, and the ways on from there.
package struct JSONCursor {
  package let bytes: [UInt8]
  package private(set) var position = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    skipSpace()
  }

  /// The byte at this place; `nil` at the end of the text.
  package var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Goes on by a number of bytes, and over the space after them.
  package mutating func skip(_ count: Int) {
    position = min(position + count, bytes.count)
    skipSpace()
  }

  /// Skips a string and the space after it; returns its characters.
  package mutating func takeText() -> String {
    let start = min(position + 1, bytes.count)
    skipText()
    let end = max(start, position - 1)
    skipSpace()
    return JSONString.unescaped(bytes[start..<end])
  }

  /// Passes a word or number and the space after it; returns its bytes.
  package mutating func takeToken() -> ArraySlice<UInt8> {
    let start = position
    while let current, !",]} \n\r\t".utf8.contains(current) { position += 1 }
    let token = bytes[start..<position]
    skipSpace()
    return token
  }

  /// Goes to the next member or element: from the opening bracket if `isFirst`, else from after a value. If there is
  /// none, passes the closing bracket and returns false.
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

  /// Passes a value, however deep, and the space after it.
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
