/// A writer of JSON or CBOR diagnostic notation in UTF-8. It writes in pieces, so that long text is never in memory as
/// a whole. Foundation's encoder keeps all of it in memory, writes numbers as doubles, and does not preserve the order
/// of fields.
///
/// The methods that append do not throw. The first failure to pass on a piece is kept, and nothing is written after it.
package final class TextWriter {
  let style: JSONStyle
  var indentation: Int
  /// Whether appended text is inside a quoted text, in which quotes and backslashes need an escape.
  var isInQuotes = false
  private var piece: [UInt8] = []
  private let write: (([UInt8]) throws -> Void)?
  private var failure: (any Error)?

  /// The number of bytes at which a piece is passed on.
  private static var pieceSize: Int { 64 * 1024 }

  /// Creates a writer that passes pieces of text to a function, or collects them if there is no function.
  package init(_ style: JSONStyle = JSONStyle(), write: (([UInt8]) throws -> Void)? = nil) {
    self.style = style
    indentation = style.indentation
    self.write = write
  }

  /// The text that was not passed on. Without a function, this is all of it.
  package var collected: String { String(decoding: piece, as: UTF8.self) }

  /// Whether a piece could not be passed on, so that there is no point in appending more.
  package var hasFailed: Bool { failure != nil }

  package func check() throws {
    if let failure { throw failure }
  }

  /// Passes on the remaining text. Throws the first error of the function that receives the pieces.
  package func finish() throws {
    handOn()
    try check()
  }

  private func handOn() {
    guard let write, !piece.isEmpty else { return }
    do {
      if failure == nil { try write(piece) }
    } catch {
      failure = error
    }
    piece.removeAll(keepingCapacity: true)
  }

  package func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Appends text in quotes, with the escapes that RFC 8259 requires and those of a style.
  func appendQuoted(_ text: String, _ escapes: JSONStyle.Escapes) {
    append("\"")
    var text = text
    text.withUTF8 { bytes in
      var (start, index) = (0, 0)
      while index < bytes.count {
        let width = bytes[index] < 0x80 ? 1 : bytes[index] < 0xe0 ? 2 : bytes[index] < 0xf0 ? 3 : 4
        if let scalar = escapes.escaped(UnsafeBufferPointer(rebasing: bytes[index..<index + width])) {
          append(UnsafeBufferPointer(rebasing: bytes[start..<index]))
          append(scalar.escape)
          start = index + width
        }
        index += width
      }
      append(UnsafeBufferPointer(rebasing: bytes[start...]))
    }
    append("\"")
  }

  @inline(never)
  private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    if isInQuotes {
      for byte in bytes {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { piece.append(UInt8(ascii: "\\")) }
        piece.append(byte)
      }
    } else {
      piece.append(contentsOf: bytes)
    }
    if piece.count >= TextWriter.pieceSize { handOn() }
  }
}

/// The line breaks, indentation and escapes of a text.
package struct JSONStyle: Sendable {
  /// Whether each element is on its own line, indented by two spaces.
  package internal(set) var isPretty: Bool

  /// The indentation level of the top-level value.
  package var indentation = 0

  package internal(set) var textEscapes: Escapes

  package internal(set) var nameEscapes: Escapes

  package init(isPretty: Bool = false, textEscapes: Escapes = .required, nameEscapes: Escapes = .required) {
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
