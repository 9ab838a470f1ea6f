/// A place in the coding paths of an encoding or decoding.
///
/// It is a number that only its session understands, so that following a value into its parts costs neither memory from
/// the heap nor reference counts.
struct CodingPathNode {
  fileprivate let index: Int32

  /// The place of the outermost value.
  static var root: CodingPathNode { CodingPathNode(index: -1) }
}

/// The coding paths of what an encoding or decoding is inside at this moment.
///
/// A node is added for each nested value and none for a scalar. It goes when the value that it was made for is complete,
/// so there are as many as there are levels, and those of nested containers. An encoder or decoder that a type keeps
/// beyond its `encode(to:)` or `init(from:)` has the path of whatever took its place.
struct CodingPaths {
  private struct Node {
    let key: any CodingKey
    let parent: CodingPathNode
  }

  private var nodes = ContiguousArray<Node>()

  /// The number of nodes, to return to.
  var mark: Int { nodes.count }

  mutating func add(_ key: some CodingKey, below parent: CodingPathNode) -> CodingPathNode {
    nodes.append(Node(key: key, parent: parent))
    return CodingPathNode(index: Int32(truncatingIfNeeded: nodes.count - 1))
  }

  /// Removes the nodes that were added since a mark.
  @inline(__always)
  mutating func remove(to mark: Int) {
    while nodes.count > mark { nodes.removeLast() }
  }

  /// The keys from the root to a node.
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

/// A key of a coding path that no model declares: an index, a dictionary's key, or `super`.
package struct PathKey: CodingKey {
  private enum Name {
    case index(Int)
    case text(String)
    case integer(Int)
  }

  private let name: Name

  package init(index: Int) {
    name = .index(index)
  }

  package init(stringValue: String) {
    name = .text(stringValue)
  }

  package init(intValue: Int) {
    name = .integer(intValue)
  }

  package var stringValue: String {
    switch name {
    case .index(let index): "Index \(index)"
    case .text(let text): text
    case .integer(let integer): String(integer)
    }
  }

  package var intValue: Int? {
    switch name {
    case .index(let number), .integer(let number): number
    case .text: nil
    }
  }

  static var superclass: PathKey { PathKey(stringValue: "super") }
}
