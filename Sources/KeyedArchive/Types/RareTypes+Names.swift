extension TypeRegistry {
  /// The names of all types of Foundation that FoundationEssentials has not, as tests ask for them. They stand in a
  /// file without types, which a program does not link.
  package static var rareTypeNames: [String] {
    let formats = integers.map { "IntegerFormatStyle<\($0)>" } + floats.map { "FloatingPointFormatStyle<\($0)>" }
    let names = formats.flatMap { [$0, $0 + ".Currency", $0 + ".Percent"] }
    return singleRareTypes.keys + units.map { "Measurement<\($0)>" } + names
  }
}
