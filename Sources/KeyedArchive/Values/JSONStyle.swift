/// The line breaks, indentation and escapes of a text.
package struct JSONStyle: Sendable {
  /// Whether each element is on its own line, indented by two spaces.
  package internal(set) var isPretty: Bool

  /// The indentation level of the top-level value.
  package var indentation = 0

  package internal(set) var textEscapes: Escapes

  package internal(set) var nameEscapes: Escapes

  package init(
    isPretty: Bool = false, textEscapes: Escapes = .required, nameEscapes: Escapes = .required
  ) {
    self.isPretty = isPretty
    self.textEscapes = textEscapes
    self.nameEscapes = nameEscapes
  }

  /// The characters that are written as escapes.
  package final class Escapes: Sendable {
    private let ascii: [Bool]
    private let others: (@Sendable (Unicode.Scalar) -> Bool)?

    /// The characters that RFC 8259 requires to be escaped, and no others.
    package static let required = Escapes()

    /// Creates the escapes that RFC 8259 requires, and those of other scalars.
    package init(and isEscaped: (@Sendable (Unicode.Scalar) -> Bool)? = nil) {
      ascii = (0..<0x80).map { (byte: UInt8) in
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
          || isEscaped?(Unicode.Scalar(byte)) == true
      }
      others = isEscaped
    }

    /// Returns the scalar that some bytes of valid UTF-8 encode if it needs an escape, and `nil` otherwise.
    func escaped(_ bytes: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
      guard let first = bytes.first else { return nil }
      if first < 0x80 { return ascii[Int(first)] ? Unicode.Scalar(first) : nil }
      guard let others else { return nil }
      var value = UInt32(first) & (0x7f &>> UInt32(bytes.count))
      for index in 1..<bytes.count { value = value &<< 6 | UInt32(bytes[index] & 0x3f) }
      return Unicode.Scalar(value).flatMap { others($0) ? $0 : nil }
    }
  }
}
