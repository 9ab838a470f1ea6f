import GlobalData

/// `archivetool diff A B`
enum DiffCommand: Command {
  static let name = "diff"
  static let synopsis = "[--json] A B"
  static let summary = "prints which keys were added, removed and changed"
  static let discussion = """
    Compares the values of two files by key; the order of the keys, and how often a file was written, do not matter. Prints
    one line for each key that is only in A (-), only in B (+), or has another value or type in B (~), with the beginning
    of the values. Exits with 1 when there is one.

    --json   prints an object with the fields "removed", "added" and "changed" instead: arrays of objects with the field
             "key" and the fields "old" for A, "new" for B, where they apply: objects with "type", "size" and "value".
    """
  static let options: Set = ["--json"]
  static let operandCount = 2

  /// A key with another value in each file; `nil` where it has none.
  private struct Difference {
    var key: String
    var old: Side?
    var new: Side?
  }

  private struct Side {
    var info: GlobalData.EntryInfo
    var value: ArchiveValue
  }

  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let old = try ArchiveOperand(arguments.operands[0]).contents()
    let new = try ArchiveOperand(arguments.operands[1]).contents()
    let differences = try differences(old, new)
    if arguments.has("--json") {
      try Output.write(json: json(differences))
    } else if !differences.isEmpty {
      try Output.write(differences.map(line).joined(separator: "\n"))
    }
    return differences.isEmpty ? .done : .no
  }

  /// First the keys of the old file, in its order, then those that only the new one has.
  private static func differences(
    _ old: GlobalData.FileContents, _ new: GlobalData.FileContents
  ) throws -> [Difference] {
    var progress = ProgressBar("comparing")
    defer { progress.finish() }
    let total = Double(old.entries.count + new.entries.count)
    let newEntries = Dictionary(new.entries.map { ($0.key, $0) }) { first, _ in first }
    let oldKeys = Set(old.entries.map(\.key))
    var differences: [Difference] = []
    for (index, entry) in old.entries.enumerated() {
      progress.update(Double(index) / total)
      let side = try side(entry, of: old)
      let newSide = try newEntries[entry.key].flatMap { try Self.side($0, of: new) }
      guard side?.value != newSide?.value else { continue }
      differences.append(Difference(key: entry.key, old: side, new: newSide))
    }
    for entry in new.entries where !oldKeys.contains(entry.key) {
      differences.append(Difference(key: entry.key, old: nil, new: try side(entry, of: new)))
    }
    return differences
  }

  private static func side(_ entry: GlobalData.EntryInfo, of contents: GlobalData.FileContents) throws -> Side? {
    try contents.value(forKey: entry.key).map { Side(info: entry, value: $0) }
  }

  private static func line(_ difference: Difference) -> String {
    let key = difference.key.printable
    switch (difference.old, difference.new) {
    case (let old?, let new?): return Style.yellow("~ \(key)") + "  \(brief(old)) -> \(brief(new))"
    case (let old, let new):
      let side = (old ?? new).map(brief) ?? ""
      return (new == nil ? Style.red("- \(key)") : Style.green("+ \(key)")) + "  \(side)"
    }
  }

  private static func brief(_ side: Side) -> String {
    "\(side.info.type.printable) \(side.value.json().escapingControls().shortened(to: 60))"
  }

  private static func json(_ differences: [Difference]) -> ArchiveValue {
    func entries(_ isIncluded: (Difference) -> Bool) -> ArchiveValue {
      .array(differences.filter(isIncluded).map(json))
    }
    return [
      "removed": entries { $0.new == nil },
      "added": entries { $0.old == nil },
      "changed": entries { $0.old != nil && $0.new != nil },
    ]
  }

  private static func json(_ difference: Difference) -> ArchiveValue {
    var object: ArchiveValue = ["key": .string(difference.key)]
    object["old"] = difference.old.map(json)
    object["new"] = difference.new.map(json)
    return object
  }

  private static func json(_ side: Side) -> ArchiveValue {
    ["type": .string(side.info.type), "size": .int(side.info.size), "value": side.value]
  }
}
