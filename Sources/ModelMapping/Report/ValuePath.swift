import CodingSupport

/// The path of a value in the input: `body.data[3].speed`.
public struct ValuePath: Hashable, Sendable {
  /// A step of a path.
  public enum Component: Hashable, Sendable {
    /// Into an object, by a key.
    case key(String)
    /// Into an array, by an index.
    case index(Int)
  }

  /// The first steps, which other paths share.
  private var node: PathNode?
  /// The steps after those.
  private var rest: [Component]

  /// The steps from the top-level value inward.
  ///
  /// - Complexity: O(*n*) in the number of steps.
  public var components: [Component] {
    get { (node?.components ?? []) + rest }
    set { (node, rest) = (nil, newValue) }
  }

  /// Creates a path from its steps.
  public init(_ components: [Component]) { rest = components }

  /// The nodes that the path refers to, from the last one back.
  var nodes: UnfoldFirstSequence<PathNode>? { node.map { sequence(first: $0, next: \.parent) } }

  init(_ node: PathNode?) {
    self.node = node
    rest = []
  }

  init(_ codingPath: [any CodingKey]) { self.init(codingPath.map(Component.init)) }

  public static func == (left: Self, right: Self) -> Bool { left.components == right.components }

  public func hash(into hasher: inout Hasher) { hasher.combine(components) }
}

extension ValuePath.Component {
  init(_ key: any CodingKey) { self = key.elementIndex.map(Self.index) ?? .key(key.stringValue) }
}

extension ValuePath: CustomStringConvertible {
  public var description: String {
    components.reduce(into: "") { text, component in
      switch component {
      case .index(let index): text += "[\(index)]"
      case .key(let key):
        // Each finding of a report is one line.
        text += (text.isEmpty ? "" : ".") + key.quotedIfNeeded
      }
    }
  }
}

extension ValuePath: ExpressibleByArrayLiteral {
  public init(arrayLiteral components: Component...) { self.init(components) }
}

/// The last step of a path, and those before it, which neighboring paths share. With an array for each reported path,
/// memory and time would grow with the square of a deep text's length.
final class PathNode: Sendable {
  /// A node at a multiple of this depth has its own array instead of a parent, so that freeing a long chain of nodes,
  /// each of which frees its parent, does not need much stack. JSON is never so deep.
  private static let longestRow = 1024

  let parent: PathNode?
  private let steps: [ValuePath.Component]
  private let step: ValuePath.Component
  private let depth: Int

  init(_ parent: PathNode?, _ step: ValuePath.Component) {
    self.step = step
    depth = (parent?.depth ?? 0) + 1
    let startsRow = depth.isMultiple(of: PathNode.longestRow)
    self.parent = startsRow ? nil : parent
    steps = startsRow ? parent?.components ?? [] : []
  }

  /// All steps from the top-level value inward.
  var components: [ValuePath.Component] {
    var row = [step]
    row.reserveCapacity(depth)
    var first = self
    while let parent = first.parent {
      row.append(parent.step)
      first = parent
    }
    return first.steps + row.reversed()
  }

  /// Returns the node of a path, which reuses the nodes of the previous path as far as the two are equal.
  static func node(_ path: [any CodingKey], after previous: inout [PathNode]) -> PathNode? {
    let steps = path.map(ValuePath.Component.init)
    let common = zip(steps, previous).prefix { $0 == $1.step }.count
    previous.removeLast(previous.count - common)
    for step in steps.dropFirst(common) { previous.append(PathNode(previous.last, step)) }
    return previous.last
  }
}
