import KeyedArchive

/// The blocks of memory that contain the records of a table. A block without records is used again for other ones.
struct RecordBlocks: Sendable {
  private struct Block {
    var bytes: SharedBytes
    var entryCount: Int
  }

  /// A block that is smaller than this is small: one system call should write many of them.
  private static let smallBlock = 64 * 1024

  private var blocks: [Block] = []
  private var freeBlocks: [UInt32] = []
  /// The block of the record that was added last.
  private var lastBlock = 0
  /// The number of bytes of released records in blocks that still have other records.
  private var deadByteCount = 0
  private var smallBlockCount = 0

  init() {}

  init(_ block: SharedBytes, entryCount: Int) {
    blocks = [Block(bytes: block, entryCount: entryCount)]
    smallBlockCount = block.count < RecordBlocks.smallBlock ? 1 : 0
  }

  @inline(__always)
  func bytes(_ block: UInt32) -> SharedBytes { blocks[Int(block)].bytes }

  /// Counts one more record in the first block, whose bytes already contain it.
  @inline(__always)
  mutating func addEntryToFirst() { blocks[0].entryCount += 1 }

  mutating func add(_ record: SharedBytes) -> (block: UInt32, offset: Int) {
    // The records of a transaction follow one another in memory.
    if lastBlock < blocks.count {
      let offset = blocks[lastBlock].bytes.count
      if blocks[lastBlock].bytes.extend(by: record) {
        let isSmall = offset + record.count < RecordBlocks.smallBlock
        if offset < RecordBlocks.smallBlock, !isSmall { smallBlockCount -= 1 }
        blocks[lastBlock].entryCount += 1
        return (UInt32(truncatingIfNeeded: lastBlock), offset)
      }
    }
    let block = addBlock(record)
    lastBlock = Int(truncatingIfNeeded: block)
    return (block, 0)
  }

  private mutating func addBlock(_ bytes: SharedBytes) -> UInt32 {
    if bytes.count < RecordBlocks.smallBlock { smallBlockCount += 1 }
    let block = Block(bytes: bytes, entryCount: 1)
    guard let free = freeBlocks.popLast() else {
      blocks.append(block)
      return UInt32(truncatingIfNeeded: blocks.count - 1)
    }
    blocks[Int(free)] = block
    return free
  }

  /// Releases a record. Its block is freed with the last of its records.
  mutating func release(_ length: Int, of block: UInt32) {
    let index = Int(block)
    blocks[index].entryCount -= 1
    deadByteCount += length
    guard blocks[index].entryCount == 0 else { return }
    // The dead bytes in the block disappear with it. The bytes of the file outside its entries were never counted as
    // dead.
    deadByteCount = Swift.max(0, deadByteCount - blocks[index].bytes.count)
    if blocks[index].bytes.count < RecordBlocks.smallBlock { smallBlockCount -= 1 }
    blocks[index].bytes = SharedBytes()
    freeBlocks.append(block)
  }

  /// Returns whether records of the given total length are so scattered that gathering them for each write takes longer
  /// than moving them together once.
  func areScattered(byteCount: Int) -> Bool {
    smallBlockCount > 24 + byteCount / RecordBlocks.smallBlock
      || deadByteCount > byteCount / 4 + RecordBlocks.smallBlock
  }

  /// Returns whether most bytes of the blocks belong to no record any more.
  func areMostlyOutdated(byteCount: Int) -> Bool { deadByteCount > byteCount + RecordBlocks.smallBlock }
}
