/// The keys of a collection's elements, in the order of their insertion.
///
/// An element's key is the collection's name, a slash, and the element's identifier. In a name, a slash is written `~1`
/// and a tilde `~0`, as in JSON Pointer (RFC 6901), so that the first slash of a key ends the name.
struct CollectionKeys: Sendable {
  /// Includes removed keys, until they are many or the order is asked for.
  private var keys: [String]
  private var removed: Set<String> = []
  /// The index of each key in ``inOrder``; `nil` until one is asked for.
  private var positions: [String: Int]?

  init(_ keys: [String]) {
    self.keys = keys
  }

  var count: Int { keys.count - removed.count }

  /// Takes O(*n*) the first time after keys were removed, else O(1).
  var inOrder: [String] {
    mutating get {
      if !removed.isEmpty { forgetRemoved() }
      return keys
    }
  }

  /// Returns the index of a key in ``inOrder``; `nil` if it is not an element's. Takes O(*n*) the first time, and the
  /// first time after keys were removed, else O(1).
  mutating func position(of key: String) -> Int? {
    if positions == nil {
      positions = Dictionary(zip(inOrder, 0...), uniquingKeysWith: { first, _ in first })
    }
    return positions?[key]
  }

  mutating func append(_ key: String) {
    // A key that comes back comes at the end.
    if removed.contains(key) { forgetRemoved() }
    let position = count
    positions?[key] = position
    keys.append(key)
  }

  mutating func remove(_ key: String) {
    positions = nil
    removed.insert(key)
    if removed.count > keys.count / 2 { forgetRemoved() }
  }

  private mutating func forgetRemoved() {
    keys.removeAll(where: removed.contains)
    removed = []
  }

  // MARK: Names

  static func prefix(ofCollection name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "~") }) else { return "\(name)/" }
    var prefix = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": prefix += "~0"
      case "/": prefix += "~1"
      default: prefix.unicodeScalars.append(scalar)
      }
    }
    return prefix + "/"
  }

  /// Returns the prefix up to the first slash; `nil` for a key that is not an element's.
  static func prefix(ofKey key: String) -> String? {
    // By bytes: a slash before a combining mark is not a character of its own.
    key.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(decoding: key.utf8[...$0], as: UTF8.self) }
  }
}

extension String {
  /// Whether the text begins with the bytes of another one: `hasPrefix` compares characters, and a slash before a
  /// combining mark is not a slash to it.
  func hasBytes(_ prefix: String) -> Bool {
    utf8.starts(with: prefix.utf8)
  }
}
