/// A value of an archive, and its path from the top-level value.
final class ArchivedPlace {
  let node: ArchivedNode
  let depth: Int
  private let key: (any CodingKey)?
  private let parent: ArchivedPlace?
  /// Whether the value is in another archive than its parent, whose data that is. The identifiers are those of one.
  private let isInData: Bool

  /// Creates the place of a top-level value or, with a parent, of one inside it. The root object of an archive in data
  /// has no key.
  init(_ node: ArchivedNode, _ key: (any CodingKey)? = nil, in parent: ArchivedPlace? = nil, isInData: Bool = false) {
    (self.node, self.key, self.parent, self.isInData) = (node, key, parent, isInData)
    depth = (parent?.depth ?? 0) + (key == nil ? 0 : 1)
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

  /// Returns a value inside this one. Throws ``ImportFailure`` if that value contains this one, or is nested too
  /// deeply.
  func child(_ node: ArchivedNode, _ key: any CodingKey, maximumDepth: Int) throws -> ArchivedPlace {
    let child = ArchivedPlace(node, key, in: self)
    guard child.depth <= maximumDepth else { throw ImportFailure.tooDeep(maximumDepth, at: child.path) }
    if let around = place(of: node) { throw ImportFailure.cycle(of: node.kind, from: child.path, to: around.path) }
    return child
  }

  /// Returns whether this value is a given one, or is inside it.
  func isInside(_ node: ArchivedNode) -> Bool { place(of: node) != nil }

  /// Returns the place of a value if the value is this one or contains it.
  private func place(of node: ArchivedNode) -> ArchivedPlace? {
    if case .plain(.null) = node.content { return nil }
    var ancestor: ArchivedPlace? = self
    while let place = ancestor {
      if place.node.id == node.id { return place }
      ancestor = place.isInData ? nil : place.parent
    }
    return nil
  }
}
