/// Writes JSON or CBOR diagnostic notation in UTF-8, in pieces, so that long text is never in memory as a whole.
/// Foundation's encoder has all of it in memory, writes numbers as doubles, and does not keep the order of fields.
///
/// Nothing that appends throws: the first failure to hand on a piece is kept, and nothing is written after it.
package final class TextWriter {
  let style: JSONStyle
  var indentation: Int
  /// Whether what is appended stands within a text in quotes, where quotes and backslashes need an escape.
  var isInQuotes = false
  private var piece: [UInt8] = []
  private let write: (([UInt8]) throws -> Void)?
  private var failure: (any Error)?

  /// The number of bytes from which on a piece is handed on.
  private static var pieceSize: Int { 1 << 16 }

  /// A writer whose pieces of text a function gets, or without one a writer that collects them.
  package init(_ style: JSONStyle = JSONStyle(), write: (([UInt8]) throws -> Void)? = nil) {
    self.style = style
    indentation = style.indentation
    self.write = write
  }

  /// The text that was not handed on: all of it where no function takes the pieces.
  package var collected: String { String(decoding: piece, as: UTF8.self) }

  /// Whether a piece could not be handed on, so that there is no use in appending more.
  package var hasFailed: Bool { failure != nil }

  package func check() throws {
    if let failure { throw failure }
  }

  /// Hands on what is left, and throws the first error of the function that takes the pieces.
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

  /// Appends text in quotes, with the escapes that RFC 8259 asks for and those of a style.
  func appendQuoted(_ text: String, _ escapes: JSONStyle.Escapes) {
    append("\"")
    var text = text
    text.withUTF8 { bytes in
      var (start, index) = (0, 0)
      while index < bytes.count {
        let width = bytes[index] < 0x80 ? 1 : bytes[index] < 0xe0 ? 2 : bytes[index] < 0xf0 ? 3 : 4
        if let scalar = escapes.escaped(UnsafeBufferPointer(rebasing: bytes[index..<index + width])) {
          append(UnsafeBufferPointer(rebasing: bytes[start..<index]))
          append(TextWriter.escape(of: scalar))
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

  private static func escape(of scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: scalar.escape
    }
  }
}
