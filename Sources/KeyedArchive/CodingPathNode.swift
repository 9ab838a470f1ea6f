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
struct CodingPaths {
  private var nodes = ContiguousArray<(key: any CodingKey, parent: CodingPathNode)>()

  var mark: Int { nodes.count }

  mutating func add(_ key: some CodingKey, below parent: CodingPathNode) -> CodingPathNode {
    nodes.append((key, parent))
    return CodingPathNode(index: Int32(truncatingIfNeeded: nodes.count - 1))
  }

  @inline(__always)
  mutating func remove(to mark: Int) {
    while nodes.count > mark { nodes.removeLast() }
  }

  func keys(to node: CodingPathNode) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var index = Int(node.index)
    while index >= 0, index < nodes.count {
      keys.append(nodes[index].key)
      // A node's parent precedes it, unless the node has outlived its value.
      let parent = Int(nodes[index].parent.index)
      guard parent < index else { break }
      index = parent
    }
    return keys.reversed()
  }
}
