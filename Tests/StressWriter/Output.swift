import Foundation

/// Writes a line to descriptor 1 at once: a buffered line would die with the process.
///
/// - Throws: `POSIXError` where the line cannot be written. A writer whose acknowledgements get lost must not go on.
func say(_ line: String) throws {
  // A reason may have several lines; whoever reads this takes one line for one event.
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
  _ = write(2, bytes, bytes.count)  // There is no other place to tell it; the exit status does.
}
