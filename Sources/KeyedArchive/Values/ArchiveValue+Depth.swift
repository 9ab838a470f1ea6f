extension ArchiveValue {
  /// Whether values stand in each other more deeply than a limit. Looks no deeper than that.
  ///
  /// - Complexity: O(*n*) in the number of values.
  func isNested(deeperThan limit: Int) -> Bool {
    if limit < 0 { return true }
    switch self {
    case .array(let elements), .set(let elements):
      return elements.contains { $0.isNested(deeperThan: limit - 1) }
    case .object(let object):
      return object.fields.contains { $0.value.isNested(deeperThan: limit - 1) }
    case .map(let pairs):
      return pairs.contains { $0.key.isNested(deeperThan: limit - 1) || $0.value.isNested(deeperThan: limit - 1) }
    case .named(_, _, let value), .tagged(_, let value):
      return value.isNested(deeperThan: limit - 1)
    default:
      return false
    }
  }
}
