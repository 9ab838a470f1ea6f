package import FoundationCore

// An interface to the byte layer, which does not use Foundation, for the layers above it.

extension ByteBuffer {
  func append(contentsOf bytes: some ContiguousBytes) { bytes.withUnsafeBytes { append($0) } }

  /// Returns the bytes from an offset on and empties the buffer. The complexity is O(1) if the block fits its contents
  /// closely.
  package func takeData(from offset: Int = 0) -> Data {
    precondition(offset >= 0 && offset <= count)
    let length = count - offset
    guard let block = takeBlock(from: offset, ofAtLeast: 4096) else {
      defer { truncate(to: 0) }
      return bytes(offset, count: length).baseAddress.map { Data(bytes: $0, count: length) } ?? Data()
    }
    return Data(bytesNoCopy: block + offset, count: length, deallocator: .custom { _, _ in CMemory.deallocate(block) })
  }
}

extension SharedBytes {
  package init(copying bytes: some ContiguousBytes) {
    self = bytes.withUnsafeBytes { SharedBytes(copying: $0) }
  }
}
