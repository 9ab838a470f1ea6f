import Foundation

/// Writes a line to descriptor 1 immediately: a buffered line would be lost with the process.
///
/// - Throws: `POSIXError` if the line cannot be written. A writer whose acknowledgements are lost must not continue.
func say(_ line: String) throws {
  // A reason may have several lines, but readers expect one line for each event.
  var rest = Array(line.replacing("\n", with: " ").utf8) + [UInt8(ascii: "\n")]
  while !rest.isEmpty {
    let count = write(1, rest, rest.count)
    if count >= 0 {
      rest.removeFirst(count)
    } else if errno != EINTR {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }
}

/// Writes a message to standard error.
func complain(_ message: String) {
  let bytes = Array("stress-writer: \(message)\n".utf8)
  _ = write(2, bytes, bytes.count)  // Nothing else can report this; the exit status does.
}
