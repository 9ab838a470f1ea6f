import CodingSupport
import Foundation
import ModelMapping

/// Splits XML into the parts that property lists have. A document type may be named but not defined, so the only
/// entities are the five of XML itself: a file cannot expand its text or refer to other files. Attributes are skipped.
struct XMLScanner {
  enum Part: Equatable {
    case start(String, isEmpty: Bool)
    case end(String)
    case text(String)
    case endOfText
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ data: Data) throws(PropertyListError) {
    guard let text = UnicodeText.inUTF8(data) else { throw PropertyListError("its text is not in a Unicode encoding") }
    let utf8 = [UInt8](text)
    // The declaration does not matter for bytes that show their encoding themselves, as those of UTF-16 do.
    let name = utf8.count == data.count ? XMLScanner.declaredEncoding(utf8) : ""
    // ASCII is the same in every encoding but those that switch between alphabets by an escape.
    guard !name.isEmpty, !name.hasPrefix("utf"), !name.hasSuffix("ascii"),
      utf8.contains(where: { $0 >= 0x80 || $0 == 0x1b })
    else {
      bytes = utf8
      return
    }
    let encoding: String.Encoding
    switch name {
    case "iso-8859-1": encoding = .isoLatin1
    case "windows-1252": encoding = .windowsCP1252
    case "macintosh": encoding = .macOSRoman
    default: throw PropertyListError("its text is in the encoding \(name.quoted), which is not supported")
    }
    guard let decoded = String(data: text, encoding: encoding) else {
      throw PropertyListError("its text is not valid in the encoding \(name.quoted)")
    }
    bytes = [UInt8](decoded.utf8)
  }

  /// Returns the encoding that the declaration of XML names, in lower case, or an empty text.
  private static func declaredEncoding(_ bytes: [UInt8]) -> String {
    let declaration = String(decoding: bytes.prefix(256), as: UTF8.self).components(separatedBy: "?>")[0]
    let parts = declaration.components(separatedBy: "encoding")
    guard parts.count > 1, parts[0].contains("<?xml") else { return "" }
    let marks = CharacterSet(charactersIn: "='\" \t\r\n")
    return parts[1].components(separatedBy: marks).first { !$0.isEmpty }?.lowercased() ?? ""
  }

  /// The line of the current position, counted from 1.
  var line: Int { bytes[..<position].count { $0 == UInt8(ascii: "\n") } + 1 }

  /// Returns the next part. Skips comments and instructions.
  mutating func next() throws(PropertyListError) -> Part {
    while position < bytes.count {
      if bytes[position] != UInt8(ascii: "<") || isNext("<![CDATA[") { return .text(try text()) }
      if isNext("<!--") {
        try skip(4, past: "-->")
      } else if isNext("<?") {
        try skip(2, past: "?>")
      } else if isNext("<!") {
        try skipDocumentType()
      } else {
        return try tag()
      }
    }
    return .endOfText
  }

  mutating func nextAfterSpace() throws(PropertyListError) -> Part {
    while true {
      let part = try next()
      guard case .text(let text) = part, text.allSatisfy(\.isWhitespace) else { return part }
    }
  }

  /// Returns the text of an element whose start tag was read, and that contains no elements.
  mutating func content(of name: String) throws(PropertyListError) -> String {
    var content = ""
    while true {
      switch try next() {
      case .text(let text): content += text
      case .end(name): return content
      case .start(let inner, _):
        throw PropertyListError("the element \(name.prefix(80).quoted) holds the element \(inner.prefix(80).quoted)")
      case .endOfText: throw PropertyListError("it is truncated")
      default: throw PropertyListError("the element \(name.prefix(80).quoted) is not closed")
      }
    }
  }

