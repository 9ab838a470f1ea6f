import GlobalData

enum DiffCommand: Command {
  static let name = "diff"
  static let synopsis = "[--json] [--unlimited] A B"
  static let summary = "prints which keys were added, removed and changed"
  static let discussion = """
    Compares the values of two files by key. Ignores the order of the keys and the number of writes. Prints a line for each
    key that was removed (-), added (+) or changed (~) from A to B, with both values or, if they are long, their first
    difference. A value of another type is a change, too. Exits with 1 if the files differ. Exits with 3 if
    no difference was found, but some values of a property list cannot be read.

    --json        prints an object with the fields "removed", "added" and "changed" instead: arrays of objects with the
                  field "key" and, where they apply, "old" for A and "new" for B: objects with "type", "size" and "value"
    --unlimited   compares and prints values in full, even past the limit of 64 times the files plus 16 MiB
    """

  /// A key whose value differs; an entry is `nil` if its file does not have the key. The values are read again for
  /// printing, so that at most two are in memory.
  private struct ChangedEntry {
    var key: String
    var old: GlobalData.EntryInfo?
    var new: GlobalData.EntryInfo?
    var difference: Difference?
  }

  private struct Files {
    var old: Contents
    var new: Contents
  }

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let isUnlimited = arguments.has(ValueOutput.option)
    let files = Files(
      old: try await ArchiveOperand(arguments.operands[0]).contents(isUnlimited: isUnlimited),
      new: try await ArchiveOperand(arguments.operands[1]).contents(isUnlimited: isUnlimited))
    let (size, isTooLarge) = files.old.byteCount.addingReportingOverflow(files.new.byteCount)
    let output = ValueOutput(fileSize: isTooLarge ? .max : size, arguments)
    let changes = try changes(files, limit: output.limit)
    if arguments.has("--json") {
      try write(changes, of: files, output)
    } else {
      for change in changes { try Output.write(line(change, files)) }
    }
    guard changes.isEmpty else { return .no }
    // What could not be read was not compared, either.
    return files.old.isComplete && files.new.isComplete ? .done : .failed
  }

  /// Returns the changes in the order of the keys in the old file, then the keys that only the new file has.
  private static func changes(_ files: Files, limit: Int) throws -> [ChangedEntry] {
    var progress = ProgressBar("comparing")
    defer { progress.finish() }
    let newEntries = Dictionary(files.new.entries.map { ($0.key, $0) }) { first, _ in first }
    let oldKeys = Set(files.old.entries.map(\.key))
    var comparison = Comparison(upTo: limit)
    var changes: [ChangedEntry] = []
    for (index, old) in files.old.entries.enumerated() {
      progress.update(Double(index) / Double(files.old.entries.count))
      guard let new = newEntries[old.key] else {
        changes.append(ChangedEntry(key: old.key, old: old))
        continue
      }
      // Most values have the same bytes in both versions of a file.
      guard !files.old.hasSameBytes(forKey: old.key, as: files.new),
        let oldValue = try files.old.value(forKey: old.key), let newValue = try files.new.value(forKey: old.key)
      else { continue }
      do {
        guard let difference = try comparison.difference(oldValue, newValue) else { continue }
        changes.append(ChangedEntry(key: old.key, old: old, new: new, difference: difference))
      } catch is ComparisonLimitReached {
        throw Failure(
          """
          the values under the key \(old.key.quoted) were not compared beyond \(limit) bytes: their text exceeds 64 times \
          the files plus 16 MiB; use \(ValueOutput.option) to compare all of it
          """)
      }
    }
    return changes + files.new.entries.filter { !oldKeys.contains($0.key) }.map { ChangedEntry(key: $0.key, new: $0) }
  }

  // MARK: Lines

  private static func line(_ change: ChangedEntry, _ files: Files) throws -> String {
    let key = change.key.quotedIfNeeded
    switch (change.old, change.new) {
    case (let old?, let new?):
      return try Style.yellow("~ \(key)") + "  \(text(old, new, change.difference, files))"
    case (let old?, nil): return try Style.red("- \(key)") + "  \(brief(old, files.old))"
    case (nil, let new?): return try Style.green("+ \(key)") + "  \(brief(new, files.new))"
    case (nil, nil): return key
    }
  }

  /// Returns both values if they are short or differ in type, otherwise their first difference.
  private static func text(
    _ old: GlobalData.EntryInfo, _ new: GlobalData.EntryInfo, _ difference: Difference?, _ files: Files
  ) throws -> String {
    let (oldText, newText) = (try brief(old, files.old), try brief(new, files.new))
    let areCut = oldText.hasSuffix("…") || newText.hasSuffix("…")
    guard let difference, old.type == new.type, areCut || oldText == newText else { return "\(oldText) -> \(newText)" }
    let path = difference.path.isEmpty ? "" : ", at \(difference.pathText)"
    return "\(old.type.quotedIfNeeded)\(path): \(difference.old) -> \(difference.new)"
  }

  private static func brief(_ entry: GlobalData.EntryInfo, _ contents: Contents) throws -> String {
    "\(entry.type.quotedIfNeeded) \(try contents.value(forKey: entry.key)?.brief() ?? "")"
  }

  // MARK: JSON

  private static func write(_ changes: [ChangedEntry], of files: Files, _ output: ValueOutput) throws {
    var style = JSONStyle.pretty
    style.indentation = 4
    let writer = output.writer(style)
    let groups = [
      ("removed", changes.filter { $0.new == nil }), ("added", changes.filter { $0.old == nil }),
      ("changed", changes.filter { $0.old != nil && $0.new != nil }),
    ]
    writer.append("{")
    for (index, (name, changes)) in groups.enumerated() {
      writer.append("\(index == 0 ? "" : ",")\n  \"\(name)\": [")
      for (index, change) in changes.enumerated() {
        writer.append("\(index == 0 ? "" : ",")\n    {\n      \"key\": ")
        writer.append(name: change.key)
        try append("old", change.old, of: files.old, to: writer)
        try append("new", change.new, of: files.new, to: writer)
        writer.append("\n    }")
      }
      writer.append(changes.isEmpty ? "]" : "\n  ]")
    }
    writer.append("\n}\n")
    try writer.finish()
  }

  private static func append(
    _ name: String, _ entry: GlobalData.EntryInfo?, of contents: Contents, to writer: TextWriter
  ) throws {
    try writer.check()
    guard let entry, let value = try contents.value(forKey: entry.key) else { return }
    writer.append(",\n      \"\(name)\": {\n        \"type\": ")
    writer.append(name: entry.type)
    writer.append(",\n        \"size\": \(entry.size),\n        \"value\": ")
    writer.append(json: value)
    writer.append("\n      }")
  }
}
