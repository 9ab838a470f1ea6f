package import KeyedArchive

extension TypeRegistry {
  /// The tags of the standard library's and Foundation's types that every registry knows. Here, because no program needs
  /// the list.
  package static var standardTypeNames: [String] {
    (Array(standardTypes.keys) + rareTypeNames).filter { standardType(named: $0) != nil }
  }
}
