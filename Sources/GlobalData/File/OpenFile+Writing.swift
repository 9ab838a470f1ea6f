import Foundation
import KeyedArchive

extension OpenFile {
  /// The most pieces that one call is given; systems take 1,024.
  private static let piecesPerCall = 64
  /// The most bytes that one call is asked to write: systems write no more than 2 GiB, some refuse to try.
  static let chunk = 64 << 20

  /// Writes pieces one after the other, in few calls, from where they are: nothing is copied.
  func write(_ pieces: [SharedBytes]) throws(SystemCallError) {
    var rest = pieces[...]
    while !rest.isEmpty {
      var buffers: [UnsafeRawBufferPointer] = []
      buffers.reserveCapacity(min(rest.count, OpenFile.piecesPerCall))
      try write(rest.prefix(OpenFile.piecesPerCall), after: &buffers)
      rest = rest.dropFirst(OpenFile.piecesPerCall)
    }
  }

  /// Writes buffers, and pieces after them. The bytes of each piece stay in place for as long as its closure runs, so that the
  /// closures are nested, one in the other.
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

  /// Writes bytes at an offset, in as many calls as it takes.
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
  /// The buffers with the first bytes, at most as many as given.
  package func prefix(bytes count: Int) -> Self {
    var (result, missing) = (Self(), count)
    for buffer in self where missing > 0 {
      result.append(.init(rebasing: buffer.prefix(missing)))
      missing -= Swift.min(missing, buffer.count)
    }
    return result
  }

  /// The buffers without their first bytes; none of them is empty.
  fileprivate func dropFirst(bytes count: Int) -> Self {
    var (result, surplus) = (Self(), count)
    for buffer in self {
      if surplus < buffer.count { result.append(.init(rebasing: buffer.dropFirst(surplus))) }
      surplus -= Swift.min(surplus, buffer.count)
    }
    return result
  }
}