  private func isNext(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  /// Reads text up to the next tag, or the content of a CDATA section.
  private mutating func text() throws(PropertyListError) -> String {
    if isNext("<![CDATA[") {
      let start = position + 9
      try skip(9, past: "]]>")
      return try string(bytes[start..<position - 3])
    }
    let start = position
    position = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
    return try replacingEntities(in: bytes[start..<position])
  }

  private func string(_ bytes: ArraySlice<UInt8>) throws(PropertyListError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw PropertyListError("its text is not valid UTF-8")
    }
    // Every line break is read as one line feed. Source: XML 1.0, section 2.11.
    return text.utf8.contains(UInt8(ascii: "\r")) ? String(text.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 }) : text
  }

  private func replacingEntities(in bytes: ArraySlice<UInt8>) throws(PropertyListError) -> String {
    var text = ""
    var rest = bytes
    while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
      text += try string(rest[..<start])
      // The longest entity that is allowed has ten characters: `&#x10FFFF;`.
      guard let end = rest[start...].prefix(16).firstIndex(of: UInt8(ascii: ";")) else {
        throw PropertyListError("an entity is not closed")
      }
      text.unicodeScalars.append(try scalar(ofEntity: try string(rest[(start + 1)..<end])))
      rest = rest[(end + 1)...]
    }
    return try text + string(rest)
  }

  private func scalar(ofEntity name: String) throws(PropertyListError) -> Unicode.Scalar {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "apos": return "'"
    case "quot": return "\""
    default:
      let isHexadecimal = name.hasPrefix("#x")
      let digits = name.dropFirst(isHexadecimal ? 2 : 1)
      guard name.hasPrefix("#"), !digits.hasPrefix("+"),
        let scalar = UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
      else { throw PropertyListError("it has an unknown entity \(name.quoted)") }
      return scalar
    }
  }

  private mutating func tag() throws(PropertyListError) -> Part {
    let start = position
    try skipTag()
    var content = bytes[(start + 1)..<(position - 1)]
    let isEnd = content.first == UInt8(ascii: "/")
    if isEnd { content = content.dropFirst() }
    let isEmpty = content.last == UInt8(ascii: "/")
    if isEmpty { content = content.dropLast() }
    let name = try string(content.prefix { $0 != 0x20 && !(0x09...0x0d ~= $0) })
    guard !name.isEmpty, !(isEnd && isEmpty) else {
      throw PropertyListError("a tag has no name, or a slash at both ends")
    }
    return isEnd ? .end(name) : .start(name, isEmpty: isEmpty)
  }

  private mutating func skipDocumentType() throws(PropertyListError) {
    guard isNext("<!DOCTYPE") else { throw PropertyListError("it has an unknown declaration") }
    try skipTag(orPast: UInt8(ascii: "["))
    guard bytes[position - 1] == UInt8(ascii: ">") else {
      throw PropertyListError("it defines its own document type, which is not supported")
    }
  }

  /// Skips to the end of a tag or declaration, or past another mark. Neither counts inside quotation marks.
  private mutating func skipTag(orPast mark: UInt8 = UInt8(ascii: ">")) throws(PropertyListError) {
    while let end = bytes[position...].firstIndex(where: { $0 == mark || ">\"'".utf8.contains($0) }) {
      position = end + 1
      let quote = bytes[end]
      guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return }
      guard let close = bytes[position...].firstIndex(where: { $0 == quote || $0 == UInt8(ascii: "<") }),
        bytes[close] == quote
      else { throw PropertyListError("an attribute is not closed") }
      position = close + 1
    }
    throw PropertyListError("it is truncated")
  }

  /// Skips `count` bytes and then everything up to the end of a mark.
  private mutating func skip(_ count: Int, past mark: String) throws(PropertyListError) {
    let mark = Array(mark.utf8)
    var start = position + count
    while let first = bytes[start...].firstIndex(of: mark[0]) {
      if bytes[first...].starts(with: mark) {
        position = first + mark.count
        return
      }
      start = first + 1
    }
    throw PropertyListError("it is truncated")
  }
}
