package struct JSONStyle: Sendable {
  /// Whether each element stands on a line of its own, indented by two spaces.
  package var isPretty: Bool

  /// The level at which the top-level value stands.
  package var indentation = 0

  package var textEscapes: Escapes

  package var nameEscapes: Escapes

  package init(
    isPretty: Bool = false, textEscapes: Escapes = .required, nameEscapes: Escapes = .required
  ) {
    self.isPretty = isPretty
    self.textEscapes = textEscapes
    self.nameEscapes = nameEscapes
  }

  package struct Escapes: Sendable {
    private let ascii: [Bool]
    private let others: (@Sendable (Unicode.Scalar) -> Bool)?

    /// The characters that RFC 8259 wants escaped, and no others.
    package static let required = Escapes()

    private init() {
      ascii = (0..<0x80).map { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
      others = nil
    }

    package init(and isEscaped: @escaping @Sendable (Unicode.Scalar) -> Bool) {
      ascii = Escapes.required.ascii.enumerated().map { $1 || isEscaped(Unicode.Scalar(UInt8($0))) }
      others = isEscaped
    }

    /// The scalar that some bytes of valid UTF-8 are where it needs an escape, else `nil`.
    func escaped(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
      guard let first = bytes.first else { return nil }
      if first < 0x80 { return ascii[Int(first)] ? Unicode.Scalar(first) : nil }
      guard let others else { return nil }
      let lead = UInt32(first) & (0x7f >> UInt32(bytes.count))
      let value = bytes.dropFirst().reduce(lead) { $0 << 6 | UInt32($1 & 0x3f) }
      return Unicode.Scalar(value).flatMap { others($0) ? $0 : nil }
    }
  }
}
