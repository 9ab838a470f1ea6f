/// Bytes that do not change: a block of memory, or a part of one, which lives for as long as any of its parts.
///
/// A file is read into one block, and its entries are parts of that. Nothing is copied.
package struct SharedBytes: Sendable {
  /// One block of memory of the C library.
  ///
  /// It may be shared between threads: its memory is filled before the block is created, is never written to afterwards, and is freed
  /// with the last reference to the block.
  private final class Block: @unchecked Sendable {
    let base: UnsafeMutableRawPointer

    init(_ base: UnsafeMutableRawPointer) {
      self.base = base
    }

    deinit {
      CMemory.deallocate(base)
    }
  }

  /// `nil` if there are no bytes.
  private let block: Block?
  /// The offset of the first byte in the block.
  private let offset: Int
  package let count: Int

  private init(_ block: Block?, _ offset: Int, _ count: Int) {
    self.block = block
    self.offset = offset
    self.count = count
  }

  /// No bytes.
  package init() {
    self.init(nil, 0, 0)
  }

  /// Takes over memory of `malloc`, which it frees. The caller does not use the memory any more.
  ///
  /// - Parameters:
  ///   - memory: The memory, which holds `count` bytes from `offset` on.
  ///   - offset: The offset of the first byte.
  ///   - count: The number of bytes.
  package init(adopting memory: UnsafeMutableRawPointer, from offset: Int = 0, count: Int) {
    precondition(offset >= 0 && count >= 0)
    self.init(Block(memory), offset, count)
  }

  /// Copies bytes.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package init(copying bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else {
      self.init()
      return
    }
    let memory = CMemory.allocate(bytes.count)
    memory.copyMemory(from: source, byteCount: bytes.count)
    self.init(Block(memory), 0, bytes.count)
  }

  /// Copies bytes.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { SharedBytes(copying: $0) }
  }

  package var isEmpty: Bool { count == 0 }

  /// A part of the bytes, which shares their memory.
  package func part(_ range: Range<Int>) -> SharedBytes {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return SharedBytes(block, offset + range.lowerBound, range.count)
  }

  /// Calls a function with the bytes, which are valid until it returns.
  package func withUnsafeBytes<Result, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let block else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    defer { withExtendedLifetime(block) {} }
    return try body(UnsafeRawBufferPointer(start: block.base + offset, count: count))
  }
}

extension SharedBytes: Equatable {
  package static func == (left: SharedBytes, right: SharedBytes) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { CMemory.areEqual(left, $0) } }
  }
}

extension ByteBuffer {
  package func append(_ bytes: SharedBytes) {
    bytes.withUnsafeBytes { append($0) }
  }

  /// Returns the bytes and empties the buffer.
  ///
  /// - Complexity: O(1) where the block fits its contents closely, else O(*n*).
  package func takeBytes() -> SharedBytes {
    let length = count
    if let block = takeBlock(from: 0) { return SharedBytes(adopting: block, count: length) }
    defer { truncate(to: 0) }
    return SharedBytes(copying: contents)
  }
}
