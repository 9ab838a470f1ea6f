import KeyedArchive

/// A hash table that finds positions by the hashes of keys. A cell takes 4 bytes, and at least half of the cells are
/// free.
///
/// The index does not store keys. The caller decides whether a position matches. Nearly every position that the caller
/// examines does match, because a cell also stores a part of the key's hash, in the bits that the position does not
/// need.
struct KeyIndex: Sendable {
  /// The cells. Their number is a power of two, 2ⁿ. The lower n bits of a cell contain a position, counted from 1, and
  /// the other bits the same bits of the upper half of a hash. A cell is 0 if it is free.
  private var cells: [UInt32] = []

  /// Random numbers that differ between processes, so that no file can contain keys that all compete for one cell.
  private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1)
  /// A copy of the random numbers, because each access to a static property checks whether it has been initialized.
  private let seed = KeyIndex.seeds.0
  private let factor = KeyIndex.seeds.1

  /// Removes all positions and reserves space for a number of new ones.
  mutating func reserve(_ count: Int) {
    var capacity = 16
    while capacity < 2 * count { capacity *= 2 }
    cells = [UInt32](repeating: 0, count: capacity)
  }

  func isFull(_ count: Int) -> Bool { 2 * count > cells.count }

  /// Inserts a position, for which there must be room.
  mutating func insert(_ position: Int, hash: UInt64) {
    let mask = cells.count - 1
    var cell = KeyIndex.firstCell(hash, mask)
    while cells[cell] != 0, cells[cell] != vacant { cell = (cell + 1) & mask }
    fill(cell, with: position, hash: hash)
  }

  /// Returns a cell for a new position, for which there must be room, or `nil` if a position with the hash matches. No
  /// position may have been removed.
  @inline(__always)
  func freeCell(hash: UInt64, unless matches: (Int) -> Bool) -> Int? {
    let mask = cells.count - 1
    let tag = tag(hash)
    var cell = KeyIndex.firstCell(hash, mask)
    while cells[cell] != 0 {
      if cells[cell] & ~positionBits == tag, matches(position(in: cells[cell])) { return nil }
      cell = (cell + 1) & mask
    }
    return cell
  }

  @inline(__always)
  mutating func fill(_ cell: Int, with position: Int, hash: UInt64) {
    cells[cell] = contents(position, hash)
  }

  mutating func remove(_ position: Int, hash: UInt64) {
    guard !cells.isEmpty else { return }
    let mask = cells.count - 1
    let wanted = contents(position, hash)
    var cell = KeyIndex.firstCell(hash, mask)
    while cells[cell] != 0 {
      if cells[cell] == wanted {
        cells[cell] = vacant
        return
      }
      cell = (cell + 1) & mask
    }
  }

  @inline(__always)
  func position(hash: UInt64, where matches: (Int) -> Bool) -> Int? {
    guard !cells.isEmpty else { return nil }
    let mask = cells.count - 1
    let tag = tag(hash)
    var cell = KeyIndex.firstCell(hash, mask)
    while cells[cell] != 0 {
      if cells[cell] & ~positionBits == tag, cells[cell] != vacant {
        let position = position(in: cells[cell])
        if matches(position) { return position }
      }
      cell = (cell + 1) & mask
    }
    return nil
  }

  // MARK: Cells

  @inline(__always)
  private static func firstCell(_ hash: UInt64, _ mask: Int) -> Int {
    Int(truncatingIfNeeded: hash) & mask
  }

  @inline(__always)
  private var positionBits: UInt32 { UInt32(truncatingIfNeeded: cells.count - 1) }

  /// A cell whose position was removed. The cells after it can still be found, and the next position may use it. No
  /// position has all of its bits set, because it is at most half the number of cells.
  @inline(__always)
  private var vacant: UInt32 { positionBits }

  @inline(__always)
  private func tag(_ hash: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: hash &>> 32) & ~positionBits
  }

  @inline(__always)
  private func contents(_ position: Int, _ hash: UInt64) -> UInt32 {
    tag(hash) | UInt32(truncatingIfNeeded: position + 1)
  }

  @inline(__always)
  private func position(in cell: UInt32) -> Int { Int(truncatingIfNeeded: cell & positionBits) - 1 }

  // MARK: Keys

  /// Returns the hash of a key. Each step multiplies two numbers into 128 bits and folds the product. SipHash is too
  /// slow here: it takes longer than everything else that is needed to open an entry.
  func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var state = seed ^ UInt64(truncatingIfNeeded: key.count)
    var offset = 0
    while key.count &- offset > 8 {
      state = KeyIndex.folded(state ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self), factor)
      offset &+= 8
    }
    return KeyIndex.folded(state ^ key.lastWord, factor ^ seed)
  }

  @inline(__always)
  private static func folded(_ value: UInt64, _ factor: UInt64) -> UInt64 {
    let (high, low) = value.multipliedFullWidth(by: factor)
    return high ^ low
  }
}
