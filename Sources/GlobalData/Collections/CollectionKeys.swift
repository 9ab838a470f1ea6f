/// The keys of a collection's elements, in the order of their insertion.
///
/// An element's key is the collection's name, a slash, and the element's identifier. In a name, a slash is written `~1` and a tilde
/// `~0`, as in JSON Pointer (RFC 6901), so that the first slash of a key ends the name.
struct CollectionKeys: Sendable {
  /// With those that were removed, until they are many.
  private var keys: [String]
  private var removed: Set<String> = []

  init(_ keys: [String]) {
    self.keys = keys
  }

  var count: Int { keys.count - removed.count }

  /// The keys in order.
  ///
  /// - Complexity: O(1) where nothing was removed lately, else O(*n*).
  var inOrder: [String] {
    removed.isEmpty ? keys : keys.filter { !removed.contains($0) }
  }

  mutating func append(_ key: String) {
    // A key that comes back comes at the end.
    if removed.contains(key) { forgetRemoved() }
    keys.append(key)
  }

  mutating func remove(_ key: String) {
    removed.insert(key)
    if removed.count > keys.count / 2 { forgetRemoved() }
  }

  private mutating func forgetRemoved() {
    keys = inOrder
    removed = []
  }

  // MARK: Names

  /// What the keys of a collection begin with.
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

  /// What the keys of a key's collection begin with; `nil` for a key that is no element's.
  static func prefix(ofKey key: String) -> String? {
    // By bytes: a slash before a combining mark is not a character of its own.
    key.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(decoding: key.utf8[...$0], as: UTF8.self) }
  }
}
