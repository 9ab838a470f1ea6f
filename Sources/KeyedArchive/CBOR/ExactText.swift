import Foundation

/// Text as a key of a dictionary, identified by its bytes.
///
/// To Swift, a letter composed in two ways is one letter, and two names that differ in it are equal. In CBOR they are
/// different keys, and what was stored under one is not found under the other.
struct ExactText: Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  /// Texts of the same bytes are equal to Swift too, so its own hash will do.
  func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}

extension String {
  /// Whether two texts have the same bytes of UTF-8, which is more than being equal to Swift.
  @inline(__always)
  func hasSameBytes(as other: String) -> Bool {
    // Equality of short texts is two machine instructions and fails most of the time.
    guard self == other else { return false }
    let areSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        guard left.count == right.count, let first = left.baseAddress, let second = right.baseAddress else {
          return left.isEmpty && right.isEmpty
        }
        return memcmp(first, second, left.count) == 0
      }
    }
    return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
