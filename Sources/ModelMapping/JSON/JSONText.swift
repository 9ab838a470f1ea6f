import CodingSupport
package import Foundation

/// A JSON text that was checked, so that its readers need not check it again.
package struct JSONText {
  /// The text in UTF-8, without a byte order mark.
  package let data: Data
  package let bytes: [UInt8]
  package let depth: Int
  /// Duplicate keys of objects: at most one for each value of the top-level object or array, in order.
  package let duplicates: [JSONDuplicate]
  /// The extents of all values and keys, in order, if they were requested.
  let values: ContiguousArray<JSONExtent>

  /// Checks a text in any encoding of Unicode and, if `isMapping`, records the extents of values and keys. Throws
  /// `malformedJSON` or `limitReached`, with the location.
  package init(_ data: Data, maximumDepth: Int, isMapping: Bool = false) throws(ModelError) {
    guard let text = UnicodeText.inUTF8(data) else {
      throw ModelError(.malformedJSON, "The bytes are neither UTF-8 nor UTF-16 nor UTF-32.")
    }
    (self.data, bytes) = (text, [UInt8](text))
    guard String(validating: bytes, as: UTF8.self) != nil else {
      let location = TextLocation(offset: JSONText.invalidOffset(bytes), in: bytes)
      throw ModelError(.malformedJSON, "The bytes are not valid UTF-8.", location: location)
    }
    let scanner = try JSONScanner(checking: bytes, maximumDepth: maximumDepth, isMapping: isMapping)
    (depth, duplicates, values) = (scanner.depth, scanner.duplicates, scanner.values)
  }

  /// Returns the offset of the first invalid byte.
  private static func invalidOffset(_ bytes: [UInt8]) -> Int {
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while case .valid(let scalar) = parser.parseScalar(from: &iterator) { offset += scalar.count }
    return offset
  }
}
