extension AppendPoint {
  /// The number of bytes to compare before the offset: a checksum, followed by the end marker if there is a change.
  private static let precedingLength = 8 + ArchiveChange.end.count
  /// The number of bytes after the offset that must be zeros. The first byte of a change is not zero.
  private static let followingLength = 16

  /// Returns whether a checksum precedes the offset, and nothing or only zeros follow it.
  func isEnd(of file: OpenFile) throws(SystemCallError) -> Bool {
    let length = AppendPoint.precedingLength + AppendPoint.followingLength
    let outcome = withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { bytes in
      Result { () throws(SystemCallError) in
        let start = offset - AppendPoint.precedingLength
        let count = try file.read(into: bytes, at: start)
        guard count >= AppendPoint.precedingLength else { return false }
        return isPreceded(by: UnsafeRawBufferPointer(bytes))
          && bytes[AppendPoint.precedingLength..<count].allSatisfy { $0 == 0 }
      }
    }
    return try outcome.get()
  }

  private func isPreceded(by bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.number(at: ArchiveChange.end.count) == checksum
      || bytes.number(at: 0) == checksum && bytes[8..<AppendPoint.precedingLength].elementsEqual(ArchiveChange.end)
  }
}
