/// A text that identifies a dictionary key by its bytes. To Swift, two names that compose a letter differently are
/// equal, but in CBOR they are different keys.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  package func hash(into hasher: inout Hasher) {
    text.withContiguousUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// The words of memory that a text consists of: a short text itself, or the address of its storage. Equal words are
/// equal texts as long as the storage exists. Different words can represent the same text.
///
/// Comparing words takes no reference to the storage, which would cost more than the comparison.
struct TextIdentity: Equatable {
  private let first: UInt64
  private let second: UInt64

  @inline(__always)
  init(_ text: String) {
    (first, second) = withUnsafeBytes(of: text) { bytes in
      guard bytes.count == 16 else {
        return (TextIdentity.word(of: bytes.prefix(8)), TextIdentity.word(of: bytes.dropFirst(8)))
      }
      return (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  /// A number that depends on both words.
  @inline(__always)
  var hash: UInt64 { (first ^ (second &<< 32 | second &>> 32)) &* 0x9e37_79b9_7f4a_7c15 }

  /// Returns up to eight bytes as a word, for systems with a shorter `String`.
  private static func word(of bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
    bytes.reduce(0) { $0 &<< 8 | UInt64($1) }
  }
}

extension String {
  /// Returns whether two texts have the same UTF-8 bytes. This is stricter than Swift's equality.
  @inline(__always)
  func hasSameBytes(as other: String) -> Bool {
    // Names of coding keys are literals, so identity is the usual case.
    TextIdentity(self) == TextIdentity(other) || hasEqualBytes(other)
  }

  @inline(never)
  private func hasEqualBytes(_ other: String) -> Bool {
    withContiguousUTF8 { left in
      other.withContiguousUTF8 { String.areEqual(left, $0) }
    }
  }

  /// Returns whether the text begins with the bytes of another one.
  @inline(never)
  package func hasBytes(_ prefix: String) -> Bool {
    withContiguousUTF8 { text in
      prefix.withContiguousUTF8 {
        text.count >= $0.count && String.areEqual(UnsafeBufferPointer(rebasing: text[..<$0.count]), $0)
      }
    }
  }

  /// Not inlined, because ``withContiguousUTF8(_:)`` would copy it twice.
  @inline(never)
  private static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    CMemory.areEqual(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
  }
}
