import Foundation

/// Writes many pieces of data in few calls.
///
/// Small pieces are gathered in one buffer. Large ones are written from where they are.
struct PieceWriter {
  let system: any SystemCalls
  let descriptor: FileDescriptor

  private static let gathered = 256 << 10
  private static let large = 64 << 10
  /// The most that one call is asked to write: systems write no more than 2 GiB, some refuse to try.
  static let chunk = 64 << 20

  func write(_ pieces: [Data]) throws(SystemCallError) {
    let gathered = pieces.reduce(0) { $1.count < PieceWriter.large ? $0 + $1.count : $0 }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(gathered, PieceWriter.gathered), alignment: 1)
    defer { buffer.deallocate() }
    var filled = 0
    for piece in pieces {
      if filled + piece.count > buffer.count {
        try writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
        filled = 0
      }
      if piece.count >= PieceWriter.large {
        // In the buffer's place in the order: what was gathered before goes first.
        try writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
        filled = 0
        try writeAll(piece)
      } else {
        piece.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: $0) }
        filled += piece.count
      }
    }
    try writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
  }

  private func writeAll(_ piece: Data) throws(SystemCallError) {
    // Data's own method forgets which type of error its closure throws.
    let outcome = piece.withUnsafeBytes { bytes in
      Result { () throws(SystemCallError) in try writeAll(bytes) }
    }
    try outcome.get()
  }

  private func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let chunk = UnsafeRawBufferPointer(rebasing: rest.prefix(PieceWriter.chunk))
      let count = try retryingInterruptions(system.write(descriptor, chunk))
      // No file answers so; going on would be to go round for ever.
      guard count > 0 else { throw SystemCallError(.write, EIO) }
      rest = rest.dropFirst(count)
    }
  }
}
