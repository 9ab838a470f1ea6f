import KeyedArchive

// Only tests read bytes as a collection.

extension SharedBytes: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(position: Int) -> UInt8 {
    precondition(position >= 0 && position < count)
    return withUnsafeBytes { $0[position] }
  }

  package func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
  }
}
