/// A value of an archive, and its path from the top-level value.
final class ArchivedPosition {
  let node: ArchivedNode
  let depth: Int
  private let key: (any CodingKey)?
  private let parent: ArchivedPosition?
  /// Whether the value is in another archive than its parent, whose data that is. The identifiers are those of one.
  private let isInData: Bool

  /// Creates the position of a top-level value or, with a parent, of one inside it. The root object of an archive in
  /// data has no key.
  init(_ node: ArchivedNode, _ key: (any CodingKey)? = nil, in parent: ArchivedPosition? = nil, isInData: Bool = false)
  {
    (self.node, self.key, self.parent, self.isInData) = (node, key, parent, isInData)
    depth = (parent?.depth ?? 0) + (key == nil ? 0 : 1)
  }

  var path: [any CodingKey] {
    var keys: [any CodingKey] = []
    var position = self
    while let parent = position.parent {
      if let key = position.key { keys.append(key) }
      position = parent
    }
    return keys.reversed()
  }

  /// Returns a value inside this one. Throws ``ImportFailure`` if that value contains this one, or is nested too
  /// deeply.
  func child(_ node: ArchivedNode, _ key: any CodingKey, maximumDepth: Int) throws -> ArchivedPosition {
    let child = ArchivedPosition(node, key, in: self)
    guard child.depth <= maximumDepth else { throw ImportFailure.tooDeep(maximumDepth, at: child.path) }
    if let around = position(of: node) { throw ImportFailure.cycle(of: node.kind, from: child.path, to: around.path) }
    return child
  }

  /// Returns whether this value is a given one, or is inside it.
  func isInside(_ node: ArchivedNode) -> Bool { position(of: node) != nil }

  /// Returns the position of a value if the value is this one or contains it.
  private func position(of node: ArchivedNode) -> ArchivedPosition? {
    if case .plain(.null) = node.content { return nil }
    var ancestor: ArchivedPosition? = self
    while let position = ancestor {
      if position.node.id == node.id { return position }
      ancestor = position.isInData ? nil : position.parent
    }
    return nil
  }
}
