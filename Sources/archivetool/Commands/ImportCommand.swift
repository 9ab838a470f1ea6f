import Foundation
import GlobalData
import GlobalDataImporting

enum ImportCommand: Command {
  static let name = "import"
  static let synopsis = "[--json] [--keep-existing] [--skip-unreadable] [--unlimited] FILE INPUT"
  static let summary = "stores the values of a JSON, property list or NSKeyedArchiver file"
  static let discussion = """
    Stores each field of a JSON object, each key of a property list (binary or XML), or each top-level object of an
    NSKeyedArchiver file under its own key, in one write: all of them or, if one cannot be read, none. Replaces existing
    values. Creates FILE if it does not exist and a value is imported. A value without keys, such as a JSON array, is stored
    under "root". Objects of an app's own classes become trees of their fields, with their class names; an app imports them
    as its types with GlobalData.importKeyedArchive.

    --keep-existing     skips keys that have a value in FILE
    --skip-unreadable   skips values that cannot be read
    --unlimited         imports values even past the limits for nesting and references
    --json              prints an object with the fields "imported", an array of keys, "skipped", an array of objects with
                        "key", "reason" ("existing", "unreadable", "noValue") and "message", and "converted", an array
                        of objects with "stored", "imported" and "count"
    """

  static func run(_ arguments: Arguments) async throws -> ExitStatus {
    let input = try ArchiveOperand(arguments.operands[1])
    try input.requireFile()
    var exceptions: GlobalData.ImportExceptions = []
    if arguments.has("--keep-existing") { exceptions.insert(.existing) }
    if arguments.has("--skip-unreadable") { exceptions.insert(.unreadable) }
    let store = try ArchiveOperand(arguments.operands[0]).store(isUnlimited: arguments.has(ValueOutput.option))
    let report = try await store.importFile(at: input.url, unknownClasses: .keepAsTrees, skipping: exceptions)
    if arguments.has("--json") {
      try Output.write(json: json(report))
    } else {
      try Output.write("imported \(counted(report.importedKeys.count, "entry", "entries"))")
      for entry in report.skipped { Output.complain("skipped \(entry.key.quotedIfNeeded): \(entry.message)") }
      report.showConversions()
    }
    return .done
  }

  private static func json(_ report: ImportReport) -> ArchiveValue {
    [
      "imported": .strings(report.importedKeys),
      "skipped": .array(
        report.skipped.map {
          ["key": .string($0.key), "reason": .string($0.reason.description), "message": .string($0.message)]
        }),
      "converted": .array(
        report.conversions.map {
          ["stored": .string($0.stored), "imported": .string($0.imported), "count": .int($0.count)]
        }),
    ]
  }
}

extension ImportReport {
  func showConversions() {
    for conversion in conversions {
      let count = counted(conversion.count, "value", "values")
      Output.complain("\(count) of \(conversion.stored.quotedIfNeeded) became \(conversion.imported.quotedIfNeeded)")
    }
  }
}
