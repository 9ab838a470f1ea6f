/// The positions of keys in a list that is stored elsewhere. Keys are compared like Swift strings, by canonical
/// equivalence.
///
/// A dictionary would take several times as long to hash a key, and would store each key again.
struct KeyPositions: Sendable {
  private var index = KeyIndex()
  /// The positions of keys that are not ASCII. Equal strings of this kind can have different bytes.
  private var otherKeys: [String: Int] = .init()
  private var count = 0

  /// Creates an empty index with room for a number of keys.
  init(capacity: Int) {
    index.reserve(capacity)
  }

  /// Whether the index must be created again, with more room, before another key is inserted.
  var isFull: Bool { index.isFull(count + 1) }

  /// Returns the position of a key. `keyAt` returns the key at a position.
  func position(of key: String, keyAt: (Int) -> String?) -> Int? {
    if let hash = hash(key) {
      if let position = index.position(hash: hash, where: { keyAt($0) == key }) { return position }
      return otherKeys.isEmpty ? nil : otherKeys[key]
    }
    if let position = otherKeys[key] { return position }
    guard let ascii = EntryTable.equivalentASCII(of: key) else { return nil }
    return position(of: String(decoding: ascii, as: UTF8.self), keyAt: keyAt)
  }

  /// Inserts a key, which must not be present. There must be room.
  mutating func insert(_ key: String, at position: Int) {
    if let hash = hash(key) { index.insert(position, hash: hash) } else { otherKeys[key] = position }
    count += 1
  }

  /// Removes a key, which must be present with the same bytes.
  mutating func remove(_ key: String, at position: Int) {
    if let hash = hash(key) { index.remove(position, hash: hash) } else { otherKeys[key] = nil }
  }

  /// Returns the hash of an ASCII key, or `nil` for any other key.
  @inline(__always)
  private func hash(_ key: String) -> UInt64? {
    var key = key
    return key.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      return KeyIndex.isASCII(bytes) ? index.hash(bytes) : nil
    }
  }
}
