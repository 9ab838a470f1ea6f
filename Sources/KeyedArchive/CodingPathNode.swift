/// A position in the coding paths of a session. It is a number that only the session understands, so that following a
/// value into its parts requires neither heap memory nor reference counts.
struct CodingPathNode {
  fileprivate let index: Int32

  static var root: CodingPathNode { CodingPathNode(index: -1) }
}

/// The coding paths of the values that an encoding or decoding is currently inside.
///
/// A node is added for each nested value, but not for a scalar. It is removed when its value is complete, so there is
/// one node for each level and for each nested container. If a type keeps an encoder or decoder after its `encode(to:)`
/// or `init(from:)`, its path is that of the value whose node has replaced its own.
///
/// A key is a `CodingKey`, or the key of a dictionary, whose text is only needed for an error.
typealias CodingPaths = ContiguousArray<(key: Any, parent: CodingPathNode, isOfDictionary: Bool)>

extension CodingSession {
  var pathMark: Int { paths.count }

  /// Adds a key to a path, until the current value is complete.
  func path(_ parent: CodingPathNode, _ key: some CodingKey) -> CodingPathNode {
    add(key, parent, isOfDictionary: false)
  }

  /// Adds a dictionary's key to a path, until the current value is complete.
  func path(_ parent: CodingPathNode, dictionaryKey key: Any) -> CodingPathNode {
    add(key, parent, isOfDictionary: true)
  }

  private func add(_ key: Any, _ parent: CodingPathNode, isOfDictionary: Bool) -> CodingPathNode {
    paths.append((key, parent, isOfDictionary))
    return CodingPathNode(index: Int32(truncatingIfNeeded: paths.count - 1))
  }

  @inline(__always)
  func forgetPaths(since mark: Int) {
    while paths.count > mark { paths.removeLast() }
  }

  func keys(of path: CodingPathNode) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var index = Int(path.index)
    while index >= 0, index < paths.count {
      let node = paths[index]
      if !node.isOfDictionary, let key = node.key as? any CodingKey {
        keys.append(key)
      } else {
        keys.append(AnyCodingKey(dictionaryKey: node.key))
      }
      // A node's parent precedes it, unless the node has outlived its value.
      let parent = Int(node.parent.index)
      guard parent < index else { break }
      index = parent
    }
    return keys.reversed()
  }
}
