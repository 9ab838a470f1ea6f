import FoundationCore
import KeyedArchive

extension OpenFile {
  /// The number of pieces per call; systems accept 1,024.
  private static let piecesPerCall = 64
  /// The number of bytes per call: systems write at most 2 GiB, and some reject larger requests.
  static let chunk = 64 << 20

  /// Writes pieces in order, in few calls, without copying them.
  func write(_ pieces: [SharedBytes]) throws(SystemCallError) {
    var rest = pieces[...]
    while !rest.isEmpty {
      var buffers: [UnsafeRawBufferPointer] = []
      buffers.reserveCapacity(min(rest.count, OpenFile.piecesPerCall))
      try write(rest.prefix(OpenFile.piecesPerCall), after: &buffers)
      rest = rest.dropFirst(OpenFile.piecesPerCall)
    }
  }

  /// Writes buffers, then pieces. The bytes of a piece are valid only while its closure runs, so the closures are
  /// nested.
  private func write(
    _ pieces: ArraySlice<SharedBytes>, after buffers: inout [UnsafeRawBufferPointer]
  ) throws(SystemCallError) {
    guard let piece = pieces.first else { return try writeAll(buffers) }
    try piece.withUnsafeBytes { bytes throws(SystemCallError) in
      if !bytes.isEmpty { buffers.append(bytes) }
      try write(pieces.dropFirst(), after: &buffers)
    }
  }

  private func writeAll(_ buffers: [UnsafeRawBufferPointer]) throws(SystemCallError) {
    var (rest, missing) = (buffers, buffers.reduce(0) { $0 + $1.count })
    while missing > 0 {
      let chunk = missing <= OpenFile.chunk ? rest : rest.prefix(bytes: OpenFile.chunk)
      let count = try retryingInterruptions(system.write(descriptor, chunk))
      // A write to a regular file does not return 0; stop instead of looping.
      guard count > 0 else { throw SystemCallError(.write, EIO) }
      missing -= count
      if missing > 0 { rest = rest.dropFirst(bytes: count) }
    }
  }

  /// Writes all bytes, in as many calls as it takes.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemCallError) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...].prefix(OpenFile.chunk))
      let count = try retryingInterruptions(system.write(descriptor, rest, at: offset + written))
      // A write to a regular file does not return 0; stop instead of looping.
      guard count > 0 else { throw SystemCallError(.pwrite, EIO) }
      written += count
    }
  }
}

extension [UnsafeRawBufferPointer] {
  package func prefix(bytes count: Int) -> Self {
    var (result, missing) = (Self(), count)
    for buffer in self where missing > 0 {
      result.append(.init(rebasing: buffer.prefix(missing)))
      missing -= Swift.min(missing, buffer.count)
    }
    return result
  }

  /// Returns the rest, without empty buffers.
  fileprivate func dropFirst(bytes count: Int) -> Self {
    var (result, surplus) = (Self(), count)
    for buffer in self {
      if surplus < buffer.count { result.append(.init(rebasing: buffer.dropFirst(surplus))) }
      surplus -= Swift.min(surplus, buffer.count)
    }
    return result
  }
}
