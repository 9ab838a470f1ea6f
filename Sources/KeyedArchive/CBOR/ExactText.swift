/// Text as a key of a dictionary, identified by its bytes. To Swift, two names that compose a letter in two ways are
/// equal. In CBOR they are different keys.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  package func hash(into hasher: inout Hasher) {
    text.withContiguousUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// Whether two texts have the same bytes of UTF-8, which is more than being equal to Swift.
  @inline(__always)
  func hasSameBytes(as other: String) -> Bool {
    isIdentical(to: other) || hasEqualBytes(other)
  }

  /// Whether two texts are the same words of memory: the same short text, or the same storage. Other words can mean the
  /// same text. Names of coding keys are literals, which makes identity the usual case.
  @inline(__always)
  private func isIdentical(to other: String) -> Bool {
    withUnsafeBytes(of: self) { left in
      withUnsafeBytes(of: other) { right in
        // Comparing two words is worth a case of its own; a loop over bytes is not unrolled.
        guard MemoryLayout<String>.size == 16 else { return left.elementsEqual(right) }
        return left.loadUnaligned(as: UInt64.self) == right.loadUnaligned(as: UInt64.self)
          && left.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      }
    }
  }

  @inline(never)
  private func hasEqualBytes(_ other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let areEqual = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        guard let first = left.baseAddress, let second = right.baseAddress else { return left.isEmpty }
        return CMemory.areEqual(first, second, count: left.count)
      }
    }
    return (areEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
