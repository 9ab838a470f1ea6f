/// A text that identifies a dictionary key by its bytes. To Swift, two names that compose a letter differently are
/// equal, but in CBOR they are different keys.
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
  /// Returns whether two texts have the same UTF-8 bytes. This is stricter than Swift's equality.
  @inline(__always)
  func hasSameBytes(as other: String) -> Bool {
    isIdentical(to: other) || hasEqualBytes(other)
  }

  /// Returns whether two texts are the same words of memory, that is, the same short text or the same storage.
  /// Different words can represent the same text. Names of coding keys are literals, so identity is the usual case.
  @inline(__always)
  private func isIdentical(to other: String) -> Bool {
    withUnsafeBytes(of: self) { left in
      withUnsafeBytes(of: other) { right in
        // Comparing two words deserves a special case, because a loop over bytes is not unrolled.
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
