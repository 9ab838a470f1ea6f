/// A key in a text of JSON.
package struct JSONKey {
  /// Equal for keys that are one key to Swift, whatever bytes they are written in: Foundation's decoder takes one of them.
  let hash: Int
  /// The bytes with the quotation marks.
  package let range: Range<Int>

  init(_ range: Range<Int>, in bytes: [UInt8]) {
    self.init(hash: JSONString.unescaped(bytes[range.dropFirst().dropLast()]).hashValue, range: range)
  }

  package init(hash: Int, range: Range<Int>) {
    self.hash = hash
    self.range = range
  }

  /// The first of some keys, in the order of the text, that equals one before it.
  ///
  /// - Complexity: O(*n* log *n*) in the number of keys. Only keys of equal hashes are compared.
  package static func firstRepetition(
    among keys: ArraySlice<JSONKey>, isSame: (JSONKey, JSONKey) -> Bool
  ) -> JSONKey? {
    let sorted = keys.sorted { ($0.hash, $0.range.lowerBound) < ($1.hash, $1.range.lowerBound) }
    return zip(sorted, sorted.dropFirst())
      .filter { $0.hash == $1.hash && isSame($0, $1) }
      .map(\.1).min { $0.range.lowerBound < $1.range.lowerBound }
  }
}

/// A key that an object has twice.
package struct JSONDuplicate {
  package let name: String
  package let path: ValuePath
  /// Where the key stands the second time.
  package let offset: Int

  /// The error that it is, with its place in the text.
  func error(in bytes: [UInt8]) -> ModelError {
    // An ASCII key has one spelling only.
    let spelling = name.utf8.allSatisfy { $0 < 0x80 } ? "" : ", perhaps composed of other bytes"
    return ModelError(
      .duplicateKey, "The key \(String(reflecting: name)) is there twice\(spelling).", path: path,
      location: TextLocation(offset: offset, in: bytes))
  }
}
