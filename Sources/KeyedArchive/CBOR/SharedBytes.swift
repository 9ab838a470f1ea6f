/// Immutable bytes in a block of memory, or in a part of one. The block lives as long as any of its parts. A file is
/// read into one block, and its entries are parts of that block, so nothing is copied.
package struct SharedBytes: Sendable {
  /// A block of memory from the C library. Threads may share a block because its memory is filled before the block is
  /// created, is never changed afterward, and is freed with the last reference to the block.
  private final class Block: @unchecked Sendable {
    let base: UnsafeMutableRawPointer

    init(_ base: UnsafeMutableRawPointer) {
      self.base = base
    }

    deinit {
      CMemory.deallocate(base)
    }
  }

  private let block: Block?
  private let offset: Int
  package let count: Int

  private init(_ block: Block?, _ offset: Int, _ count: Int) {
    self.block = block
    self.offset = offset
    self.count = count
  }

  package init() {
    self.init(nil, 0, 0)
  }

  /// Takes ownership of memory from `malloc` with `count` bytes at an offset, and frees it later. The caller must no
  /// longer use the memory.
  package init(adopting memory: UnsafeMutableRawPointer, from offset: Int = 0, count: Int) {
    precondition(offset >= 0 && count >= 0)
    self.init(Block(memory), offset, count)
  }

  init(copying bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else {
      self.init()
      return
    }
    let memory = CMemory.allocate(bytes.count)
    memory.copyMemory(from: source, byteCount: bytes.count)
    self.init(Block(memory), 0, bytes.count)
  }

  init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { SharedBytes(copying: $0) }
  }

  package var isEmpty: Bool { count == 0 }

  /// Returns a part of the bytes, which shares their memory.
  package func part(_ range: Range<Int>) -> SharedBytes {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return SharedBytes(block, offset + range.lowerBound, range.count)
  }

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

  /// Returns the bytes and empties the buffer. The complexity is O(1) if the block fits its contents closely.
  package func takeBytes() -> SharedBytes {
    let length = count
    if let block = takeBlock(from: 0, ofAtLeast: 0) { return SharedBytes(adopting: block, count: length) }
    defer { truncate(to: 0) }
    return SharedBytes(copying: contents)
  }
}
