/// The facts about a type that decide how its values are coded.
struct TypeTraits {
  let speciallyEncodable: (any SpeciallyEncodable.Type)?
  let speciallyDecodable: (any SpeciallyDecodable.Type)?
  let rarelyEncodable: (any RarelyEncodable.Type)?
  let rarelyDecodable: (any RarelyDecodable.Type)?
  let isClass: Bool
  let isOptional: Bool
  let readsNames: Bool
  /// The version to write with each value; 1 is not written.
  let version: Int
  /// Whether the type has a ``TypeEvolution``, which is needed before a value is read.
  let evolves: Bool

  var isWrittenSpecially: Bool { speciallyEncodable != nil || rarelyEncodable != nil }

  private init(of type: Any.Type, version: Int, evolves: Bool) {
    speciallyEncodable = type as? any SpeciallyEncodable.Type
    speciallyDecodable = type as? any SpeciallyDecodable.Type
    rarelyEncodable = speciallyEncodable == nil ? type as? any RarelyEncodable.Type : nil
    rarelyDecodable = speciallyDecodable == nil ? type as? any RarelyDecodable.Type : nil
    isClass = type is AnyObject.Type
    isOptional = type is any NullStorable.Type
    readsNames = type is any NameReading.Type
    self.version = version
    self.evolves = evolves
  }

  /// Returns the traits of a type, determined once in each process. Conformance checks take about a microsecond.
  static func shared(of type: Any.Type) -> TypeTraits {
    if let traits = sharedTraits.withLock({ $0.find(type) }) { return traits }
    // Not under the lock, because all of this may run the type's own code.
    let archivable = type as? any Archivable.Type
    let version = max(1, archivable?.archiveVersion ?? 1)
    let evolves = archivable.map { TypeEvolution.isStated(by: $0) } ?? false
    return sharedTraits.withLock { shared in
      if let traits = shared.find(type) { return traits }
      let traits = TypeTraits(of: type, version: version, evolves: evolves)
      shared.insert(traits, for: type)
      return traits
    }
  }
}

private let sharedTraits = Locked(TypeTable())
