import CodingSupport
package import Foundation

/// A JSON text that was checked, so that its readers need not check it again. Values and keys are known by the indices
/// of their extents; the top-level value is the first.
///
/// Foundation does not report the position of malformed text on every platform, and silently keeps one of two values
/// with the same key.
package struct JSONText {
  package enum Kind {
    case object, array, text, number, bool, null
  }

  /// The index of an absent value, which reads as null.
  static let absent = -1

  /// The text in UTF-8, without a byte order mark.
  package let bytes: [UInt8]
  let depth: Int
  /// Duplicate keys of objects: at most one for each value of the top-level object or array, in order.
  package let duplicates: [JSONDuplicate]
  let extents: ContiguousArray<JSONExtent>

  /// Checks a text in any encoding of Unicode. Throws `malformedJSON` or `limitReached`, with the location.
  package init(_ data: Data, maximumDepth: Int) throws(ModelError) {
    guard let text = UnicodeText.inUTF8(data) else {
      throw ModelError(.malformedJSON, "The bytes are neither UTF-8 nor UTF-16 nor UTF-32.")
    }
    bytes = [UInt8](text)
    guard String(validating: bytes, as: UTF8.self) != nil else {
      let location = TextLocation(offset: JSONText.invalidOffset(bytes), in: bytes)
      throw ModelError(.malformedJSON, "The bytes are not valid UTF-8.", location: location)
    }
    let scanner = try JSONScanner(checking: bytes, maximumDepth: maximumDepth)
    (depth, duplicates, extents) = (scanner.depth, scanner.duplicates, scanner.extents)
  }

  private static func invalidOffset(_ bytes: [UInt8]) -> Int {
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) { offset += scalar.count }
    return offset
  }

  // MARK: Values

  package func kind(_ value: Int) -> Kind {
    guard value >= 0 else { return .null }
    switch bytes[extents[value].start] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .text
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: return .number
    }
  }

  /// Returns the offset at which a value or key begins.
  package func start(_ value: Int) -> Int { extents[value].start }

  /// Returns the characters of a string or key.
  package func string(_ value: Int) -> String {
    let extent = extents[value]
    let content = bytes[extent.range].dropFirst().dropLast()
    return extent.isPlain ? String(decoding: content, as: UTF8.self) : JSONText.unescaped(content)
  }

  /// Returns the characters of checked bytes between two quotation marks.
  static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var rest = bytes
    func codeUnit() -> UInt32 {
      defer { rest = rest.dropFirst(4) }
      return rest.prefix(4).reduce(0) { $0 << 4 | UInt32($1.hexadecimalValue ?? 0) }
    }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escape = rest.popFirst() else {
        text.append(byte)
        continue
      }
      switch escape {
      case UInt8(ascii: "u"):
        var value = codeUnit()
        if UTF16.isLeadSurrogate(UInt16(truncatingIfNeeded: value)) {
          rest = rest.dropFirst(2)  // the backslash and the letter of the other half
          value = 0x1_0000 + (value - 0xd800) << 10 + (codeUnit() & 0x3ff)
        }
        text += (Unicode.Scalar(value) ?? "\u{fffd}").utf8
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "t"): text.append(9)
      default: text.append(escape)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes of a number or a word.
  package func token(_ value: Int) -> ArraySlice<UInt8> { bytes[extents[value].range] }

  package func bool(_ value: Int) -> Bool { bytes[extents[value].start] == UInt8(ascii: "t") }

  /// Returns the index of the next value in an array, or of the next key in an object.
  func next(after value: Int) -> Int {
    switch bytes[extents[value].start] {
    case UInt8(ascii: "{"), UInt8(ascii: "["): extents[value].next
    default: value + 1
    }
  }

  /// Returns the indices of the keys of an object, or of the elements of an array. A key's value has the next index.
  package func children(of value: Int) -> [Int] {
    let isObject = kind(value) == .object
    var children: [Int] = []
    var child = value + 1
    while child < extents[value].next {
      children.append(child)
      child = next(after: isObject ? child + 1 : child)
    }
    return children
  }

  // MARK: Paths

  /// Returns the offset of the value at a path, or of the innermost existing value around it.
  func offset(of path: ValuePath) -> Int {
    var value = 0
    for component in path.components {
      guard let part = part(of: value, component) else { break }
      value = part
    }
    return extents[value].start
  }

  private func part(of value: Int, _ component: ValuePath.Component) -> Int? {
    switch (kind(value), component) {
    case (.array, .index(let index)):
      let elements = children(of: value)
      return elements.indices.contains(index) ? elements[index] : nil
    case (.object, .key(let key)): return children(of: value).first { string($0) == key }.map { $0 + 1 }
    default: return nil
    }
  }
}
