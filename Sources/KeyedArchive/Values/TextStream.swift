/// Text in UTF-8 that is handed on in pieces, so that long text is never in memory as a whole.
package struct TextStream<Failure: Error> {
  private var piece: [UInt8] = []
  private let write: (([UInt8]) throws(Failure) -> Void)?

  /// Whether what is appended stands within a text in quotes, where quotes and backslashes need an escape.
  var isInQuotes = false

  /// The number of bytes from which on a piece is handed on.
  private static var pieceSize: Int { 1 << 16 }

  /// A stream whose pieces a function gets, or without one a stream that collects them.
  package init(write: (([UInt8]) throws(Failure) -> Void)? = nil) {
    self.write = write
  }

  /// The text that was not handed on: all of it where no function takes the pieces.
  package var collected: String { String(decoding: piece, as: UTF8.self) }

  /// Hands on what is left.
  package mutating func finish() throws(Failure) {
    guard let write, !piece.isEmpty else { return }
    try write(piece)
    piece.removeAll(keepingCapacity: true)
  }

  /// Appends text as it is.
  package mutating func append(_ text: String) throws(Failure) {
    if isInQuotes {
      try appendEscaped(Array(text.utf8)[...])
    } else {
      piece.append(contentsOf: text.utf8)
      try handOn()
    }
  }

  /// Appends text in quotes, with the escapes that RFC 8259 asks for and those of a style.
  mutating func appendQuoted(_ text: String, _ escapes: JSONStyle.Escapes) throws(Failure) {
    try append("\"")
    // The bytes at hand: a text of a file may be of any length, but is in memory anyway.
    let bytes = Array(text.utf8)
    var (start, index) = (0, 0)
    while index < bytes.count {
      let width = bytes[index] < 0x80 ? 1 : bytes[index] < 0xe0 ? 2 : bytes[index] < 0xf0 ? 3 : 4
      guard let scalar = escapes.escaped(bytes[index..<index + width]) else {
        index += width
        continue
      }
      try append(bytes[start..<index])
      try append(TextStream.escape(of: scalar))
      index += width
      start = index
    }
    try append(bytes[start...])
    try append("\"")
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) throws(Failure) {
    if isInQuotes { return try appendEscaped(bytes) }
    piece.append(contentsOf: bytes)
    try handOn()
  }

  private mutating func appendEscaped(_ bytes: ArraySlice<UInt8>) throws(Failure) {
    for byte in bytes {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { piece.append(UInt8(ascii: "\\")) }
      piece.append(byte)
    }
    try handOn()
  }

  private mutating func handOn() throws(Failure) {
    if piece.count >= TextStream.pieceSize { try finish() }
  }

  /// The escape of a scalar in JSON.
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
