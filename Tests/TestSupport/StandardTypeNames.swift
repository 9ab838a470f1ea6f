package import KeyedArchive

extension TypeRegistry {
  /// The tags of the standard library's and Foundation's types that every registry knows. The list is here, because no
  /// program needs it.
  package static var standardTypeNames: [String] {
    (Array(standardTypes.keys) + rareTypeNames).filter { standardType(named: $0) != nil }
  }

  /// The names of the Foundation types that FoundationEssentials does not have.
  package static var rareTypeNames: [String] {
    let formats = integers.map { "IntegerFormatStyle<\($0)>" } + floats.map { "FloatingPointFormatStyle<\($0)>" }
    let names = formats.flatMap { [$0, $0 + ".Currency", $0 + ".Percent"] }
    return singleRareTypes.keys + units.map { "Measurement<\($0)>" } + names
  }
}
