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
    var units: [UInt16] = []
    var rest = bytes
    while let slash = rest.firstIndex(of: UInt8(ascii: "\\")) {
      units += String(decoding: rest[..<slash], as: UTF8.self).utf16
      rest = rest[slash...].dropFirst()
      guard let escape = rest.popFirst() else { break }
      switch escape {
      case UInt8(ascii: "u"):
        let digits = String(decoding: rest.prefix(4), as: UTF8.self)
        units.append(UInt16(digits, radix: 16) ?? 0xfffd)
        rest = rest.dropFirst(4)
      case UInt8(ascii: "b"): units.append(8)
      case UInt8(ascii: "f"): units.append(12)
      case UInt8(ascii: "n"): units.append(10)
      case UInt8(ascii: "r"): units.append(13)
      case UInt8(ascii: "t"): units.append(9)
      default: units.append(UInt16(escape))
      }
    }
    units += String(decoding: rest, as: UTF8.self).utf16
    return String(decoding: units, as: UTF16.self)
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
