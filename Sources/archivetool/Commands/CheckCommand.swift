import GlobalData

enum CheckCommand: Command {
  static let name = "check"
  static let synopsis = "[--json] [--unlimited] FILE"
  static let summary = "verifies the format and every checksum"
  static let discussion = """
    Reads the whole file and verifies its format, every checksum and every value. Prints what is damaged
    and exits with 1 if anything is. The file is not changed.

    --json        prints an object with the fields "isIntact", "entryCount", "byteCount" and "problems" instead
    --unlimited   \(ValueOutput.checkingOptionText)
    """

  static func run(_ arguments: Arguments) throws -> ExitStatus {
    let isUnlimited = arguments.has(ValueOutput.option)
    let report = try ArchiveOperand(arguments.operands[0]).report(isUnlimited: isUnlimited)
    if arguments.has("--json") {
      try Output.write(json: [
        "isIntact": .bool(report.isIntact), "entryCount": .int(report.entryCount), "byteCount": .int(report.byteCount),
        "problems": .strings(report.problems),
      ])
    } else if report.isIntact {
      try Output.write(
        "\(Style.green("intact")): \(counted(report.entryCount, "entry", "entries")), \(report.byteCount) bytes")
    } else {
      Output.complain(about: report, isUnlimited: isUnlimited)
    }
    return report.isIntact ? .done : .no
  }
}
