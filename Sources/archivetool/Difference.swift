import GlobalData

/// The first difference between two values.
struct Difference {
  /// The path from the top-level value, the last step first.
  var path: [String] = []
  /// The value in words or as JSON; "nothing" if an element or a field is missing.
  var old: String
  var new: String

  /// The path as it is shown: `wheels[3].pressure`.
  var pathText: String {
    let text = path.reversed().joined()
    return text.hasPrefix(".") ? String(text.dropFirst()) : text
  }
}

/// Compares values, up to a limit: two small files may each contain a long text once and many references to it.
struct Comparison {
  private var remaining: Int

  init(upTo limit: Int) { remaining = limit }

  /// Returns the first difference, or `nil` if the values are equal. Throws ``ComparisonLimitReached``.
  mutating func difference(_ old: ArchiveValue, _ new: ArchiveValue) throws -> Difference? {
    var difference = Result<Difference?, any Error>.success(nil)
    // The comparison is no deeper than the shallower of the two.
    old.withDeepStack { difference = Result { try compare(old, new) } }
    return try difference.get()
  }

  private mutating func compare(_ old: ArchiveValue, _ new: ArchiveValue) throws -> Difference? {
    switch (old, new) {
    case (.array(let old), .array(let new)), (.set(let old), .set(let new)): return try compare(old, new)
    case (.numbers(let oldTag, let oldBytes), .numbers(let newTag, let newBytes)) where oldTag == newTag:
      return oldBytes == newBytes ? nil : try compare(old.array ?? [], new.array ?? [])
    case (.object(let oldObject), .object(let newObject)):
      guard oldObject.tag == newObject.tag else { return differenceOfWholes(old, new) }
      guard oldObject.version == newObject.version else { return versions(oldObject.version, newObject.version) }
      return try compare(oldObject, newObject)
    case (.named(let oldTag, let oldVersion, let old), .named(let newTag, let newVersion, let new))
    where oldTag == newTag:
      return oldVersion == newVersion ? try compare(old, new) : versions(oldVersion, newVersion)
    case (.tagged(let oldTag, let old), .tagged(let newTag, let new)) where oldTag == newTag:
      return try compare(old, new)
    case (.map(let old), .map(let new)): return try compare(old, new)
    case (.string(let old), .string(let new)):
      try pay(min(old.utf8.count, new.utf8.count))
      return ArchiveValue.string(old) == .string(new) ? nil : differenceOfTexts(old, new)
    default:
      try pay(1)
      return old == new ? nil : differenceOfWholes(old, new)
    }
  }

  private func differenceOfWholes(_ old: ArchiveValue, _ new: ArchiveValue) -> Difference {
    let (oldText, newText) = (old.brief(), new.brief())
    guard oldText == newText else { return Difference(old: oldText, new: newText) }
    // The beginnings look alike as JSON, which leaves out tags. Data and its text are the same JSON, too.
    return differenceOfTexts(old.notation, new.notation, isQuoted: false)
  }

  private mutating func pay(_ count: Int) throws {
    guard count <= remaining else { throw ComparisonLimitReached() }
    remaining -= count
  }

  private func versions(_ old: Int, _ new: Int) -> Difference {
    Difference(old: "version \(old)", new: "version \(new)")
  }

  private mutating func compare(_ old: [ArchiveValue], _ new: [ArchiveValue]) throws -> Difference? {
    for (index, (oldElement, newElement)) in zip(old, new).enumerated() {
      if var difference = try compare(oldElement, newElement) {
        difference.path.append("[\(index)]")
        return difference
      }
    }
    guard old.count != new.count else { return nil }
    let index = min(old.count, new.count)
    return Difference(
      path: ["[\(index)]"], old: old.dropFirst(index).first?.brief() ?? "nothing",
      new: new.dropFirst(index).first?.brief() ?? "nothing")
  }

  private mutating func compare(_ old: ArchiveObject, _ new: ArchiveObject) throws -> Difference? {
    for field in old.fields {
      let step = ".\(field.name.quotedIfNeeded)"
      guard let newValue = new[field.name] else {
        return Difference(path: [step], old: field.value.brief(), new: "nothing")
      }
      if var difference = try compare(field.value, newValue) {
        difference.path.append(step)
        return difference
      }
    }
    if let added = new.fields.first(where: { old[$0.name] == nil }) {
      return Difference(path: [".\(added.name.quotedIfNeeded)"], old: "nothing", new: added.value.brief())
    }
    guard let moved = zip(old.fields, new.fields).first(where: { $0.name.quoted != $1.name.quoted }) else { return nil }
    return Difference(
      old: "the field \(moved.0.name.quotedIfNeeded)", new: "the field \(moved.1.name.quotedIfNeeded) first")
  }

  private mutating func compare(_ old: [ArchiveValue.Pair], _ new: [ArchiveValue.Pair]) throws -> Difference? {
    for (oldPair, newPair) in zip(old, new) {
      let step = "[\(oldPair.key.brief())]"
      if try compare(oldPair.key, newPair.key) != nil {
        return Difference(old: "the key \(oldPair.key.brief())", new: "the key \(newPair.key.brief())")
      }
      if var difference = try compare(oldPair.value, newPair.value) {
        difference.path.append(step)
        return difference
      }
    }
    guard old.count != new.count else { return nil }
    let index = min(old.count, new.count)
    return Difference(
      path: ["[\((old.count > new.count ? old : new)[index].key.brief())]"],
      old: old.dropFirst(index).first?.value.brief() ?? "nothing",
      new: new.dropFirst(index).first?.value.brief() ?? "nothing")
  }

  /// Returns the parts of two texts from shortly before their first difference.
  private func differenceOfTexts(_ old: String, _ new: String, isQuoted: Bool = true) -> Difference {
    let shared = zip(old.unicodeScalars, new.unicodeScalars).prefix { $0 == $1 }.count
    func part(_ text: String) -> String {
      let start = shared > 40 ? shared - 20 : 0
      let scalars = text.unicodeScalars.dropFirst(start)
      let shown = String(String.UnicodeScalarView(scalars.prefix(58)))
      return (start > 0 ? "…" : "") + (isQuoted ? shown.quoted : shown) + (scalars.count > 58 ? "…" : "")
    }
    return Difference(old: part(old), new: part(new))
  }
}

/// An error that reports that a comparison exceeds its limit.
struct ComparisonLimitReached: Error {}
