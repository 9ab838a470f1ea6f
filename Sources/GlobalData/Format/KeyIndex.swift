/// A hash table that finds positions by the hashes of keys. A cell takes 8 bytes, and at least half of the cells are
/// free.
///
/// The index does not store keys. The caller decides whether a position matches. Nearly every position that the caller
/// examines does match, because half of the key's hash is stored next to the position.
struct KeyIndex: Sendable {
  /// The cells. Each contains the upper half of a hash and a position, counted from 1, or is 0 if it is free. The
  /// number of cells is a power of two.
  private var cells: [UInt64] = []
  /// A cell whose position was removed. The cells after it can still be found, and the next position may use it.
  private static let vacant: UInt64 = 0xffff_ffff

  /// Random numbers that differ between processes, so that no file can contain keys that all compete for one cell.
  private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1)

  /// Removes all positions and reserves space for a number of new ones.
  mutating func reserve(_ count: Int) {
    var capacity = 16
    while capacity < 2 * count { capacity *= 2 }
    cells = [UInt64](repeating: 0, count: capacity)
  }

  func isFull(_ count: Int) -> Bool {
    2 * count > cells.count
  }

  /// Inserts a position, for which there must be room.
  mutating func insert(_ position: Int, hash: UInt64) {
    let mask = cells.count - 1
    var cell = KeyIndex.firstCell(hash, mask)
    while cells[cell] != 0, cells[cell] != KeyIndex.vacant { cell = (cell + 1) & mask }
    fill(cell, with: position, hash: hash)
  }

  /// Returns a cell for a new position, for which there must be room, or `nil` if a position with the hash matches.
  @inline(__always)
  func freeCell(hash: UInt64, unless matches: (Int) -> Bool) -> Int? {
    let mask = cells.count - 1
    var cell = KeyIndex.firstCell(hash, mask)
    var vacant: Int?
    while cells[cell] != 0 {
      if cells[cell] == KeyIndex.vacant {
        vacant = vacant ?? cell
      } else if (cells[cell] ^ hash) & KeyIndex.upperHalf == 0 {
        if matches(Int(UInt32(truncatingIfNeeded: cells[cell])) - 1) { return nil }
      }
      cell = (cell + 1) & mask
    }
    return vacant ?? cell
  }

  @inline(__always)
  mutating func fill(_ cell: Int, with position: Int, hash: UInt64) {
    cells[cell] = hash & KeyIndex.upperHalf | UInt64(UInt32(truncatingIfNeeded: position + 1))
  }

  mutating func remove(_ position: Int, hash: UInt64) {
    guard !cells.isEmpty else { return }
    let mask = cells.count - 1
    let wanted = hash & KeyIndex.upperHalf | UInt64(UInt32(truncatingIfNeeded: position + 1))
    var cell = KeyIndex.firstCell(hash, mask)
    while cells[cell] != 0 {
      if cells[cell] == wanted {
        cells[cell] = KeyIndex.vacant
        return
      }
      cell = (cell + 1) & mask
    }
  }

  @inline(__always)
  func position(hash: UInt64, where matches: (Int) -> Bool) -> Int? {
    guard !cells.isEmpty else { return nil }
    let mask = cells.count - 1
    var cell = KeyIndex.firstCell(hash, mask)
    while cells[cell] != 0 {
      if (cells[cell] ^ hash) & KeyIndex.upperHalf == 0, cells[cell] != KeyIndex.vacant {
        let position = Int(UInt32(truncatingIfNeeded: cells[cell])) - 1
        if matches(position) { return position }
      }
      cell = (cell + 1) & mask
    }
    return nil
  }

  private static let upperHalf: UInt64 = 0xffff_ffff_0000_0000

  @inline(__always)
  private static func firstCell(_ hash: UInt64, _ mask: Int) -> Int {
    Int(truncatingIfNeeded: hash) & mask
  }

  /// Returns the hash of a key. Each step multiplies two numbers into 128 bits and folds the product. SipHash is too
  /// slow here: it takes longer than everything else that is needed to open an entry.
  func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    let (seed, factor) = KeyIndex.seeds
    var state = seed ^ UInt64(truncatingIfNeeded: key.count)
    var offset = 0
    while key.count &- offset >= 8 {
      state = KeyIndex.folded(state ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self), factor)
      offset &+= 8
    }
    var rest: UInt64 = 0
    while offset < key.count {
      rest = rest << 8 | UInt64(key[offset])
      offset &+= 1
    }
    return KeyIndex.folded(state ^ rest, factor ^ seed)
  }

  @inline(__always)
  private static func folded(_ value: UInt64, _ factor: UInt64) -> UInt64 {
    let (high, low) = value.multipliedFullWidth(by: factor)
    return high ^ low
  }

  @inline(__always)
  static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    var bits: UInt64 = 0
    while bytes.count &- offset >= 8 {
      bits |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    while offset < bytes.count {
      bits |= UInt64(bytes[offset])
      offset &+= 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
