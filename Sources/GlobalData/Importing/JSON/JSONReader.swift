import Foundation
import KeyedArchive

/// Reads JSON text as it is written: numbers with all their digits, fields in their order.
///
/// Foundation's readers are not used because they round numbers without saying so, and forget the order.
///
/// Each nested value takes one call, so the caller provides the stack for the depth that is allowed.
struct JSONReader {
  /// A member of the outermost object.
  struct Member {
    let key: String
    let value: ArchiveValue
    /// The bytes of the value, for a decoder to read it as a type.
    let text: Range<Int>
    /// Why the value cannot be stored, although it is JSON.
    let failure: ImportFailure?
  }

  private let bytes: [UInt8]
  private var position: Int
  private let maximumDepth: Int
  private var depth = 0
  private var failure: ImportFailure?
  private(set) var findings = ImportFindings()

  init(_ data: Data, maximumDepth: Int) {
    bytes = [UInt8](data)
    position = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    self.maximumDepth = maximumDepth
  }

  /// The bytes of a value.
  func data(_ range: Range<Int>) -> Data {
    Data(bytes[range])
  }

  /// Reads the outermost object and what is behind it, which is nothing.
  ///
  /// - Throws: ``ImportFailure`` for a text that is no JSON object.
  mutating func members() throws -> [Member] {
    skipSpace()
    guard next() == UInt8(ascii: "{") else {
      throw ImportFailure(
        message: "its outermost value is no object", advice: "Only an object has keys for the entries of a store.")
    }
    position += 1
    var members: [Member] = []
    try commaSeparated(until: UInt8(ascii: "}")) { reader in
      let key = try reader.key()
      let start = reader.position
      reader.failure = nil
      let value = try reader.value()
      members.append(Member(key: key, value: value, text: start..<reader.position, failure: reader.failure))
    }
    skipSpace()
    guard position == bytes.count else { throw malformed("something stands behind its end") }
    return members
  }

  // MARK: Values

  private mutating func value() throws -> ArchiveValue {
    skipSpace()
    guard let first = next() else { throw malformed("it is cut short") }
    switch first {
    case UInt8(ascii: "{"): return try nested { try $0.object() }
    case UInt8(ascii: "["): return try nested { try $0.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func nested(_ read: (inout JSONReader) throws -> ArchiveValue) throws -> ArchiveValue {
    position += 1
    depth += 1
    defer { depth -= 1 }
    guard depth < maximumDepth else { throw ImportFailure.tooDeep(maximumDepth, at: []) }
    return try read(&self)
  }

  private mutating func object() throws -> ArchiveValue {
    var object = ArchiveObject()
    try commaSeparated(until: UInt8(ascii: "}")) { reader in
      let key = try reader.key()
      if object[key] != nil {
        reader.failure = ImportFailure(message: "the key \"\(key.prefix(80))\" stands twice in one object")
      }
      object[key] = try reader.value()
    }
    return .object(object)
  }

  private mutating func array() throws -> ArchiveValue {
    var elements: [ArchiveValue] = []
    try commaSeparated(until: UInt8(ascii: "]")) { elements.append(try $0.value()) }
    return .array(elements)
  }

  private mutating func commaSeparated(until end: UInt8, _ read: (inout JSONReader) throws -> Void) throws {
    skipSpace()
    if next() == end {
      position += 1
      return
    }
    while true {
      try read(&self)
      skipSpace()
      let separator = next()
      position += 1
      if separator == end { return }
      guard separator == UInt8(ascii: ",") else { throw malformed("a comma is missing") }
    }
  }

  private mutating func key() throws -> String {
    skipSpace()
    guard next() == UInt8(ascii: "\"") else { throw malformed("a key is missing") }
    let key = try string()
    skipSpace()
    guard next() == UInt8(ascii: ":") else { throw malformed("a colon is missing") }
    position += 1
    skipSpace()
    return key
  }

  private mutating func word(_ word: String, _ value: ArchiveValue) throws -> ArchiveValue {
    guard bytes[position...].starts(with: word.utf8) else { throw malformed("a word is unknown") }
    position += word.utf8.count
    return value
  }

  private mutating func number() throws -> ArchiveValue {
    let start = position
    while let byte = next(), JSONNumber.characters.contains(byte) { position += 1 }
    guard let number = JSONNumber(bytes[start..<position]) else { throw malformed("a value is unknown") }
    switch number.value {
    case .exact(let value): return value
    case .rounded(let value):
      findings.noteConversion(of: "number of \(number.digitCount) digits", to: "Double")
      return .double(value)
    case .tooLarge:
      failure = ImportFailure(message: "it holds a number that is too large: \(number.text.prefix(40))")
      return .null
    }
  }

  // MARK: Text

  private mutating func string() throws -> String {
    position += 1
    var text = ""
    while true {
      let start = position
      while let byte = next(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
      guard let plain = String(validating: bytes[start..<position], as: UTF8.self) else {
        throw malformed("its text is not valid UTF-8")
      }
      text += plain
      guard let byte = next() else { throw malformed("it is cut short") }
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return text
      case UInt8(ascii: "\\"): text.unicodeScalars.append(try escape())
      default: throw malformed("a text has a control character in it")
      }
    }
  }

  private mutating func escape() throws -> Unicode.Scalar {
    guard let byte = next() else { throw malformed("it is cut short") }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "u"): return try unicodeEscape()
    default: throw malformed("an escape in a text is unknown")
    }
  }

  /// A scalar by its number, or by the two of a surrogate pair.
  private mutating func unicodeEscape() throws -> Unicode.Scalar {
    var units = [try unit()]
    if UTF16.isLeadSurrogate(units[0]), bytes[position...].starts(with: "\\u".utf8) {
      position += 2
      units.append(try unit())
    }
    guard let text = String(validating: units, as: UTF16.self), let scalar = text.unicodeScalars.first,
      text.unicodeScalars.count == 1
    else { throw malformed("a text has half of a surrogate pair in it") }
    return scalar
  }

  private mutating func unit() throws -> UInt16 {
    let digits = bytes[position...].prefix(4)
    let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard values.count == 4 else { throw malformed("an escape in a text is unknown") }
    position += 4
    return values.reduce(0) { $0 << 4 | UInt16($1) }
  }

  // MARK: Bytes

  private func next() -> UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  private mutating func skipSpace() {
    while let byte = next(), [0x20, 0x0a, 0x0d, 0x09].contains(byte) { position += 1 }
  }

  private func malformed(_ reason: String) -> ImportFailure {
    ImportFailure(
      message: "it is not JSON: at byte \(position), \(reason)",
      advice: "The file is damaged, or not what it is taken for.")
  }
}
