import KeyedArchive

/// JSON that is written piece by piece. Commas are inserted where needed.
///
/// A number that may need more than 53 bits is written as a string, because JavaScript would round it.
struct JSONText {
  let bytes = ByteBuffer()
  private var needsComma = false

  mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  /// Writes an object, whose fields a function writes.
  mutating func object<Failure>(_ body: (inout JSONText) throws(Failure) -> Void) throws(Failure) {
    open(UInt8(ascii: "{"))
    try body(&self)
    close(UInt8(ascii: "}"))
  }

  mutating func array<Failure>(_ body: (inout JSONText) throws(Failure) -> Void) throws(Failure) {
    open(UInt8(ascii: "["))
    try body(&self)
    close(UInt8(ascii: "]"))
  }

  mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(UnsafeRawBufferPointer($0)) }
    bytes.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
    needsComma = false
  }

  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { self.text(UnsafeRawBufferPointer($0)) }
  }

  /// Writes text that is valid UTF-8.
  mutating func text(_ text: UnsafeRawBufferPointer) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.appendEscaped(text)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  mutating func number(_ value: Int) {
    separate()
    bytes.append(text: String(value))
    needsComma = true
  }

  mutating func field(_ name: StaticString, _ value: String) {
    self.name(name)
    text(value)
  }

  mutating func field(_ name: StaticString, _ value: Int) {
    self.name(name)
    number(value)
  }

  mutating func field(_ name: StaticString, _ values: some Sequence<String>) {
    self.name(name)
    array { json in
      for value in values { json.text(value) }
    }
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}

extension ByteBuffer {
  func append(text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends text with the escapes that RFC 8259 requires.
  func appendEscaped(_ text: UnsafeRawBufferPointer) {
    var start = 0
    for (offset, byte) in text.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5c {
      append(UnsafeRawBufferPointer(rebasing: text[start..<offset]))
      start = offset + 1
      append(UInt8(ascii: "\\"))
      switch byte {
      case 0x0a: append(UInt8(ascii: "n"))
      case 0x0d: append(UInt8(ascii: "r"))
      case 0x09: append(UInt8(ascii: "t"))
      case 0x22, 0x5c: append(byte)
      default:
        append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
        appendHexadecimal(byte, letters: UInt8(ascii: "a"))
      }
    }
    append(UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  /// Appends two hexadecimal digits for each byte.
  func appendHexadecimal(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes { appendHexadecimal(byte, letters: UInt8(ascii: "a")) }
  }

  /// Appends two hexadecimal digits; `letters` is the character for ten.
  func appendHexadecimal(_ byte: UInt8, letters: UInt8) {
    for digit in [byte >> 4, byte & 0xf] { append(digit < 10 ? UInt8(ascii: "0") + digit : letters - 10 + digit) }
  }

  var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
