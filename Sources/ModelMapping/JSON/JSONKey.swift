struct JSONKey {
  /// Equal for keys that are equal in Swift, even if their bytes differ: Foundation's decoder would keep only one of
  /// them.
  let hash: Int
  /// The bytes with the quotation marks.
  let range: Range<Int>

  init(_ range: Range<Int>, in bytes: [UInt8]) {
    self.init(hash: JSONString.unescaped(bytes[range.dropFirst().dropLast()]).hashValue, range: range)
  }

  init(hash: Int, range: Range<Int>) {
    self.hash = hash
    self.range = range
  }

  /// Returns the first key in text order that equals an earlier one. O(*n* log *n*). Compares only keys with equal
  /// hashes.
  static func firstRepetition(
    among keys: ArraySlice<JSONKey>, isSame: (JSONKey, JSONKey) -> Bool
  ) -> JSONKey? {
    let sorted = keys.sorted { ($0.hash, $0.range.lowerBound) < ($1.hash, $1.range.lowerBound) }
    return zip(sorted, sorted.dropFirst())
      .filter { $0.hash == $1.hash && isSame($0, $1) }
      .map(\.1).min { $0.range.lowerBound < $1.range.lowerBound }
  }
}

package struct JSONDuplicate {
  package let name: String
  package let path: ValuePath
  package let offset: Int

  func error(in bytes: [UInt8]) -> ModelError {
    // An ASCII key has only one spelling.
    let spelling = name.utf8.allSatisfy { $0 < 0x80 } ? "" : ", possibly in another Unicode form"
    return ModelError(
      .duplicateKey, "The key \(String(reflecting: name)) appears twice\(spelling).", path: path,
      location: TextLocation(offset: offset, in: bytes))
  }
}
