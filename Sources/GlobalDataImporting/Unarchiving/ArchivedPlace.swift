/// A value of an archive and its path from the outermost one.
final class ArchivedPlace {
  let node: ArchivedNode
  let depth: Int
  private let key: (any CodingKey)?
  private let parent: ArchivedPlace?

  init(_ node: ArchivedNode) {
    self.node = node
    key = nil
    parent = nil
    depth = 0
  }

  private init(_ node: ArchivedNode, _ key: any CodingKey, in parent: ArchivedPlace) {
    self.node = node
    self.key = key
    self.parent = parent
    depth = parent.depth + 1
  }

  var path: [any CodingKey] {
    var keys: [any CodingKey] = []
    var place = self
    while let parent = place.parent {
      if let key = place.key { keys.append(key) }
      place = parent
    }
    return keys.reversed()
  }

  /// A value inside this one; throws ``ImportFailure`` when it contains this one, or is nested too deeply.
  func child(_ node: ArchivedNode, _ key: any CodingKey, maximumDepth: Int) throws -> ArchivedPlace {
    let child = ArchivedPlace(node, key, in: self)
    guard child.depth <= maximumDepth else { throw ImportFailure.tooDeep(maximumDepth, at: child.path) }
    if let around = place(of: node) { throw ImportFailure.cycle(of: node.kind, from: child.path, to: around.path) }
    return child
  }

  /// Whether this is a value inside of another one, or that itself.
  func isInside(_ node: ArchivedNode) -> Bool {
    place(of: node) != nil
  }

  /// The place of a value, where that is this one or around it.
  private func place(of node: ArchivedNode) -> ArchivedPlace? {
    if case .null = node.content { return nil }
    var ancestor: ArchivedPlace? = self
    while let place = ancestor {
      if place.node.id == node.id { return place }
      ancestor = place.parent
    }
    return nil
  }
}
