/// A position in the coding paths of a session: a number that only the session understands, so that following a value
/// into its parts costs neither memory from the heap nor reference counts.
struct CodingPathNode {
  fileprivate let index: Int32

  static var root: CodingPathNode { CodingPathNode(index: -1) }
}

/// The coding paths of what an encoding or decoding is inside at this moment.
///
/// A node is added for each nested value and none for a scalar. It goes when the value that it was made for is
/// complete, so there are as many as there are levels, and those of nested containers. An encoder or decoder that a
/// type keeps beyond its `encode(to:)` or `init(from:)` has the path of whatever took its place.
struct CodingPaths {
  private struct Node {
    let key: any CodingKey
    let parent: CodingPathNode
  }

  private var nodes = ContiguousArray<Node>()

  var mark: Int { nodes.count }

  mutating func add(_ key: some CodingKey, below parent: CodingPathNode) -> CodingPathNode {
    nodes.append(Node(key: key, parent: parent))
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
      // A node's parent stands before it, unless the node has outlived its value.
      let parent = Int(nodes[index].parent.index)
      guard parent < index else { break }
      index = parent
    }
    return keys.reversed()
  }
}
