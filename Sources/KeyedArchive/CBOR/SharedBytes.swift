/// Immutable bytes in a block of memory, or in a part of one. The block lives as long as any of its parts. A file is
/// read into one block, and its entries are parts of that block, so nothing is copied.
package struct SharedBytes: Sendable {
  /// A block of memory from the C library. Threads may share a block because each part of its memory is filled before
  /// there are bytes of that part, is never changed afterward, and is freed with the last reference to the block.
  fileprivate final class Block: @unchecked Sendable {
    let base: UnsafeMutableRawPointer

    init(_ base: UnsafeMutableRawPointer) { self.base = base }

    deinit { CMemory.deallocate(base) }
  }

  fileprivate let block: Block?
  private let offset: Int
  package private(set) var count: Int

  fileprivate init(_ block: Block?, _ offset: Int, _ count: Int) {
    self.block = block
    self.offset = offset
    self.count = count
  }

  package init() { self.init(nil, 0, 0) }

  /// Takes ownership of memory from `malloc` whose first `count` bytes are filled, and frees it later. The caller must
  /// no longer use the memory.
  package init(adopting memory: UnsafeMutableRawPointer, count: Int) {
    precondition(count >= 0)
    self.init(Block(memory), 0, count)
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

  /// Returns a part of the bytes, which shares their memory.
  package func part(_ range: Range<Int>) -> SharedBytes {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return SharedBytes(block, offset + range.lowerBound, range.count)
  }

  /// Appends bytes that follow these in memory, and returns whether they do.
  package mutating func extend(by next: SharedBytes) -> Bool {
    guard block != nil, block === next.block, offset + count == next.offset else { return false }
    count += next.count
    return true
  }

  package func withUnsafeBytes<Result, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(block) {} }
    return try body(contents)
  }

  /// The bytes, valid as long as this value or another part of its block. The caller keeps it alive until their last
  /// use.
  package var contents: UnsafeRawBufferPointer {
    guard let block else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: block.base + offset, count: count)
  }
}

/// Memory for bytes that are made one after the other. Many of them share one block, because a block for each takes
/// longer to allocate than to fill.
package final class SharedMemory {
  private static let mostInBlock = 128 * 1024

  private var block: SharedBytes.Block?
  private var used = 0
  private var room = 0
  /// The number of all bytes so far.
  private var total = 0

  package init() {}

  /// Returns a copy of two pieces, one after the other. Bytes that are added next follow them in memory, if there is
  /// room.
  package func add(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> SharedBytes {
    let count = first.count + second.count
    guard count > 0 else { return SharedBytes() }
    let (block, start) = take(count)
    let target = UnsafeMutableRawBufferPointer(start: block.base + start, count: count)
    target.copyMemory(from: first)
    UnsafeMutableRawBufferPointer(rebasing: target[first.count...]).copyMemory(from: second)
    return SharedBytes(block, start, count)
  }

  /// Takes memory that is not in use from the current block, or from a new one.
  private func take(_ count: Int) -> (block: SharedBytes.Block, start: Int) {
    defer {
      used += count
      total += count
    }
    if let block, room - used >= count { return (block, used) }
    // A block is no larger than all that came before it, so that at most half of the memory is never used.
    room = max(count, min(total, SharedMemory.mostInBlock))
    used = 0
    let new = SharedBytes.Block(CMemory.allocate(room))
    block = new
    return (new, 0)
  }
}

extension SharedBytes: Equatable {
  package static func == (left: SharedBytes, right: SharedBytes) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { CMemory.areEqual(left, $0) } }
  }
}

extension ByteBuffer {
  package func append(_ bytes: SharedBytes) { bytes.withUnsafeBytes { append($0) } }

  /// Returns the bytes and empties the buffer. The complexity is O(1) if the block fits its contents closely.
  package func takeBytes() -> SharedBytes {
    let length = count
    if let block = takeBlock(from: 0, ofAtLeast: 0) { return SharedBytes(adopting: block, count: length) }
    defer { truncate(to: 0) }
    return SharedBytes(copying: contents)
  }
}
