import Foundation
import GlobalData

enum RepairCommand: Command {
  static let name = "repair"
  static let synopsis = "[--json] [--unlimited] FILE"
  static let summary = "keeps the intact entries of a damaged file"
  static let discussion = """
    Moves a damaged file aside and replaces it with a file of its intact entries. Prints a line for each entry that was kept
    or lost, the new path of the damaged file, and, to standard error, the damage. Does not touch an intact file. Exits with 1
    if a value is invalid although its checksum matches; use "remove" on it.

    A kept value may be outdated: a newer value, or its removal, may have been lost. It is printed as "old".

    --json        prints an object with the fields "wasDamaged", "problems", "kept", "old" and "lost", which are arrays,
                  "lostCount", which also counts entries whose keys cannot be read, and "setAside", a path or null. The
                  keys in "old" are also in "kept".
    --unlimited   \(ValueOutput.checkingOptionText)
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let operand = try ArchiveOperand(arguments.operands[0])
    let isUnlimited = arguments.has(ValueOutput.option)
    // A repair creates a lock file, so do not start one if there is nothing to repair.
    let recovery = try operand.report(isUnlimited: isUnlimited).isIntact ? nil : await operand.store().recover()
    let kept = try recovery?.keptKeys ?? operand.archive().entries.map(\.key)
    if arguments.has("--json") {
      try Output.write(json: json(recovery, kept: kept))
    } else if let recovery {
      for problem in recovery.problems { Output.complain(problem) }
      try Output.write(lines(recovery).joined(separator: "\n"))
    }
    let report = try operand.report(isUnlimited: isUnlimited)
    Output.complain(about: report, isUnlimited: isUnlimited)
    if recovery == nil, report.isIntact, !arguments.has("--json") {
      try Output.write("\(Style.green("intact")): nothing to repair")
    }
    return report.isIntact ? .done : .no
  }

  private static func lines(_ recovery: GlobalData.Recovery) -> [String] {
    let old = Set(recovery.outdatedKeys)
    var lines = recovery.keptKeys.map { key in
      old.contains(key)
        ? "\(Style.red("old"))   \(key.quotedIfNeeded)" : "\(Style.green("kept"))  \(key.quotedIfNeeded)"
    }
    lines += recovery.lostKeys.map { "\(Style.red("lost"))  \($0.quotedIfNeeded)" }
    let unnamed = recovery.lostEntryCount - recovery.lostKeys.count
    if unnamed > 0 {
      let what = counted(unnamed, "entry whose key cannot be read", "entries whose keys cannot be read")
      lines.append("\(Style.red("lost"))  \(what)")
    }
    if let url = recovery.setAsideURL { lines.append("the damaged file is now \(url.path.quotedIfNeeded)") }
    return lines
  }

  private static func json(_ recovery: GlobalData.Recovery?, kept: [String]) -> ArchiveValue {
    [
      "wasDamaged": .bool(recovery != nil),
      "problems": .strings(recovery?.problems ?? []),
      "kept": .strings(kept),
      "old": .strings(recovery?.outdatedKeys ?? []),
      "lost": .strings(recovery?.lostKeys ?? []),
      "lostCount": .int(recovery?.lostEntryCount ?? 0),
      "setAside": recovery?.setAsideURL.map { .string($0.path) } ?? .null,
    ]
  }
}
