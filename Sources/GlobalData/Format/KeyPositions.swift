/// The places of keys in a list that is kept elsewhere. Keys are compared like Swift strings, by canonical equivalence.
///
/// A dictionary of the keys would hash each of them several times as long, and hold it a second time.
struct KeyPlaces: Sendable {
  private var index = KeyIndex()
  /// The places of keys that are not ASCII. Equal strings of this kind can have different bytes.
  private var otherKeys: [String: Int] = .init()
  private var count = 0

  /// Creates an empty index with room for a number of keys.
  init(capacity: Int) {
    index.reserve(capacity)
  }

  /// Whether the index must be created again, with more room, before another key is inserted.
  var isFull: Bool { index.isFull(count + 1) }

  /// Returns the place of a key. `keyAt` returns the key at a place.
  func place(of key: String, keyAt: (Int) -> String?) -> Int? {
    if let hash = hash(key) {
      if let place = index.position(hash: hash, where: { keyAt($0) == key }) { return place }
      return otherKeys.isEmpty ? nil : otherKeys[key]
    }
    if let place = otherKeys[key] { return place }
    guard let ascii = EntryTable.equivalentASCII(of: key) else { return nil }
    return place(of: String(decoding: ascii, as: UTF8.self), keyAt: keyAt)
  }

  /// Inserts a key, which must not be present. There must be room.
  mutating func insert(_ key: String, at place: Int) {
    if let hash = hash(key) { index.insert(place, hash: hash) } else { otherKeys[key] = place }
    count += 1
  }

  /// Removes a key, which must be present with the same bytes.
  mutating func remove(_ key: String, at place: Int) {
    if let hash = hash(key) { index.remove(place, hash: hash) } else { otherKeys[key] = nil }
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
